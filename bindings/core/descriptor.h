// An open file descriptor that is closed with its last owner, and in forks.
#pragma once

namespace eclosion {

// A fork of the process that does not exec, such as a loader of training data,
// would keep our sockets open, and peers would not see the end of a process
// that is dead. So the descriptors of this type are closed in every forked
// child.
class Descriptor {
 public:
  explicit Descriptor(int fd);
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace eclosion
