// One socket and one channel, until the channel is open.
#include "greeting.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <system_error>
#include <utility>

namespace eclosion {
namespace {

// Larger than all that a peer sends before the channel is open.
constexpr std::size_t kPiece = 16 << 10;

std::string text_of(int error) {
  return std::generic_category().message(error);
}

// Both are no more than advice on a unix socket, which refuses them.
void set_options(int fd) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
}

std::string seconds_of(Clock::duration duration) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g",
                std::chrono::duration<double>(duration).count());
  return text;
}

}  // namespace

std::string peer_address(int fd) {
  sockaddr_storage storage{};
  socklen_t size = sizeof(storage);
  auto* address = reinterpret_cast<sockaddr*>(&storage);
  if (::getpeername(fd, address, &size) != 0) return "";
  char text[INET6_ADDRSTRLEN] = "";
  if (storage.ss_family == AF_INET) {
    const auto* four = reinterpret_cast<const sockaddr_in*>(&storage);
    ::inet_ntop(AF_INET, &four->sin_addr, text, sizeof(text));
    return std::string(text) + ":" + std::to_string(ntohs(four->sin_port));
  }
  if (storage.ss_family == AF_INET6) {
    const auto* six = reinterpret_cast<const sockaddr_in6*>(&storage);
    ::inet_ntop(AF_INET6, &six->sin6_addr, text, sizeof(text));
    std::string bracketed(1, '[');
    bracketed.append(text).append("]:");
    return bracketed + std::to_string(ntohs(six->sin6_port));
  }
  return "a process of this machine";
}

Greeting::Greeting(Loop& loop, int fd, Role role, NodeId self,
                   const Credentials& credentials, Done done)
    : loop_(loop),
      socket_(fd),
      role_(role),
      channel_(std::make_unique<SecureChannel>(role, self, credentials.secret,
                                               credentials.identity)),
      done_(std::move(done)),
      connecting_(role == Role::kDialer) {
  if (role == Role::kAcceptor) address_ = peer_address(fd);
}

int Greeting::socket() const {
  return ::fcntl(socket_.get(), F_DUPFD_CLOEXEC, 0);
}

void Greeting::start(Clock::duration at_most) {
  set_options(socket_.get());
  loop_.add(socket_.get(), shared_from_this(), connecting_);
  loop_.after(at_most, [weak = weak_from_this(), at_most] {
    if (auto self = weak.lock())
      self->end("the peer did not prove itself within " + seconds_of(at_most) +
                " s");
  });
  if (!connecting_) send(channel_->start());
}

void Greeting::end(const std::string& why) {
  if (std::exchange(ended_, true)) return;
  why_ = why;
  loop_.remove(socket_.get());
  ::shutdown(socket_.get(), SHUT_RDWR);
  done_(*this);
}

void Greeting::on_ready(std::uint32_t events) {
  auto self = shared_from_this();
  try {
    if (connecting_ && !finish_connecting(events)) return;
    if ((events & EPOLLOUT) != 0) flush();
    if ((events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) read_all();
  } catch (const std::exception& error) {
    end(error.what());
  }
}

bool Greeting::finish_connecting(std::uint32_t events) {
  if ((events & (EPOLLOUT | EPOLLERR | EPOLLHUP)) == 0) return false;
  int error = 0;
  socklen_t size = sizeof(error);
  ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) {
    end("cannot connect: " + text_of(error));
    return false;
  }
  connecting_ = false;
  address_ = peer_address(socket_.get());
  loop_.want_write(socket_.get(), false);
  send(channel_->start());
  return !ended_;
}

void Greeting::read_all() {
  std::array<std::byte, kPiece> piece;
  while (!ended_) {
    const ssize_t got =
        ::recv(socket_.get(), piece.data(), piece.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (got < 0) return end("the connection broke: " + text_of(errno));
    if (got == 0) {
      channel_->close();
      return end(channel_->reason());
    }
    take({piece.data(), static_cast<std::size_t>(got)});
  }
}

void Greeting::take(ByteSpan received) {
  ChannelStep step = channel_->feed(received);
  if (step.state == ChannelState::kRefused) {
    // The peer is told why, if it still listens.
    ::send(socket_.get(), step.output.data(), step.output.size(),
           MSG_DONTWAIT | MSG_NOSIGNAL);
    refused_ = true;
    return end(channel_->reason());
  }
  send(step.output);
  if (ended_) return;
  switch (step.state) {
    case ChannelState::kNeedMore:
    case ChannelState::kRefused:
      return;
    case ChannelState::kOpen:
    case ChannelState::kClosed:  // and it was open: there are last words
      rest_ = std::move(step.plain);
      return opened();
  }
}

void Greeting::opened() {
  ended_ = true;
  loop_.remove(socket_.get());
  done_(*this);
}

void Greeting::send(const std::vector<std::byte>& output) {
  to_send_.insert(to_send_.end(), output.begin(), output.end());
  flush();
}

void Greeting::flush() {
  while (!to_send_.empty() && !ended_) {
    const ssize_t sent = ::send(socket_.get(), to_send_.data(), to_send_.size(),
                                MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      return loop_.want_write(socket_.get(), true);
    if (sent < 0) return end("the connection broke: " + text_of(errno));
    to_send_.erase(to_send_.begin(), to_send_.begin() + sent);
    if (to_send_.empty()) loop_.want_write(socket_.get(), false);
  }
}

}  // namespace eclosion
