// Reading and keeping of output.
#include "pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace eclosion {
namespace {

constexpr int kReadsOfWhole = 32;

}  // namespace

OutputPipe::OutputPipe(Loop& loop, int fd, std::size_t capacity,
                       std::shared_ptr<Notifier> notifier, std::uint64_t token)
    : loop_(loop),
      pipe_(fd),
      capacity_(capacity),
      notifier_(std::move(notifier)),
      token_(token) {
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

bool OutputPipe::read_some() {
  std::array<char, 64 << 10> buffer;
  const ssize_t got = ::read(pipe_.get(), buffer.data(), buffer.size());
  if (got < 0 && errno == EINTR) return true;
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
  if (got <= 0) {
    ended_ = true;
    return false;
  }
  bytes_.append(buffer.data(), static_cast<std::size_t>(got));
  if (bytes_.size() > capacity_) {
    const std::size_t over = bytes_.size() - capacity_;
    bytes_.erase(0, over);
    dropped_ += over;
  }
  return true;
}

void OutputPipe::on_ready(std::uint32_t /*events*/) {
  std::lock_guard lock(mutex_);
  if (!ended_) read_some();
  if (ended_) loop_.remove(pipe_.get());
  if (!std::exchange(told_, true)) notifier_->tell(token_);
}

void OutputPipe::drain() {
  std::lock_guard lock(mutex_);
  // Another process may go on writing: what a pipe holds is read, no more.
  for (int reads = 0; reads < kReadsOfWhole && !ended_; ++reads)
    if (!read_some()) return;
}

OutputPipe::Taken OutputPipe::take() {
  std::lock_guard lock(mutex_);
  told_ = false;
  return {std::exchange(bytes_, {}), std::exchange(dropped_, 0), ended_};
}

}  // namespace eclosion
