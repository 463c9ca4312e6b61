// What the front knows of devices besides the core: which were used, how they
// are described.
#pragma once

#include <hip/hip_runtime_api.h>

namespace eclosion::hip {

// The device of the calling thread, whose primary context is active from now
// on.
int use_current_device();
void use_device(int device);
bool is_used(int device);
// As after hipDeviceReset().
void forget_use(int device);

void describe(int device, hipDeviceProp_tR0600* properties);
// "0000:03:00.0"
void write_pci_bus_id(int device, char* text, int size);

}  // namespace eclosion::hip
