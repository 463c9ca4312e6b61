// Bytes of a stream, in whatever pieces they come, to frames.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "frame.h"

namespace eclosion {

// Where the next bytes go is asked before they are read, so that a large body
// is read into its own memory. A body is as large as its header says, but its
// pages come into being only as bytes arrive.
class FrameReader {
 public:
  using Receive = std::function<void(Frame)>;

  FrameReader(std::uint64_t max_body, Receive receive);

  // Memory for the next bytes, never empty.
  std::span<char> space();
  // `size` bytes of space() were filled; calls `receive` for every frame that
  // is whole now. Throws FrameError, after which the stream is useless.
  void filled(std::size_t size);
  // A descriptor that came with the bytes.
  void add_descriptor(std::shared_ptr<Descriptor> descriptor);

 private:
  void parse();
  void deliver();

  const std::uint64_t max_body_;
  Receive receive_;
  std::vector<char> buffer_;
  std::size_t start_ = 0;
  std::size_t end_ = 0;
  FrameHeader header_;
  std::shared_ptr<Bytes> body_;  // there is one while a body is read
  std::size_t body_filled_ = 0;
  std::deque<std::shared_ptr<Descriptor>> descriptors_;
};

}  // namespace eclosion
