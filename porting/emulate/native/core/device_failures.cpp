// The first failure of each device, which every thread asks for before it does
// anything: no lock.
#include <array>
#include <atomic>
#include <cstddef>

#include "device_failures.h"
#include "stream.h"

namespace eclosion::emulator {

namespace {

std::array<std::atomic<Status>, kMostDevices> failures{};

bool is_device(int device) noexcept {
  return device >= 0 && device < kMostDevices;
}

}  // namespace

Status device_failure(int device) noexcept {
  if (!is_device(device)) return Status::kInvalidDevice;
  return failures[static_cast<std::size_t>(device)].load(
      std::memory_order_acquire);
}

void fail_device(int device, Status failure) noexcept {
  if (!is_device(device)) return;
  Status none = Status::kSuccess;
  failures[static_cast<std::size_t>(device)].compare_exchange_strong(none,
                                                                     failure);
}

void forget_failure(int device) noexcept {
  if (!is_device(device)) return;
  failures[static_cast<std::size_t>(device)].store(Status::kSuccess);
}

}  // namespace eclosion::emulator
