// The receiver's side of shared memory.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "frame.h"
#include "segments.h"

namespace eclosion {

// The process that wrote a buffer has died before its end.
class SenderDied : public std::runtime_error {
 public:
  SenderDied()
      : std::runtime_error("the sender died while it wrote a buffer") {}
};

// Copies buffers out of the segments of other processes. A segment stays mapped
// after it was read: its sender uses it again, and then no page of it is a
// fault any more. Copying from a mapping takes half the time of pread.
class SegmentReader {
 public:
  // Copies a shared buffer of a message, behind its writer if that is not done.
  // Throws SenderDied, std::bad_alloc, or std::system_error.
  void read(const Frame& message, const BufferRow& row, char* to);
  // Drops the segments of a dead process.
  void forget(NodeId owner);

 private:
  class Mapping;
  struct Known {
    NodeId owner;
    ino_t file;
    std::shared_ptr<Mapping> mapping;
  };

  std::shared_ptr<Mapping> mapping_of(const Frame& message);

  std::mutex mutex_;
  std::list<Known> known_;  // the one that was read last is first
};

// The bytes that a segment can hold.
std::uint64_t size_of_segment(const Descriptor& segment);

}  // namespace eclosion
