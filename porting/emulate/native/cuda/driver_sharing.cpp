// The core's handles of shared memory and events in the vendor's structs.
#include "sharing.h"

#include <cstring>

#include "device.h"
#include "memory.h"
#include "objects.h"
#include "streaming.h"

namespace eclosion::cuda {

Status export_memory(const void* address, CUipcMemHandle* handle) {
  if (handle == nullptr || address == nullptr) return Status::kInvalidValue;
  emulator::SharedHandle shared;
  static_assert(sizeof(shared.bytes) == sizeof(handle->reserved));
  const Status status = emulator::export_memory(address, &shared);
  if (status == Status::kSuccess) {
    std::memcpy(handle->reserved, shared.bytes, sizeof(shared.bytes));
  }
  return status;
}

Status import_memory(const CUipcMemHandle& handle, unsigned flags,
                     void** address) {
  if (address == nullptr || flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) {
    return Status::kInvalidValue;
  }
  emulator::SharedHandle shared;
  std::memcpy(shared.bytes, handle.reserved, sizeof(shared.bytes));
  return emulator::import_memory(shared, emulator::current_device(), address);
}

Status close_memory(void* address) {
  const Status status = synchronize_device(emulator::current_device());
  return status != Status::kSuccess ? status
                                    : emulator::close_imported(address);
}

Status export_event(CUevent event_handle, CUipcEventHandle* handle) {
  if (handle == nullptr) return Status::kInvalidValue;
  EventRef event;
  const Status status = find_event(event_handle, &event);
  if (status != Status::kSuccess) return status;
  // cuIpcGetEventHandle (cuda.h): made with CU_EVENT_INTERPROCESS.
  if ((event->flags() & CU_EVENT_INTERPROCESS) == 0) {
    return Status::kInvalidHandle;
  }
  unsigned char bytes[64];
  static_assert(sizeof(bytes) == sizeof(handle->reserved));
  const Status exported = event->export_handle(bytes);
  if (exported == Status::kSuccess) {
    std::memcpy(handle->reserved, bytes, sizeof(bytes));
  }
  return exported;
}

Status import_event(const CUipcEventHandle& handle, CUevent* event) {
  if (event == nullptr) return Status::kInvalidValue;
  unsigned char bytes[64];
  std::memcpy(bytes, handle.reserved, sizeof(bytes));
  EventRef made;
  const Status status =
      emulator::Event::import_handle(bytes, emulator::current_device(), &made);
  if (status == Status::kSuccess) *event = add_event(made);
  return status;
}

}  // namespace eclosion::cuda
