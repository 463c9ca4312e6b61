// The table of our descriptors, and the fork that closes them.
#include "descriptor.h"

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>

namespace eclosion {
namespace {

// Descriptors beyond the table are closed with their owner alone.
constexpr int kTableSize = 1 << 16;
std::array<std::atomic<bool>, kTableSize> ours;

void mark(int fd, bool value) {
  if (fd >= 0 && fd < kTableSize) ours[static_cast<std::size_t>(fd)] = value;
}

void close_all_in_child() {
  forks.fetch_add(1);
  for (int fd = 0; fd < kTableSize; ++fd) {
    if (ours[static_cast<std::size_t>(fd)].exchange(false)) ::close(fd);
  }
}

[[maybe_unused]] const int registered =
    pthread_atfork(nullptr, nullptr, close_all_in_child);

}  // namespace

Descriptor::Descriptor(int fd) : fd_(fd) { mark(fd, true); }

Descriptor::~Descriptor() {
  if (fd_ < 0) return;
  if (fd_ < kTableSize && born_ != forks.load()) return;
  mark(fd_, false);
  ::close(fd_);
}

}  // namespace eclosion
