// Leases of memfds, and large memory.
#include "segments.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <climits>
#include <ctime>
#include <system_error>
#include <utility>

namespace eclosion {
namespace {

constexpr std::uint64_t kSmallestSegment = 1 << 20;
constexpr std::uint64_t kHugePage = 2 << 20;
constexpr std::uint64_t kFirstPage = 4096;
constexpr std::uint64_t kAllReady = ~0ULL;
// How much is read at a time behind a writer, and how long a wait for it takes
// before its life is looked at.
constexpr std::uint64_t kStep = 1 << 20;
constexpr timespec kPatience{0, 100'000'000};

[[noreturn]] void fail(const char* call) {
  throw std::system_error(errno, std::generic_category(), call);
}

// Few sizes, so that a free segment fits the next message.
std::uint64_t rounded(std::uint64_t size) {
  size = std::max(size, kSmallestSegment);
  const std::uint64_t step = std::bit_floor(size) / 4;
  return (size + step - 1) / step * step;
}

}  // namespace

// Where the first page is shared: how many bytes are ready, and a count of
// changes that readers wait on.
struct Segments::Progress {
  std::atomic<std::uint64_t> ready;
  std::atomic<std::uint32_t> changes;
  std::atomic<std::uint32_t> waiting;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

void Segments::Lease::begin() const { progress->ready.store(0); }

void Segments::Lease::written(std::uint64_t end) const {
  progress->ready.store(end);
  progress->changes.fetch_add(1);
  if (progress->waiting.load() != 0)
    ::syscall(SYS_futex, &progress->changes, FUTEX_WAKE, INT_MAX, nullptr,
              nullptr, 0);
}

class Segments::Mapping {
 public:
  Mapping(int fd, std::uint64_t size)
      : memory_(
            ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)),
        size_(size) {
    if (memory_ == MAP_FAILED) fail("mmap");
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { ::munmap(memory_, size_); }
  [[nodiscard]] char* data() const { return static_cast<char*>(memory_); }

 private:
  void* memory_;
  std::uint64_t size_;
};

Segments::Lease Segments::try_lease(std::uint64_t size) {
  std::lock_guard lock(mutex_);
  size += kFirstPage;
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
    segment.descriptor = std::make_shared<Descriptor>(
        ::memfd_create("eclosion-message", MFD_CLOEXEC));
    if (segment.descriptor->get() < 0) fail("memfd_create");
    if (::ftruncate(segment.descriptor->get(), static_cast<off_t>(whole)) != 0)
      fail("ftruncate");
    segment.mapping =
        std::make_shared<Mapping>(segment.descriptor->get(), whole);
    segment.size = whole;
    total_ += whole;
  }
  char* start = segment.mapping->data();
  Lease lease{id, segment.descriptor, start + kFirstPage,
              reinterpret_cast<Progress*>(start)};
  lease.progress->ready.store(kAllReady);
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
  free_.emplace(size, std::move(node.mapped()));
  trim(0);
  gate_.open();
}

std::uint64_t Segments::bytes() {
  std::lock_guard lock(mutex_);
  return total_;
}

namespace {

void read_ready(const Descriptor& segment, std::uint64_t offset, char* to,
                std::uint64_t size) {
  while (size != 0) {
    const ssize_t got = ::pread(segment.get(), to, size,
                                static_cast<off_t>(kFirstPage + offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("pread");
    if (got == 0)
      throw std::system_error(std::make_error_code(std::errc::message_size),
                              "a segment is shorter than its message says");
    to += got;
    offset += static_cast<std::uint64_t>(got);
    size -= static_cast<std::uint64_t>(got);
  }
}

}  // namespace

// The first page of another process's segment.
class Segments::Behind {
 public:
  explicit Behind(const Descriptor& segment)
      : page_(::mmap(nullptr, kFirstPage, PROT_READ | PROT_WRITE, MAP_SHARED,
                     segment.get(), 0)) {
    if (page_ == MAP_FAILED) fail("mmap");
  }
  Behind(const Behind&) = delete;
  Behind& operator=(const Behind&) = delete;
  ~Behind() { ::munmap(page_, kFirstPage); }

  // Waits until there is more than `start`; the end of what is ready.
  std::uint64_t wait_past(std::uint64_t start,
                          const std::function<bool()>& lives) {
    auto& progress = *static_cast<Progress*>(page_);
    while (true) {
      const std::uint32_t seen = progress.changes.load();
      const std::uint64_t ready = progress.ready.load();
      if (ready > start) return ready;
      if (lives && !lives())
        throw std::system_error(std::make_error_code(std::errc::owner_dead),
                                "the sender died while it wrote a buffer");
      progress.waiting.fetch_add(1);
      ::syscall(SYS_futex, &progress.changes, FUTEX_WAIT, seen, &kPatience,
                nullptr, 0);
      progress.waiting.fetch_sub(1);
    }
  }

 private:
  void* page_;
};

std::uint64_t size_of_segment(const Descriptor& segment) {
  struct stat facts{};
  if (::fstat(segment.get(), &facts) != 0) fail("fstat");
  const auto size = static_cast<std::uint64_t>(facts.st_size);
  return size < kFirstPage ? 0 : size - kFirstPage;
}

void read_segment(const Descriptor& segment, std::uint64_t offset, char* to,
                  std::uint64_t size, const std::function<bool()>& lives) {
  const std::uint64_t there = size_of_segment(segment);
  if (offset > there || size > there - offset)
    throw std::system_error(std::make_error_code(std::errc::message_size),
                            "a segment is shorter than its message says");
  Segments::Behind behind(segment);
  const std::uint64_t end = offset + size;
  while (offset < end) {
    const std::uint64_t ready = behind.wait_past(offset, lives);
    const std::uint64_t step =
        std::min({ready, end, ready == kAllReady ? end : offset + kStep}) -
        offset;
    read_ready(segment, offset, to, step);
    to += step;
    offset += step;
  }
}

void prefer_huge_pages(char* memory, std::uint64_t size) {
  const auto start = reinterpret_cast<std::uintptr_t>(memory);
  const std::uint64_t first = (start + kHugePage - 1) / kHugePage * kHugePage;
  const std::uint64_t last = (start + size) / kHugePage * kHugePage;
  if (first < last)
    ::madvise(memory + (first - start), last - first, MADV_HUGEPAGE);
}

LargeBuffer::LargeBuffer(std::uint64_t size) : size_(size) {
  void* memory =
      ::mmap(nullptr, std::max<std::uint64_t>(size, 1), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail("mmap");
  memory_ = static_cast<char*>(memory);
  prefer_huge_pages(memory_, size);
}

LargeBuffer::~LargeBuffer() {
  ::munmap(memory_, std::max<std::uint64_t>(size_, 1));
}

}  // namespace eclosion
