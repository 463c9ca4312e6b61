// Reading and writing of one socket, as far as it goes without waiting.
#include "connection.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
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
// How much the socket of a dead process may still hold, and is read of it.
constexpr int kReadsOfRest = 4096;
// How much is sealed or opened at a time.
constexpr std::size_t kPiece = 64 << 10;
constexpr Clock::duration kPassingPause = std::chrono::milliseconds(5);
constexpr Clock::duration kEndIsRead = std::chrono::seconds(1);

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

// The system is short of something that others will give back. ETOOMANYREFS:
// descriptors that are under way in unix sockets.
bool is_passing(int error) {
  return error == ENOBUFS || error == ENOMEM || error == ETOOMANYREFS;
}

// Writes on from `written` until the end of the frame: 0, or the error.
int write_frame(int socket, const Frame& frame, std::size_t& written) {
  const std::size_t body = frame.body ? frame.body->size() : 0;
  while (written < sizeof(FrameHeader) + body) {
    std::array<iovec, 2> parts;
    std::size_t count = 0;
    std::size_t skip = written;
    if (skip < sizeof(FrameHeader)) {
      const char* start = reinterpret_cast<const char*>(&frame.header) + skip;
      parts[count++] = {const_cast<char*>(start), sizeof(FrameHeader) - skip};
      skip = 0;
    } else {
      skip -= sizeof(FrameHeader);
    }
    if (body > skip)
      parts[count++] = {const_cast<char*>(frame.body->data()) + skip,
                        body - skip};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = count;
    alignas(cmsghdr) Control control{};
    if (written == 0 && frame.segment)
      attach(message, control, frame.segment->get());
    const ssize_t sent =
        ::sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return errno;
    written += static_cast<std::size_t>(sent);
  }
  return 0;
}

std::vector<int> descriptors_of(msghdr& message) {
  std::vector<int> descriptors;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
      continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd;
      std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof(int));
      descriptors.push_back(fd);
    }
  }
  return descriptors;
}

