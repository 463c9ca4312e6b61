// The runtime's questions about devices.
#include "device.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>

#include "driver.h"
#include "error.h"

namespace eclosion::gpu {
namespace {

// Long enough for domain:bus:device.function, whose domain may have 8 digits.
constexpr int kPciLength = 32;

bool has_attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  ECLOSION_CALL(cudaDeviceGetAttribute, &value, which, device);
  return value != 0;
}

bool has_virtual_memory(int device) {
  int value = 0;
  ECLOSION_DRIVER_CALL(cuDeviceGetAttribute, &value,
                       CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
                       device);
  return value != 0;
}

}  // namespace

int runtime_version() {
  int version = 0;
  ECLOSION_CALL(cudaRuntimeGetVersion, &version);
  return version;
}

int device_count() {
  int count = 0;  // not every release writes it where the call fails
  ECLOSION_CALL(cudaGetDeviceCount, &count);
  return count;
}

int current_device() {
  int device = 0;
  ECLOSION_CALL(cudaGetDevice, &device);
  return device;
}

void set_device(int device) { ECLOSION_CALL(cudaSetDevice, device); }

DeviceProperties device_properties(int device) {
  cudaDeviceProp raw{};
  // porting: ignore[STR005] the name is for people
  ECLOSION_CALL(cudaGetDeviceProperties, &raw, device);
  return {
      .name = raw.name,
      .major = raw.major,
      .minor = raw.minor,
      .total_memory = raw.totalGlobalMem,
      .multiprocessors = raw.multiProcessorCount,
      .warp_size = raw.warpSize,
      .has_memory_pools =
          has_attribute(cudaDevAttrMemoryPoolsSupported, device),
      .has_virtual_memory = has_virtual_memory(device),
  };
}

MemoryInfo memory_info(int device) {
  const DeviceScope scope(device);
  MemoryInfo info;
  ECLOSION_CALL(cudaMemGetInfo, &info.free, &info.total);
  return info;
}

void synchronize_device(int device) {
  const DeviceScope scope(device);
  ECLOSION_CALL(cudaDeviceSynchronize);
}

std::string pci_address(int device) {
  std::array<char, kPciLength> text{};
  ECLOSION_CALL(cudaDeviceGetPCIBusId, text.data(), kPciLength, device);
  std::string address = text.data();
  std::transform(address.begin(), address.end(), address.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return address;
}

int numa_node(int device) {
  std::ifstream file("/sys/bus/pci/devices/" + pci_address(device) +
                     "/numa_node");
  int node = -1;
  file >> node;
  return file ? node : -1;
}

bool can_access_peer(int device, int peer) {
  int can = 0;
  ECLOSION_CALL(cudaDeviceCanAccessPeer, &can, device, peer);
  return can != 0;
}

void enable_peer_access(int device, int peer) {
  const DeviceScope scope(device);
  static_cast<void>(ECLOSION_CALL_UNLESS(cudaErrorPeerAccessAlreadyEnabled,
                                         cudaDeviceEnablePeerAccess, peer, 0));
}

void disable_peer_access(int device, int peer) {
  const DeviceScope scope(device);
  ECLOSION_CALL(cudaDeviceDisablePeerAccess, peer);
}

DeviceScope::DeviceScope(int device)
    : device_(device), before_(current_device()) {
  set_device(device);
}

DeviceScope::DeviceScope(int device,
                         const std::nothrow_t& /*unchecked*/) noexcept
    : device_(device), before_(device) {
  if (cudaGetDevice(&before_) != cudaSuccess ||
      cudaSetDevice(device) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
  }
}

// Only what was another one is put back: some releases give a device that is
// made current a context, which takes memory of it.
DeviceScope::~DeviceScope() {
  if (before_ != device_) static_cast<void>(cudaSetDevice(before_));
}

}  // namespace eclosion::gpu
