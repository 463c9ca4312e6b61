// Leases of memfds.
#include "segments.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <climits>
#include <new>
#include <system_error>
#include <utility>

namespace eclosion {
namespace {

constexpr std::uint64_t kSmallestSegment = 1 << 20;
// Of each size so many are kept for the next messages: a peak of what is under
// way is not held for good, nor are its descriptors.
constexpr std::size_t kMostFree = 64;

[[noreturn]] void fail(const char* call) {
  if (errno == ENOMEM) throw std::bad_alloc();
  throw std::system_error(errno, std::generic_category(), call);
}

void lock_writing(const Descriptor& segment, short kind) {
  struct flock lock{};
  lock.l_type = kind;
  lock.l_whence = SEEK_SET;
  lock.l_len = 1;
  if (::fcntl(segment.get(), F_SETLK, &lock) != 0) fail("fcntl(F_SETLK)");
}

// Few sizes, so that a free segment fits the next message.
std::uint64_t rounded(std::uint64_t size) {
  size = std::max(size, kSmallestSegment);
  const std::uint64_t step = std::bit_floor(size) / 4;
  return (size + step - 1) / step * step;
}

}  // namespace

void Segments::Lease::begin() const {
  lock_writing(*descriptor, F_WRLCK);
  page->writer.store(::getpid());
  page->ready.store(0);
}

void Segments::Lease::finish() const {
  written(SegmentPage::kAllReady);
  lock_writing(*descriptor, F_UNLCK);
}

void Segments::Lease::written(std::uint64_t end) const {
  page->ready.store(end);
  page->changes.fetch_add(1);
  if (page->waiting.load() != 0)
    ::syscall(SYS_futex, &page->changes, FUTEX_WAKE, INT_MAX, nullptr, nullptr,
              0);
}

class Segments::Mapping {
 public:
  Mapping(std::shared_ptr<Descriptor> segment, std::uint64_t size)
      : segment_(std::move(segment)),
        memory_(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED,
                       segment_->get(), 0)),
        size_(size) {
    if (memory_ == MAP_FAILED) fail("mmap");
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  // Readers keep their mappings, but no memory.
  ~Mapping() {
    ::fallocate(segment_->get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
                static_cast<off_t>(size_));
    ::munmap(memory_, size_);
  }
  [[nodiscard]] char* data() const { return static_cast<char*>(memory_); }

 private:
  const std::shared_ptr<Descriptor> segment_;
  void* memory_;
  std::uint64_t size_;
};

namespace {

// Nobody can take memory away from under a reader.
std::shared_ptr<Descriptor> new_segment(std::uint64_t size) {
  auto segment = std::make_shared<Descriptor>(
      ::memfd_create("eclosion-message", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (segment->get() < 0) fail("memfd_create");
  if (::ftruncate(segment->get(), static_cast<off_t>(size)) != 0)
    fail("ftruncate");
  if (::fcntl(segment->get(), F_ADD_SEALS,
              F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    fail("fcntl(F_ADD_SEALS)");
  return segment;
}

}  // namespace

Segments::Lease Segments::try_lease(std::uint64_t size) {
  std::lock_guard lock(mutex_);
  size += sizeof(SegmentPage);
  // Each lease has a number of its own: a release that comes late is of no
  // other.
  const std::uint64_t id = next_id_++;
  Segment segment;
  auto found = free_.lower_bound(size);
  if (found != free_.end() && found->first <= 2 * rounded(size)) {
    segment = std::move(found->second);
    free_.erase(found);
  } else {
    const std::uint64_t whole = rounded(size);
    trim(whole);
    if (total_ + whole > limit_ && !leased_.empty()) return {};
    segment.descriptor = new_segment(whole);
    segment.mapping = std::make_shared<Mapping>(segment.descriptor, whole);
    segment.size = whole;
    total_ += whole;
  }
  char* start = segment.mapping->data();
  Lease lease{id, segment.descriptor, start + sizeof(SegmentPage),
              reinterpret_cast<SegmentPage*>(start)};
  lease.page->lease.store(id);
  lease.page->ready.store(SegmentPage::kAllReady);
  leased_[id] = std::move(segment);
  return lease;
}

void Segments::trim(std::uint64_t room) {
  while (!free_.empty() && total_ + room > limit_) {
    total_ -= free_.begin()->first;
    free_.erase(free_.begin());
  }
}

void Segments::add_readers(std::uint64_t id,
                           const std::map<NodeId, std::uint32_t>& readers) {
  std::lock_guard lock(mutex_);
  leased_.at(id).readers = readers;
  if (readers.empty()) free_segment(id);
}

void Segments::release(std::uint64_t id, NodeId reader) {
  std::lock_guard lock(mutex_);
  auto found = leased_.find(id);
  if (found == leased_.end()) return;
  auto& readers = found->second.readers;
  auto row = readers.find(reader);
  if (row == readers.end()) return;
  if (--row->second == 0) readers.erase(row);
  if (readers.empty()) free_segment(id);
}

void Segments::forget(NodeId node) {
  std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> unread;
  for (auto& [id, segment] : leased_) {
    if (segment.readers.erase(node) != 0 && segment.readers.empty())
      unread.push_back(id);
  }
  for (std::uint64_t id : unread) free_segment(id);
}

void Segments::free_segment(std::uint64_t id) {
  auto node = leased_.extract(id);
  const std::uint64_t size = node.mapped().size;
  if (free_.count(size) < kMostFree) {
    free_.emplace(size, std::move(node.mapped()));
  } else {
    total_ -= size;
  }
  trim(0);
  gate_.open();
}

std::uint64_t Segments::bytes() {
  std::lock_guard lock(mutex_);
  return total_;
}

}  // namespace eclosion
