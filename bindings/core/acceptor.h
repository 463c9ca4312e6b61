// A listening socket on the loop.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "descriptor.h"
#include "loop.h"

namespace eclosion {

// Accepts all that connect. What the process has no room for waits in line: the
// acceptor pauses, and does not spin.
class Acceptor : public Watched, public std::enable_shared_from_this<Acceptor> {
 public:
  // Who is given each socket that connects, and owns it. What it throws closes
  // nothing else.
  using Accepted = std::function<void(int fd)>;

  // Takes a listening socket.
  Acceptor(Loop& loop, int fd, Accepted accepted);
  // Throws std::system_error.
  void start();

  void on_ready(std::uint32_t events) override;

 private:
  void start_later();

  Loop& loop_;
  Descriptor socket_;
  const Accepted accepted_;
};

}  // namespace eclosion
