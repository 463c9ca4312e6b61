// Streams by the runtime's functions.
#include "device.h"
#include "front.h"
#include "streaming.h"

using namespace eclosion::cuda;

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return create_stream(cudaStreamDefault, kLeastPriority, site, stream);
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return create_stream(flags, kLeastPriority, site, stream);
  });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags,
                                         int priority) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return create_stream(flags, priority, site, stream);
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return destroy_stream(stream);
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return runtime_call(__func__, kContext | kNoCapture, [&]() -> RuntimeResult {
    return synchronize_stream(stream);
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return runtime_call(__func__, kContext | kNoCapture,
                      [&]() -> RuntimeResult { return query_stream(stream); });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                unsigned flags) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return wait_event(stream, event, flags);
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function,
                               void* data) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return launch_host(stream, function, data, site);
  });
}

namespace {

struct Callback {
  cudaStreamCallback_t function;
  void* data;
};

void run_callback(CUstream stream, Status status, void* held) {
  const Callback callback = *static_cast<Callback*>(held);
  delete static_cast<Callback*>(held);
  callback.function(stream, runtime_code(status), callback.data);
}

}  // namespace

cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                  cudaStreamCallback_t function, void* data,
                                  unsigned flags) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (function == nullptr || flags != 0) return Status::kInvalidValue;
    auto* const held = new Callback{function, data};
    const Status status = add_callback(stream, run_callback, held, site);
    if (status != Status::kSuccess) delete held;
    return status;
  });
}

namespace {

// One question about a stream.
template <typename Value, typename Read>
cudaError_t ask(const char* function, cudaStream_t handle, Value* value,
                Read&& read) {
  return runtime_call(function, kContext, [&]() -> RuntimeResult {
    if (value == nullptr) return Status::kInvalidValue;
    StreamRef stream;
    const Status status = find_stream(handle, &stream);
    if (status == Status::kSuccess) *value = read(*stream);
    return status;
  });
}

}  // namespace

using eclosion::emulator::Stream;

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return ask(__func__, stream, priority,
             [](const Stream& s) { return s.priority(); });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return ask(__func__, stream, flags,
             [](const Stream& s) { return s.flags(); });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return ask(__func__, stream, id, [](const Stream& s) { return s.id(); });
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return ask(__func__, stream, device,
             [](const Stream& s) { return s.device(); });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (least != nullptr) *least = kLeastPriority;
    if (greatest != nullptr) *greatest = kGreatestPriority;
    return Status::kSuccess;
  });
}

// Managed memory is every stream's here.
cudaError_t cudaStreamAttachMemAsync(cudaStream_t handle, void* address,
                                     size_t /*size*/, unsigned flags) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (address == nullptr || flags == 0 || flags > cudaMemAttachSingle) {
      return Status::kInvalidValue;
    }
    StreamRef stream;
    return find_stream(handle, &stream);
  });
}
