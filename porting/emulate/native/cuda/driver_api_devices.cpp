// Devices by the driver's functions.
#include <cstring>

#include "attributes.h"
#include "device.h"
#include "front.h"
#include "memory.h"

using namespace eclosion::cuda;
namespace emulator = eclosion::emulator;

CUresult cuDeviceGetCount(int* count) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (count == nullptr) return Status::kInvalidValue;
    *count = emulator::device_count();
    return Status::kSuccess;
  });
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (device == nullptr) return Status::kInvalidValue;
    if (!is_device(ordinal)) return Status::kInvalidDevice;
    *device = ordinal;
    return Status::kSuccess;
  });
}

CUresult cuDeviceGetName(char* name, int size, CUdevice device) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (name == nullptr || size <= 0) return Status::kInvalidValue;
    if (!is_device(device)) return Status::kInvalidDevice;
    const std::string& own = emulator::device_facts(device).name;
    name[own.copy(name, static_cast<std::size_t>(size) - 1)] = '\0';
    return Status::kSuccess;
  });
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (uuid == nullptr) return Status::kInvalidValue;
    if (!is_device(device)) return Status::kInvalidDevice;
    std::memcpy(uuid->bytes, emulator::device_facts(device).uuid,
                sizeof(uuid->bytes));
    return Status::kSuccess;
  });
}

CUresult cuDeviceTotalMem(size_t* size, CUdevice device) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (size == nullptr) return Status::kInvalidValue;
    if (!is_device(device)) return Status::kInvalidDevice;
    *size = emulator::Memory::get().total(device);
    return Status::kSuccess;
  });
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute,
                              CUdevice device) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (value == nullptr) return Status::kInvalidValue;
    if (!is_device(device)) return Status::kInvalidDevice;
    return device_attribute(device, attribute, value) ? Status::kSuccess
                                                      : Status::kInvalidValue;
  });
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (major == nullptr || minor == nullptr) return Status::kInvalidValue;
    if (!is_device(device)) return Status::kInvalidDevice;
    *major = emulator::device_facts(device).major;
    *minor = emulator::device_facts(device).minor;
    return Status::kSuccess;
  });
}

CUresult cuDeviceGetPCIBusId(char* text, int size, CUdevice device) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (text == nullptr || size <= 0) return Status::kInvalidValue;
    if (!is_device(device)) return Status::kInvalidDevice;
    pci_address(device, text, static_cast<std::size_t>(size));
    return Status::kSuccess;
  });
}

CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* address) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (device == nullptr || address == nullptr) return Status::kInvalidValue;
    const int found = device_at(address);
    if (found < 0) return Status::kInvalidDevice;
    *device = found;
    return Status::kSuccess;
  });
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return driver_call(__func__, kDriver, [&]() -> DriverResult {
    if (can == nullptr) return Status::kInvalidValue;
    if (!is_device(device) || !is_device(peer)) return Status::kInvalidDevice;
    *can = device != peer ? 1 : 0;
    return Status::kSuccess;
  });
}
