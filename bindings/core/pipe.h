// The output of another process, read as it comes, kept until somebody wants
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "loop.h"
#include "notifier.h"

namespace eclosion {

// The writer never waits for whoever looks at its output: what is over the
// capacity is dropped, oldest first, and counted.
class OutputPipe : public Watched {
 public:
  OutputPipe(Loop& loop, int fd, std::size_t capacity,
             std::shared_ptr<Notifier> notifier, std::uint64_t token);

  struct Taken {
    std::string bytes;
    std::uint64_t dropped = 0;
    bool ended = false;
  };
  // What has come since the last time.
  Taken take();
  // Reads what is in the pipe now: all that a dead process wrote is.
  void drain();

  void on_ready(std::uint32_t events) override;

 private:
  bool read_some();

  Loop& loop_;
  Descriptor pipe_;
  const std::size_t capacity_;
  std::shared_ptr<Notifier> notifier_;
  const std::uint64_t token_;
  std::mutex mutex_;
  std::string bytes_;
  std::uint64_t dropped_ = 0;
  bool ended_ = false;
  bool told_ = false;
};

}  // namespace eclosion
