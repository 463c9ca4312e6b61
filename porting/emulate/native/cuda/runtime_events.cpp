// Events by the runtime's functions.
#include "front.h"
#include "streaming.h"

using namespace eclosion::cuda;

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return create_event(cudaEventDefault, site, event);
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  const void* const site = ECLOSION_SITE;
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return create_event(flags, site, event);
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return runtime_call(__func__, kContext,
                      [&]() -> RuntimeResult { return destroy_event(event); });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return record_event(event, stream, cudaEventRecordDefault);
  });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream,
                                     unsigned flags) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return record_event(event, stream, flags);
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return runtime_call(__func__, kContext | kNoCapture, [&]() -> RuntimeResult {
    return synchronize_event(event);
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return runtime_call(__func__, kContext | kNoCapture,
                      [&]() -> RuntimeResult { return query_event(event); });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin,
                                 cudaEvent_t end) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return elapsed_time(begin, end, milliseconds);
  });
}
