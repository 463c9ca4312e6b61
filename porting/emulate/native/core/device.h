// The emulated devices: what each is called, has and allows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "launch.h"

namespace eclosion::emulator {

// Numbers of a device that a program may ask for, as its vendor gives them for
// the architecture (sources at the table in device.cpp).
struct DeviceFacts {
  std::string name;
  std::string arch;  // "gfx942", "sm_90"
  int major = 0;
  int minor = 0;
  unsigned wave_size = 32;
  int processors = 0;  // multiprocessors or compute units
  int threads_per_processor = 2048;
  int blocks_per_processor = 32;
  int registers_per_block = 65536;
  std::size_t shared_per_processor = 0;
  std::size_t l2_bytes = 0;
  std::size_t constant_bytes = 65536;
  int clock_khz = 0;
  int memory_clock_khz = 0;
  int bus_width_bits = 0;
  LaunchLimits limits;
  unsigned char uuid[16];
  int pci_bus = 0;
};

// Show the program only some devices, as the vendor's variable says: ordinals
// and UUIDs separated by commas, up to the first that is none. Null: all. Asked
// once, before any other call; ordinals are then those of the shown ones.
void show_devices(const char* visible);
int device_count();
const DeviceFacts& device_facts(int device);

// The device of the calling thread, 0 in every new one.
int current_device();
void set_current_device(int device);

}  // namespace eclosion::emulator
