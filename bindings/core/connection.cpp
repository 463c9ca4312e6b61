// Reading and writing of one socket, as far as it goes without waiting.
#include "connection.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace eclosion {
namespace {

// How much one connection may read before others have their turn.
constexpr int kReadsPerTurn = 64;
constexpr std::size_t kMaxDescriptorsPerRead = 16;

using Control =
    std::array<char, CMSG_SPACE(kMaxDescriptorsPerRead * sizeof(int))>;

std::string text_of(int error) {
  return std::generic_category().message(error);
}

void attach(msghdr& message, Control& control, int fd) {
  message.msg_control = control.data();
  message.msg_controllen = CMSG_SPACE(sizeof(int));
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(header), &fd, sizeof(int));
}

void take_descriptors(msghdr& message, FrameReader& reader) {
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
      continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd;
      std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
      reader.add_descriptor(fd);
    }
  }
  if ((message.msg_flags & MSG_CTRUNC) != 0)
    throw FrameError(
        "descriptors were lost; is the limit of open files reached?");
}

}  // namespace

Connection::Connection(Loop& loop, ConnectionOwner& owner, int fd,
                       bool unix_socket, std::uint64_t max_body)
    : loop_(loop),
      owner_(owner),
      socket_(fd),
      unix_socket_(unix_socket),
      reader_(
          max_body,
          [this](Frame frame) { owner_.on_frame(*this, std::move(frame)); }),
      last_received_(Clock::now().time_since_epoch().count()) {}

void Connection::start() { loop_.add(socket_.get(), shared_from_this()); }

void Connection::send(const Frame& frame) {
  std::lock_guard lock(mutex_);
  if (closed_ || finishing_) return;
  queue_.push_back({frame, 0});
  if (queue_.size() == 1 && !write_queued()) {
    // The loop sees the same end, and tells of it.
    queue_.clear();
  }
}

std::size_t Connection::queued() {
  std::lock_guard lock(mutex_);
  return queue_.size();
}

void Connection::finish() {
  std::lock_guard lock(mutex_);
  finishing_ = true;
  if (queue_.empty() && !closed_) ::shutdown(socket_.get(), SHUT_WR);
}

void Connection::close(const std::string& why) {
  auto self = shared_from_this();
  loop_.post([self, why] { self->closed_on_loop(why); });
}

void Connection::closed_on_loop(const std::string& why) {
  if (std::exchange(told_, true)) return;
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
    queue_.clear();
    ::shutdown(socket_.get(), SHUT_RDWR);
  }
  auto self = shared_from_this();
  loop_.remove(socket_.get());
  owner_.on_closed(*this, why);
}

void Connection::on_ready(std::uint32_t events) {
  try {
    if ((events & EPOLLOUT) != 0) {
      std::lock_guard lock(mutex_);
      write_queued();
    }
    if ((events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) read_all();
  } catch (const FrameError& error) {
    closed_on_loop(error.what());
  } catch (const std::bad_alloc&) {
    closed_on_loop("there is no memory for a frame");
  }
}

void Connection::read_all() {
  for (int turn = 0; turn < kReadsPerTurn && !told_; ++turn) {
    std::span<char> space = reader_.space();
    iovec part{space.data(), space.size()};
    alignas(cmsghdr) Control control;
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = unix_socket_ ? control.size() : 0;
    const ssize_t got =
        ::recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (got < 0)
      return closed_on_loop("the connection broke: " + text_of(errno));
    if (got == 0) return closed_on_loop("the peer closed the connection");
    last_received_.store(Clock::now().time_since_epoch().count());
    heard_.store(true);
    take_descriptors(message, reader_);
    reader_.filled(static_cast<std::size_t>(got));
    if (static_cast<std::size_t>(got) < space.size()) return;
  }
}

bool Connection::write_queued() {
  while (!queue_.empty()) {
    bool full = false;
    if (!write_one(queue_.front(), full)) return false;
    if (full) {
      if (!std::exchange(waits_for_room_, true))
        loop_.want_write(socket_.get(), true);
      return true;
    }
    queue_.pop_front();
  }
  if (std::exchange(waits_for_room_, false))
    loop_.want_write(socket_.get(), false);
  if (finishing_) ::shutdown(socket_.get(), SHUT_WR);
  return true;
}

bool Connection::write_one(Outgoing& out, bool& full) {
  const FrameHeader& header = out.frame.header;
  const std::size_t body = out.frame.body ? out.frame.body->size() : 0;
  while (out.written < sizeof(FrameHeader) + body) {
    std::array<iovec, 2> parts;
    std::size_t count = 0;
    std::size_t skip = out.written;
    if (skip < sizeof(FrameHeader)) {
      const char* start = reinterpret_cast<const char*>(&header) + skip;
      parts[count++] = {const_cast<char*>(start), sizeof(FrameHeader) - skip};
      skip = 0;
    } else {
      skip -= sizeof(FrameHeader);
    }
    if (body > skip)
      parts[count++] = {const_cast<char*>(out.frame.body->data()) + skip,
                        body - skip};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = count;
    alignas(cmsghdr) Control control{};
    if (out.written == 0 && out.frame.segment)
      attach(message, control, out.frame.segment->get());
    const ssize_t sent =
        ::sendmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      full = true;
      return true;
    }
    if (sent < 0) return false;
    out.written += static_cast<std::size_t>(sent);
  }
  return true;
}

}  // namespace eclosion
