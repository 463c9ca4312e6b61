// IPC handles by the runtime API, dmabuf descriptors by the driver's.
#include "sharing.h"

#include <cstring>

#include "device.h"
#include "driver.h"
#include "error.h"

namespace eclosion::gpu {
namespace {

struct Allocation {
  CUdeviceptr base = 0;
  std::size_t size = 0;
};

Allocation allocation_of(CUdeviceptr address) {
  Allocation found;
  ECLOSION_DRIVER_CALL(cuMemGetAddressRange, &found.base, &found.size, address);
  return found;
}

}  // namespace

DmaBuf export_dmabuf(std::uintptr_t address, int device) {
  const DeviceScope scope(device);
  const CUdeviceptr at = static_cast<CUdeviceptr>(address);
  const Allocation whole = allocation_of(at);
  DmaBuf exported;
  ECLOSION_DRIVER_CALL(cuMemGetHandleForAddressRange, &exported.descriptor,
                       whole.base, whole.size,
                       CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0);
  exported.offset = at - whole.base;
  exported.size = whole.size;
  return exported;
}

IpcExport export_ipc(std::uintptr_t address, int device) {
  const DeviceScope scope(device);
  const CUdeviceptr at = static_cast<CUdeviceptr>(address);
  const Allocation whole = allocation_of(at);
  cudaIpcMemHandle_t handle{};
  ECLOSION_CALL(cudaIpcGetMemHandle, &handle, reinterpret_cast<void*>(address));
  IpcExport exported;
  static_assert(sizeof(handle) == sizeof(exported.handle));
  std::memcpy(exported.handle.data(), &handle, sizeof(handle));
  exported.offset = at - whole.base;
  exported.size = whole.size;
  return exported;
}

Memory open_ipc(const IpcHandle& handle, std::size_t size, int device) {
  const DeviceScope scope(device);
  cudaIpcMemHandle_t raw{};
  std::memcpy(&raw, handle.data(), sizeof(raw));
  void* address = nullptr;
  ECLOSION_CALL(cudaIpcOpenMemHandle, &address, raw,
                cudaIpcMemLazyEnablePeerAccess);
  return {
      reinterpret_cast<std::uintptr_t>(address), size, device,
      [device](std::uintptr_t at) {
        const DeviceScope there(device, std::nothrow);
        static_cast<void>(cudaIpcCloseMemHandle(reinterpret_cast<void*>(at)));
      }};
}

}  // namespace eclosion::gpu
