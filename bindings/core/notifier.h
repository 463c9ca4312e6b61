// How an event loop of another language learns what has changed: a descriptor
// that becomes readable, and the tokens of what did.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "descriptor.h"

namespace eclosion {

class Notifier {
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
