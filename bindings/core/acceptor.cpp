// Accepting, and pauses.
#include "acceptor.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <exception>
#include <system_error>
#include <utility>

namespace eclosion {
namespace {

constexpr auto kPause = std::chrono::milliseconds(100);

}  // namespace

Acceptor::Acceptor(Loop& loop, int fd, Accepted accepted)
    : loop_(loop), socket_(fd), accepted_(std::move(accepted)) {
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

void Acceptor::start() { loop_.add(socket_.get(), shared_from_this()); }

void Acceptor::on_ready(std::uint32_t /*events*/) {
  while (true) {
    const int fd = ::accept4(socket_.get(), nullptr, nullptr,
                             SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (fd < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (fd < 0) {
      const auto self = loop_.remove(socket_.get());
      return start_later();
    }
    try {
      accepted_(fd);
    } catch (const std::exception&) {
      // It cannot be watched, or there is no memory for it: it is closed, and
      // its peer sees that.
    }
  }
}

void Acceptor::start_later() {
  loop_.after(kPause, [self = shared_from_this()] {
    try {
      self->start();
    } catch (const std::system_error&) {
      self->start_later();
    }
  });
}

}  // namespace eclosion
