// The access of devices to each other, one mask of bits per device.
#include "peers.h"

#include <array>
#include <atomic>
#include <cstdint>

#include "device.h"
#include "stream.h"

namespace eclosion::emulator {

namespace {

std::array<std::atomic<std::uint64_t>, kMostDevices> masks{};

std::uint64_t bit(int device) { return std::uint64_t{1} << device; }

bool is_device(int device) { return device >= 0 && device < device_count(); }

}  // namespace

Status enable_peer(int device, int peer) {
  if (!is_device(device) || !is_device(peer) || device == peer) {
    return Status::kInvalidDevice;
  }
  const std::uint64_t before = masks[device].fetch_or(bit(peer));
  return (before & bit(peer)) == 0 ? Status::kSuccess
                                   : Status::kPeerAlreadyEnabled;
}

Status disable_peer(int device, int peer) {
  if (!is_device(device) || !is_device(peer)) return Status::kInvalidDevice;
  const std::uint64_t before = masks[device].fetch_and(~bit(peer));
  return (before & bit(peer)) != 0 ? Status::kSuccess : Status::kPeerNotEnabled;
}

bool can_reach(int device, int owner) {
  if (device == owner) return true;
  return is_device(device) && is_device(owner) &&
         (masks[device].load(std::memory_order_relaxed) & bit(owner)) != 0;
}

void reset_peers(int device) {
  if (is_device(device)) masks[device] = 0;
}

}  // namespace eclosion::emulator
