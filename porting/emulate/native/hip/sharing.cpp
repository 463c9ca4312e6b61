// Memory and events that other processes open, and memory as a descriptor.
#include <cstring>

#include "device.h"
#include "devices.h"
#include "front.h"
#include "memory.h"
#include "objects.h"

using namespace eclosion::hip;
using eclosion::emulator::Event;
using eclosion::emulator::EventRef;
using eclosion::emulator::SharedHandle;
using eclosion::emulator::Status;

static_assert(sizeof(SharedHandle) == sizeof(hipIpcMemHandle_t));
static_assert(sizeof(hipIpcEventHandle_t) == 64);

extern "C" {

hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* handle, void* address) {
  return call(__func__, [&]() -> hipError_t {
    if (handle == nullptr || address == nullptr) return hipErrorInvalidValue;
    SharedHandle made{};
    const Status status = eclosion::emulator::export_memory(address, &made);
    if (status == Status::kSuccess) std::memcpy(handle, &made, sizeof(made));
    return number(status);
  });
}

hipError_t hipIpcOpenMemHandle(void** address, hipIpcMemHandle_t handle,
                               unsigned flags) {
  return call(__func__, [&]() -> hipError_t {
    if (address == nullptr || flags != hipIpcMemLazyEnablePeerAccess) {
      return hipErrorInvalidValue;
    }
    SharedHandle given;
    std::memcpy(&given, &handle, sizeof(given));
    const Status status =
        eclosion::emulator::import_memory(given, use_current_device(), address);
    // hip_runtime_api.h: hipErrorInvalidValue, hipErrorInvalidContext or
    // hipErrorInvalidDevicePointer; there is no word for a stale handle.
    const bool is_stale =
        status == Status::kInvalidHandle || status == Status::kMapFailed;
    return is_stale ? hipErrorInvalidDevicePointer : number(status);
  });
}

// hip_runtime_api.h: hipErrorMapFailed, hipErrorInvalidHandle.
hipError_t hipIpcCloseMemHandle(void* address) {
  return call(__func__, [&]() -> hipError_t {
    if (address == nullptr) return hipErrorInvalidValue;
    const Status status = eclosion::emulator::close_imported(address);
    return status == Status::kInvalidValue ? hipErrorInvalidValue
                                           : number(status);
  });
}

hipError_t hipIpcGetEventHandle(hipIpcEventHandle_t* handle, hipEvent_t event) {
  return call(__func__, [&]() -> hipError_t {
    const EventRef found = events().find(event);
    if (handle == nullptr) return hipErrorInvalidValue;
    if (found == nullptr) return hipErrorInvalidHandle;
    // hip_runtime_api.h lists hipErrorInvalidConfiguration: an event that was
    // made without hipEventInterprocess.
    if ((found->flags() & Event::kInterprocess) == 0) {
      return hipErrorInvalidConfiguration;
    }
    unsigned char made[64];
    const Status status = found->export_handle(made);
    if (status == Status::kSuccess) std::memcpy(handle, made, sizeof(made));
    return number(status);
  });
}

hipError_t hipIpcOpenEventHandle(hipEvent_t* event,
                                 hipIpcEventHandle_t handle) {
  return call(__func__, [&]() -> hipError_t {
    if (event == nullptr) return hipErrorInvalidValue;
    unsigned char given[64];
    std::memcpy(given, &handle, sizeof(given));
    EventRef opened;
    const Status status =
        Event::import_handle(given, use_current_device(), &opened);
    if (status != Status::kSuccess) return number(status);
    *event = events().add(std::move(opened));
    return hipSuccess;
  });
}

// The descriptor is of the whole allocation: the address has to be its start,
// since HIP gives no offset (ROCm 7.0's hipMemGetHandleForAddressRange; the
// lower runtime's hsa_amd_portable_export_dmabuf does).
hipError_t hipMemGetHandleForAddressRange(void* handle, hipDeviceptr_t address,
                                          std::size_t size,
                                          hipMemRangeHandleType type,
                                          unsigned long long flags) {
  return call(__func__, [&]() -> hipError_t {
    if (handle == nullptr || address == nullptr || size == 0 || flags != 0 ||
        type != hipMemRangeHandleTypeDmaBufFd) {
      return hipErrorInvalidValue;
    }
    int file = -1;
    std::size_t offset = 0;
    const Status status =
        eclosion::emulator::export_dmabuf(address, size, &file, &offset);
    if (status == Status::kSuccess) std::memcpy(handle, &file, sizeof(file));
    return number(status);
  });
}

}  // extern "C"
