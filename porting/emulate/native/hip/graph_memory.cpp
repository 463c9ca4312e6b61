// The memory that a device's graphs hold.
#include <cstring>

#include "front.h"
#include "pool.h"

using namespace eclosion::hip;
using eclosion::emulator::Pool;

extern "C" {

hipError_t hipDeviceGetGraphMemAttribute(int device,
                                         hipGraphMemAttributeType attribute,
                                         void* value) {
  return call(__func__, [&] {
    if (!is_device(device)) return hipErrorInvalidDevice;
    if (value == nullptr || attribute > hipGraphMemAttrReservedMemHigh) {
      return hipErrorInvalidValue;
    }
    const Pool::Figures figures = eclosion::emulator::graph_figures(device);
    // In the order of hipGraphMemAttributeType.
    const std::uint64_t all[] = {figures.used, figures.used_high,
                                 figures.reserved, figures.reserved_high};
    std::memcpy(value, &all[attribute], sizeof(all[attribute]));
    return hipSuccess;
  });
}

hipError_t hipDeviceSetGraphMemAttribute(int device,
                                         hipGraphMemAttributeType attribute,
                                         void* value) {
  return call(__func__, [&] {
    if (!is_device(device)) return hipErrorInvalidDevice;
    const bool is_reserved = attribute == hipGraphMemAttrReservedMemHigh;
    if (value == nullptr ||
        (!is_reserved && attribute != hipGraphMemAttrUsedMemHigh)) {
      return hipErrorInvalidValue;
    }
    eclosion::emulator::reset_graph_figures(device, is_reserved);
    return hipSuccess;
  });
}

hipError_t hipDeviceGraphMemTrim(int device) {
  return call(__func__, [&] {
    if (!is_device(device)) return hipErrorInvalidDevice;
    eclosion::emulator::trim_graphs(device);
    return hipSuccess;
  });
}

}  // extern "C"