void take_descriptors(msghdr& message, FrameReader& reader) {
  // All of them have an owner before one of them is refused.
  std::vector<std::shared_ptr<Descriptor>> owned;
  for (const int fd : descriptors_of(message))
    owned.push_back(std::make_shared<Descriptor>(fd));
  for (auto& descriptor : owned) reader.add_descriptor(std::move(descriptor));
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

void Connection::secure(std::unique_ptr<SecureChannel> channel,
                        const std::vector<std::byte>& unsent) {
  if (channel->seals()) channel_ = std::move(channel);
  pending_ = unsent;
  heard_.store(true);
}

void Connection::begin_with(ByteSpan plain) {
  guarded([this, plain] { parse(plain); });
}

void Connection::start() {
  // A sender that met a full socket before this waits for room.
  std::lock_guard lock(mutex_);
  waits_for_room_ |= !pending_.empty();
  loop_.add(socket_.get(), shared_from_this(), waits_for_room_);
  started_ = true;
}

void Connection::send(const Frame& frame) {
  std::lock_guard lock(mutex_);
  if (closed_ || finishing_) return;
  queue_.push_back({frame, 0});
  if (queue_.size() == 1) write_queued();
}

std::size_t Connection::queued() {
  std::lock_guard lock(mutex_);
  return queue_.size();
}

void Connection::finish() {
  std::lock_guard lock(mutex_);
  finishing_ = true;
  if (queue_.empty() && pending_.empty() && !closed_) end_writing();
}

void Connection::end_writing() {
  if (channel_) {
    const std::vector<std::byte> last = channel_->finish();
    ::send(socket_.get(), last.data(), last.size(),
           MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  ::shutdown(socket_.get(), SHUT_WR);
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

bool Connection::peer_exists() const {
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (::getsockopt(socket_.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
    return true;
  // 0: of another namespace, where this process sees none.
  return peer.pid == 0 || ::kill(peer.pid, 0) == 0 || errno != ESRCH;
}

void Connection::on_ready(std::uint32_t events) {
  if ((events & EPOLLOUT) != 0) {
    std::lock_guard lock(mutex_);
    write_queued();
  }
  if ((events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0)
    read(kReadsPerTurn, false);
}

void Connection::read_rest() { read(kReadsOfRest, true); }

void Connection::read(int reads, bool past_pauses) {
  if (std::exchange(reading_, true)) return;
  guarded([this, &reads, past_pauses] {
    for (; reads > 0 && !told_; --reads) {
      const Read result = channel_ ? read_sealed() : read_once();
      if (result == Read::kEmpty) break;
      if (result == Read::kPause && !past_pauses) break;
    }
  });
  reading_ = false;
}

// Whatever is wrong with what a peer sends closes its connection.
template <typename Reading>
void Connection::guarded(Reading reading) {
  try {
    reading();
  } catch (const std::bad_alloc&) {
    closed_on_loop("there is no memory for a frame");
  } catch (const std::exception& error) {
    closed_on_loop(error.what());
  }
}

Connection::Read Connection::read_sealed() {
  std::vector<std::byte> piece(kPiece);
  const ssize_t got =
      ::recv(socket_.get(), piece.data(), piece.size(), MSG_DONTWAIT);
  if (got < 0 && errno == EINTR) return Read::kMore;
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Read::kEmpty;
  if (got <= 0) {
    closed_on_loop(got == 0 ? "the peer closed the connection"
                            : "the connection broke: " + text_of(errno));
    return Read::kEmpty;
  }
  last_received_.store(Clock::now().time_since_epoch().count());
  ChannelStep step;
  {
    std::lock_guard lock(mutex_);  // senders seal
    step = channel_->feed({piece.data(), static_cast<std::size_t>(got)});
    pending_.insert(pending_.end(), step.output.begin(), step.output.end());
    if (!step.output.empty()) write_queued();
  }
  parse(step.plain);
  if (step.state == ChannelState::kClosed)
    closed_on_loop("the peer closed the connection");
  if (step.state == ChannelState::kRefused) closed_on_loop(channel_->reason());
  return Read::kMore;
}

void Connection::parse(ByteSpan plain) {
  while (!plain.empty() && !told_) {
    std::span<char> space = reader_.space();
    const std::size_t size = std::min(space.size(), plain.size());
    std::memcpy(space.data(), plain.data(), size);
    reader_.filled(size);
    plain = plain.subspan(size);
  }
}

Connection::Read Connection::read_once() {
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
  if (got < 0 && errno == EINTR) return Read::kMore;
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Read::kEmpty;
  if (got <= 0) {
    closed_on_loop(got == 0 ? "the peer closed the connection"
                            : "the connection broke: " + text_of(errno));
    return Read::kEmpty;
  }
  last_received_.store(Clock::now().time_since_epoch().count());
  heard_.store(true);
  take_descriptors(message, reader_);
  reader_.filled(static_cast<std::size_t>(got));
  // A read of less than was asked for is the end, or the place of a descriptor.
  return static_cast<std::size_t>(got) < space.size() ? Read::kPause
                                                      : Read::kMore;
}

void Connection::write_queued() {
  while (!queue_.empty() || !pending_.empty()) {
    const int error = write_first();
    if (error == EAGAIN) return want_room(true);
    if (is_passing(error)) return write_later();
    if (error != 0) return broken(error);
  }
  want_room(false);
  if (finishing_) end_writing();
}

// Writes pending bytes, or all or a piece of the first frame; 0 or the error.
int Connection::write_first() {
  if (!pending_.empty()) return write_pending();
  Outgoing& out = queue_.front();
  if (!channel_) {
    const int error = write_frame(socket_.get(), out.frame, out.written);
    if (error == 0) queue_.pop_front();
    return error;
  }
  if (channel_->state() != ChannelState::kOpen) return EPIPE;
  const std::size_t body = out.frame.body ? out.frame.body->size() : 0;
  ByteSpan part = std::as_bytes(std::span(&out.frame.header, 1));
  if (out.written >= part.size()) {
    part = std::as_bytes(std::span(out.frame.body->data(), body))
               .subspan(out.written - part.size());
  } else {
    part = part.subspan(out.written);
  }
  part = part.first(std::min(part.size(), kPiece));
  pending_ = channel_->seal(part);
  out.written += part.size();
  if (out.written == sizeof(FrameHeader) + body) queue_.pop_front();
  return 0;
}

int Connection::write_pending() {
  const ssize_t sent = ::send(socket_.get(), pending_.data(), pending_.size(),
                              MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0 && errno == EINTR) return 0;
  if (sent < 0) return errno;
  pending_.erase(pending_.begin(), pending_.begin() + sent);
  return 0;
}

void Connection::want_room(bool wanted) {
  if (std::exchange(waits_for_room_, wanted) != wanted && started_)
    loop_.want_write(socket_.get(), wanted);
}

void Connection::write_later() {
  want_room(false);
  loop_.after(kPassingPause, [weak = weak_from_this()] {
    auto self = weak.lock();
    if (!self) return;
    std::lock_guard lock(self->mutex_);
    if (!self->closed_) self->write_queued();
  });
}

void Connection::broken(int error) {
  queue_.clear();
  pending_.clear();
  want_room(false);
  // What the peer sent before its end is still to be read, up to that end.
  const bool ended = error == EPIPE || error == ECONNRESET;
  loop_.after(
      ended ? kEndIsRead : Clock::duration::zero(),
      [weak = weak_from_this(), error] {
        if (auto self = weak.lock())
          self->closed_on_loop("the connection broke: " + text_of(error));
      });
}

}  // namespace eclosion
