// Memory and events of other processes, by the runtime's functions.
#include <cstring>

#include "front.h"
#include "sharing.h"

using namespace eclosion::cuda;

static_assert(sizeof(cudaIpcMemHandle_t) == sizeof(CUipcMemHandle));
static_assert(sizeof(cudaIpcEventHandle_t) == sizeof(CUipcEventHandle));

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* address) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return export_memory(address, reinterpret_cast<CUipcMemHandle*>(handle));
  });
}

cudaError_t cudaIpcOpenMemHandle(void** address, cudaIpcMemHandle_t handle,
                                 unsigned flags) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    CUipcMemHandle same;
    std::memcpy(&same, &handle, sizeof(same));
    return import_memory(same, flags, address);
  });
}

cudaError_t cudaIpcCloseMemHandle(void* address) {
  return runtime_call(__func__, kContext,
                      [&]() -> RuntimeResult { return close_memory(address); });
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle,
                                  cudaEvent_t event) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    return export_event(event, reinterpret_cast<CUipcEventHandle*>(handle));
  });
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event,
                                   cudaIpcEventHandle_t handle) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    CUipcEventHandle same;
    std::memcpy(&same, &handle, sizeof(same));
    return import_event(same, event);
  });
}
