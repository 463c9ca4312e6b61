// Hints, attributes of streams, and objects that graphs keep, by the driver.
#include "front.h"
#include "hints.h"
#include "objects.h"
#include "stream_attributes.h"
#include "user_objects.h"

using namespace eclosion::cuda;

CUresult cuMemAdvise(CUdeviceptr address, size_t size, CUmem_advise advice,
                     CUmemLocation location) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return check_advice(reinterpret_cast<void*>(address), size, advice,
                        location);
  });
}

CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t size,
                            CUmemLocation location, unsigned flags,
                            CUstream stream) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return check_prefetch(reinterpret_cast<void*>(address), size, location,
                          flags, stream);
  });
}

// Managed memory is every stream's here.
CUresult cuStreamAttachMemAsync(CUstream handle, CUdeviceptr address,
                                size_t /*size*/, unsigned flags) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    if (address == 0 || flags == 0 || flags > CU_MEM_ATTACH_SINGLE) {
      return Status::kInvalidValue;
    }
    StreamRef stream;
    return find_stream(handle, &stream);
  });
}

CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute,
                              const CUstreamAttrValue* value) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return set_stream_attribute(stream, attribute, value);
  });
}

CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID attribute,
                              CUstreamAttrValue* value) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return get_stream_attribute(stream, attribute, value);
  });
}

CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
  return driver_call(__func__, kContext, [&]() -> DriverResult {
    return copy_stream_attributes(to, from);
  });
}

CUresult cuUserObjectCreate(CUuserObject* object, void* pointer,
                            CUhostFn destroy, unsigned count, unsigned flags) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC) {
      return Status::kInvalidValue;
    }
    return create_user_object(pointer, destroy, count, object);
  });
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned count) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    return retain_user_object(object, count);
  });
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned count) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    return release_user_object(object, count);
  });
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object,
                                 unsigned count, unsigned flags) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (flags > CU_GRAPH_USER_OBJECT_MOVE) return Status::kInvalidValue;
    return keep_in_graph(graph, object, count,
                         flags == CU_GRAPH_USER_OBJECT_MOVE);
  });
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object,
                                  unsigned count) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    return drop_from_graph(graph, object, count);
  });
}

CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute,
                                 CUdevice device, CUdevice peer) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (value == nullptr) return Status::kInvalidValue;
    if (!is_device(device) || !is_device(peer) || device == peer) {
      return Status::kInvalidDevice;
    }
    switch (attribute) {
      case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
      case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
        return *value = 1, Status::kSuccess;
      case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
      case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
      case CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED:
        return *value = 0, Status::kSuccess;
      default:
        return Status::kInvalidValue;
    }
  });
}
