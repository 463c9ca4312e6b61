// Devices by the runtime's functions: which there are, which is current.
#include <cstring>

#include "attributes.h"
#include "device.h"
#include "front.h"
#include "peers.h"
#include "release.h"
#include "streaming.h"

using namespace eclosion::cuda;
namespace emulator = eclosion::emulator;

cudaError_t cudaGetDeviceCount(int* count) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if (count == nullptr) return Status::kInvalidValue;
    *count = emulator::device_count();
    return Status::kSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if (device == nullptr) return Status::kInvalidValue;
    *device = emulator::current_device();
    return Status::kSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return runtime_call(__func__, kDriver,
                      [&]() -> RuntimeResult { return use_device(device); });
}

cudaError_t cudaInitDevice(int device, unsigned /*device_flags*/,
                           unsigned flags) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if ((flags & ~cudaInitDeviceFlagsAreValid) != 0) {
      return Status::kInvalidValue;
    }
    if (!is_device(device)) return Status::kInvalidDevice;
    const int before = emulator::current_device();
    const ContextRef context = current_context();
    const Status status = use_device(device);
    set_current_context(context);
    emulator::set_current_device(before);
    return status;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return runtime_call(__func__, kContext | kNoCapture, [&]() -> RuntimeResult {
    return synchronize_device(emulator::current_device());
  });
}

cudaError_t cudaDeviceReset() {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    return reset_primary(emulator::current_device());
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute,
                                   int device) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if (value == nullptr) return Status::kInvalidValue;
    if (!is_device(device)) return Status::kInvalidDevice;
    return device_attribute(device, attribute, value) ? Status::kSuccess
                                                      : Status::kInvalidValue;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int size, int device) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    // cudaDeviceGetPCIBusId (cuda_runtime_api.h): room for 13 characters.
    if (text == nullptr || size <= 0) return Status::kInvalidValue;
    if (!is_device(device)) return Status::kInvalidDevice;
    pci_address(device, text, static_cast<std::size_t>(size));
    return Status::kSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* address) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if (device == nullptr || address == nullptr) return Status::kInvalidValue;
    const int found = device_at(address);
    if (found < 0) return Status::kInvalidDevice;
    *device = found;
    return Status::kSuccess;
  });
}

cudaError_t cudaDriverGetVersion(int* version) {
  return runtime_call(__func__, kNothing, [&]() -> RuntimeResult {
    if (version == nullptr) return Status::kInvalidValue;
    *version = release_number();
    return Status::kSuccess;
  });
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  return runtime_call(__func__, kNothing, [&]() -> RuntimeResult {
    if (version == nullptr) return Status::kInvalidValue;
    *version = release_number();
    return Status::kSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if (can == nullptr) return Status::kInvalidValue;
    if (!is_device(device) || !is_device(peer)) return Status::kInvalidDevice;
    *can = device != peer ? 1 : 0;
    return Status::kSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (flags != 0) return Status::kInvalidValue;
    if (!is_device(peer)) return Status::kInvalidDevice;
    return emulator::enable_peer(emulator::current_device(), peer);
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return runtime_call(__func__, kContext, [&]() -> RuntimeResult {
    if (!is_device(peer)) return Status::kInvalidDevice;
    return emulator::disable_peer(emulator::current_device(), peer);
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute,
                                      int device, int peer) {
  return runtime_call(__func__, kDriver, [&]() -> RuntimeResult {
    if (value == nullptr) return Status::kInvalidValue;
    if (!is_device(device) || !is_device(peer) || device == peer) {
      return Status::kInvalidDevice;
    }
    switch (attribute) {
      case cudaDevP2PAttrAccessSupported:
      case cudaDevP2PAttrNativeAtomicSupported:
        return *value = 1, Status::kSuccess;
      case cudaDevP2PAttrPerformanceRank:
      case cudaDevP2PAttrCudaArrayAccessSupported:
      case cudaDevP2PAttrOnlyPartialNativeAtomicSupported:
        return *value = 0, Status::kSuccess;
    }
    return Status::kInvalidValue;
  });
}
