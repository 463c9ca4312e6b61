// The access of devices to each other's memory.
#include "peers.h"

#include "device.h"
#include "devices.h"
#include "front.h"

using namespace eclosion::hip;
using eclosion::emulator::current_device;

extern "C" {

// hip_runtime_api.h: a device is not a peer of itself.
hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer) {
  return call(__func__, [&] {
    if (can == nullptr) return hipErrorInvalidValue;
    if (!is_device(device) || !is_device(peer)) return hipErrorInvalidDevice;
    *can = device != peer;
    return hipSuccess;
  });
}

hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags) {
  return call(__func__, [&]() -> hipError_t {
    if (flags != 0) return hipErrorInvalidValue;
    return number(eclosion::emulator::enable_peer(use_current_device(), peer));
  });
}

hipError_t hipDeviceDisablePeerAccess(int peer) {
  return call(__func__, [&] {
    return eclosion::emulator::disable_peer(use_current_device(), peer);
  });
}

hipError_t hipDeviceGetP2PAttribute(int* value, hipDeviceP2PAttr attribute,
                                    int from, int to) {
  return call(__func__, [&] {
    if (value == nullptr) return hipErrorInvalidValue;
    if (!is_device(from) || !is_device(to) || from == to) {
      return hipErrorInvalidDevice;
    }
    switch (attribute) {
      case hipDevP2PAttrPerformanceRank:
      case hipDevP2PAttrHipArrayAccessSupported:
        *value = 0;
        return hipSuccess;
      case hipDevP2PAttrAccessSupported:
      case hipDevP2PAttrNativeAtomicSupported:
        *value = 1;
        return hipSuccess;
      default:
        return hipErrorInvalidValue;
    }
  });
}

// As devices of one host that are linked directly.
hipError_t hipExtGetLinkTypeAndHopCount(int from, int to, std::uint32_t* type,
                                        std::uint32_t* hops) {
  return call(__func__, [&] {
    constexpr std::uint32_t kXgmi = 4;  // HSA_AMD_LINK_INFO_TYPE_XGMI
    if (type == nullptr || hops == nullptr || from == to || !is_device(from) ||
        !is_device(to)) {
      return hipErrorInvalidValue;
    }
    *type = kXgmi;
    *hops = 1;
    return hipSuccess;
  });
}

}  // extern "C"
