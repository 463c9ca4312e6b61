// How an event loop of another language learns what has changed: a descriptor
// that becomes readable, and the tokens of what did.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "descriptor.h"

namespace eclosion {

// Shared by who listens and who tells, in C++ alone: the last of them may be a
// thread that must not wait for an interpreter's lock.
class Notifier : public std::enable_shared_from_this<Notifier> {
 public:
  Notifier();
  [[nodiscard]] int fileno() const { return event_.get(); }
  void tell(std::uint64_t token);
  // The tokens since the last time; the descriptor is no longer readable.
  std::vector<std::uint64_t> drain();

 private:
  Descriptor event_;
  std::mutex mutex_;
  std::vector<std::uint64_t> tokens_;
};

}  // namespace eclosion
