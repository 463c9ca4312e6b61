// An eventfd and its tokens.
#include "notifier.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace eclosion {

Notifier::Notifier() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (event_.get() < 0)
    throw std::system_error(errno, std::generic_category(), "eventfd");
}

void Notifier::tell(std::uint64_t token) {
  std::lock_guard lock(mutex_);
  tokens_.push_back(token);
  if (tokens_.size() > 1) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] auto written = ::write(event_.get(), &one, sizeof(one));
}

std::vector<std::uint64_t> Notifier::drain() {
  std::lock_guard lock(mutex_);
  std::uint64_t count;
  [[maybe_unused]] auto got = ::read(event_.get(), &count, sizeof(count));
  std::vector<std::uint64_t> tokens;
  tokens.swap(tokens_);
  return tokens;
}

}  // namespace eclosion
