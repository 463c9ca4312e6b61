// An open file descriptor that is closed with its last owner, and in forks.
#pragma once

#include <atomic>
#include <cstdint>

namespace eclosion {

// How many forks ago the program began. What was made at another count belongs
// to a parent process: its descriptors are closed here, its threads are gone,
// and its locks may never open again.
inline std::atomic<std::uint32_t> forks{0};

// A fork of the process that does not exec, such as a loader of training data,
// would keep our sockets open, and peers would not see the end of a process
// that is dead. So the descriptors of this type are closed in every forked
// child; there get() says -1, because the number may be another's by then.
class Descriptor {
 public:
  explicit Descriptor(int fd);
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();
  [[nodiscard]] int get() const { return born_ == forks.load() ? fd_ : -1; }

 private:
  const int fd_;
  const std::uint32_t born_ = forks.load();
};

}  // namespace eclosion
