// What a device answers when it is asked for one of its numbers.
#pragma once

#include <cstddef>

namespace eclosion::cuda {

// `attribute`: a CUdevice_attribute, or the cudaDeviceAttr of the same number.
// False: no such attribute.
bool device_attribute(int device, int attribute, int* value);

// domain:bus:device.function, as sysfs names the device.
void pci_address(int device, char* text, std::size_t size);
// The device of such an address; -1: none.
int device_at(const char* address);

}  // namespace eclosion::cuda
