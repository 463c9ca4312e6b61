// Shared memory for large buffers between processes of one host.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "frame.h"
#include "gate.h"

namespace eclosion {

// The first page of a segment, which the buffers come after.
struct alignas(4096) SegmentPage {
  static constexpr std::uint64_t kAllReady = ~0ULL;
  std::atomic<std::uint64_t> lease;    // the message that it is leased for
  std::atomic<std::uint64_t> ready;    // how many bytes can be read
  std::atomic<std::uint32_t> changes;  // counts those; readers wait on it
  std::atomic<std::uint32_t> waiting;
  std::atomic<std::int32_t> writer;  // the process that writes, for itself
};
static_assert(sizeof(SegmentPage) == 4096);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

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

  struct Lease {
    std::uint64_t id = 0;
    std::shared_ptr<Descriptor> descriptor;
    char* memory = nullptr;
    // All is ready, unless the writer says with begin() that it is not.
    SegmentPage* page = nullptr;

    // Until finish() the segment has the lock of this process, which the system
    // releases when it dies: so readers know.
    void begin() const;
    // From the start to here everything is written.
    void written(std::uint64_t end) const;
    void finish() const;
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

}  // namespace eclosion
