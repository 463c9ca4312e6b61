// Shared memory for large buffers between processes of one host.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "frame.h"
#include "gate.h"

namespace eclosion {

// The sender writes buffers into a segment once, however many processes get
// them, and passes its descriptor; a receiver copies them out and releases it,
// and then it is used again, with its pages in place. Segments are memfds: they
// have no name that could be left behind.
//
// A large buffer is written after its message was sent, and read behind the
// writer: the time of both is hardly more than that of one. The first page of a
// segment says how far the writer is.
class Segments {
 public:
  explicit Segments(std::uint64_t limit) : limit_(limit) {}

  struct Progress;
  struct Lease {
    std::uint64_t id = 0;
    std::shared_ptr<Descriptor> descriptor;
    char* memory = nullptr;
    // All is ready, unless the writer says with begin() that it is not.
    Progress* progress = nullptr;

    void begin() const;
    // From the start to here everything is written.
    void written(std::uint64_t end) const;
  };

  // A segment of at least that size, or none while the limit is reached. One
  // larger than the limit is given when no other is out. Throws
  // std::system_error when the system has none.
  Lease try_lease(std::uint64_t size);
  // Who has to release it, once for each time it is named. Without a reader the
  // segment is free.
  void add_readers(std::uint64_t id,
                   const std::map<NodeId, std::uint32_t>& readers);
  void release(std::uint64_t id, NodeId reader);
  // A dead node releases nothing any more.
  void forget(NodeId node);
  // Changes when a segment is free again.
  [[nodiscard]] Gate& gate() { return gate_; }
  [[nodiscard]] std::uint64_t bytes();
  class Behind;

 private:
  class Mapping;
  struct Segment {
    std::shared_ptr<Descriptor> descriptor;
    std::shared_ptr<Mapping> mapping;
    std::uint64_t size = 0;
    std::map<NodeId, std::uint32_t> readers;
  };

  void free_segment(std::uint64_t id);
  void trim(std::uint64_t room);

  const std::uint64_t limit_;
  Gate gate_;
  std::mutex mutex_;
  std::uint64_t next_id_ = 1;
  std::uint64_t total_ = 0;  // bytes, leased and free
  std::unordered_map<std::uint64_t, Segment> leased_;
  std::multimap<std::uint64_t, Segment> free_;  // by size
};

// Reads a part of a segment into memory, behind its writer if that is not done;
// `lives` tells whether it can still be waited for. Throws std::system_error.
void read_segment(const Descriptor& segment, std::uint64_t offset, char* to,
                  std::uint64_t size,
                  const std::function<bool()>& lives = nullptr);
// The bytes that a segment can hold.
std::uint64_t size_of_segment(const Descriptor& segment);

// Has fresh memory come in huge pages where the system has them: each small
// page of a large buffer would be a fault of its own.
void prefer_huge_pages(char* memory, std::uint64_t size);

// Memory for a buffer; large ones on huge pages where the system has them.
class LargeBuffer {
 public:
  explicit LargeBuffer(std::uint64_t size);
  LargeBuffer(const LargeBuffer&) = delete;
  LargeBuffer& operator=(const LargeBuffer&) = delete;
  ~LargeBuffer();
  [[nodiscard]] char* data() const { return memory_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

 private:
  char* memory_ = nullptr;
  std::uint64_t size_;
};

}  // namespace eclosion
