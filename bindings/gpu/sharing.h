// Device memory that another process, or a network card, reads and writes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "memory.h"

namespace eclosion::gpu {

// A whole allocation as a file descriptor, and where in it an address lies.
struct DmaBuf {
  int descriptor = -1;     // the caller's to close
  std::size_t offset = 0;  // of the address in the allocation
  std::size_t size = 0;    // of the allocation
};

// Export the allocation of a device that holds `address`. Part of one cannot be
// exported, so the whole is, with the offset. Throws UnsupportedError where the
// driver or the device has no such export.
DmaBuf export_dmabuf(std::uintptr_t address, int device);

// What names an allocation for the other processes of this machine.
using IpcHandle = std::array<std::uint8_t, 64>;

// A handle of the allocation of a device that holds `address`, and the offset
// in it.
struct IpcExport {
  IpcHandle handle{};
  std::size_t offset = 0;
  std::size_t size = 0;
};
IpcExport export_ipc(std::uintptr_t address, int device);

// Memory of another process; it is closed, not freed, with the result.
Memory open_ipc(const IpcHandle& handle, std::size_t size, int device);

}  // namespace eclosion::gpu
