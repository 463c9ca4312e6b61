// The devices of this process: how many, what they are, where they sit, who
// reaches whom.
#pragma once

#include <cstddef>
#include <new>
#include <string>

namespace eclosion::gpu {

// What a device says of itself. Sizes are bytes.
struct DeviceProperties {
  std::string name;
  int major = 0;  // of the instruction set: 9, 0 is sm_90; 9, 4 is gfx94x
  int minor = 0;
  std::size_t total_memory = 0;
  int multiprocessors = 0;
  int warp_size = 0;
  bool has_memory_pools = false;
  bool has_virtual_memory = false;
};

struct MemoryInfo {
  std::size_t free = 0;
  std::size_t total = 0;
};

// The runtime's release, in the vendor's own numbering.
int runtime_version();

// Number of visible devices. A machine without a driver or a device is a
// GpuError that says which.
int device_count();

int current_device();
void set_device(int device);
DeviceProperties device_properties(int device);
MemoryInfo memory_info(int device);
void synchronize_device(int device);

// domain:bus:device.function in lower case, as sysfs names it.
std::string pci_address(int device);

// The NUMA node of the device's slot, -1 where the system does not say.
int numa_node(int device);

bool can_access_peer(int device, int peer);

// Let `device` read and write the memory of `peer`; a second time is no error.
void enable_peer_access(int device, int peer);
void disable_peer_access(int device, int peer);

// A device is the thread's current one while this lives, and its context the
// driver's. What is put into a stream, or made for a device, is so in a scope
// of that device: the current one is 0 in every new thread.
class DeviceScope {
 public:
  explicit DeviceScope(int device);
  // To release something: a device that cannot be made current is let be.
  DeviceScope(int device, const std::nothrow_t& unchecked) noexcept;
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
  ~DeviceScope();

 private:
  int device_;
  int before_;
};

}  // namespace eclosion::gpu
