// Objects that graphs keep alive, by the runtime's functions.
#include "front.h"
#include "user_objects.h"

using namespace eclosion::cuda;

// A cudaUserObject_t is a CUuserObject.
cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* pointer,
                                 cudaHostFn_t destroy, unsigned count,
                                 unsigned flags) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    // cudaUserObjectCreate (cuda_runtime_api.h): the flag has to be given.
    if (flags != cudaUserObjectNoDestructorSync) return Status::kInvalidValue;
    return create_user_object(pointer, destroy, count, object);
  });
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    return retain_user_object(object, count);
  });
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    return release_user_object(object, count);
  });
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph,
                                      cudaUserObject_t object, unsigned count,
                                      unsigned flags) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if (flags > cudaGraphUserObjectMove) return Status::kInvalidValue;
    return keep_in_graph(graph, object, count,
                         flags == cudaGraphUserObjectMove);
  });
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph,
                                       cudaUserObject_t object,
                                       unsigned count) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    return drop_from_graph(graph, object, count);
  });
}
