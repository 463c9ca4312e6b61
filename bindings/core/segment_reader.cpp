// Mappings of segments, and copying behind their writers.
#include "segment_reader.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <new>
#include <system_error>
#include <utility>

namespace eclosion {
namespace {

// How much is copied at a time behind a writer, and how long a wait for it
// takes before it is asked whether the writer lives.
constexpr std::uint64_t kStep = 1 << 20;
constexpr timespec kPatience{0, 100'000'000};
// Mappings that are kept. Those of segments that their senders gave up hold no
// memory, those in use are counted by their senders.
constexpr std::size_t kMostKnown = 64;

[[noreturn]] void fail(const char* call) {
  if (errno == ENOMEM) throw std::bad_alloc();
  throw std::system_error(errno, std::generic_category(), call);
}

[[noreturn]] void refuse(const char* why) {
  throw std::system_error(std::make_error_code(std::errc::message_size), why);
}

struct stat facts_of(const Descriptor& segment) {
  struct stat facts{};
  if (::fstat(segment.get(), &facts) != 0) fail("fstat");
  return facts;
}

std::uint64_t room_in(const struct stat& facts) {
  const auto size = static_cast<std::uint64_t>(facts.st_size);
  return size < sizeof(SegmentPage) ? 0 : size - sizeof(SegmentPage);
}

}  // namespace

std::uint64_t size_of_segment(const Descriptor& segment) {
  return room_in(facts_of(segment));
}

class SegmentReader::Mapping {
 public:
  Mapping(const Descriptor& segment, std::uint64_t room)
      : room_(room),
        memory_(
            ::mmap(nullptr, whole(), PROT_READ, MAP_SHARED, segment.get(), 0)) {
    if (memory_ == MAP_FAILED) fail("mmap");
    if (::mprotect(memory_, sizeof(SegmentPage), PROT_READ | PROT_WRITE) != 0) {
      const int error = errno;
      ::munmap(memory_, whole());
      errno = error;
      fail("mprotect");
    }
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { ::munmap(memory_, whole()); }

  [[nodiscard]] SegmentPage& page() const {
    return *static_cast<SegmentPage*>(memory_);
  }
  [[nodiscard]] std::uint64_t room() const { return room_; }
  [[nodiscard]] const char* data() const {
    return static_cast<const char*>(memory_) + sizeof(SegmentPage);
  }

  // Waits until there is more than `start`; the end of what is ready.
  [[nodiscard]] std::uint64_t wait_past(std::uint64_t start,
                                        const Descriptor& segment) const {
    for (bool written_on = true;;) {
      const std::uint32_t seen = page().changes.load();
      const std::uint64_t ready = page().ready.load();
      if (ready > start) return ready;
      if (!written_on) throw SenderDied();
      page().waiting.fetch_add(1);
      ::syscall(SYS_futex, &page().changes, FUTEX_WAIT, seen, &kPatience,
                nullptr, 0);
      page().waiting.fetch_sub(1);
      // What it wrote last is looked at once more.
      written_on = page().changes.load() != seen || is_written(segment);
    }
  }

  // A process does not see its own lock.
  [[nodiscard]] bool is_written(const Descriptor& segment) const {
    if (page().writer.load() == ::getpid()) return true;
    struct flock lock{};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_len = 1;
    if (::fcntl(segment.get(), F_GETLK, &lock) != 0) fail("fcntl(F_GETLK)");
    return lock.l_type != F_UNLCK;
  }

 private:
  [[nodiscard]] std::uint64_t whole() const {
    return room_ + sizeof(SegmentPage);
  }

  const std::uint64_t room_;
  void* const memory_;
};

std::shared_ptr<SegmentReader::Mapping> SegmentReader::mapping_of(
    const Frame& message) {
  const NodeId owner = message.header.source_node;
  const struct stat facts = facts_of(*message.segment);
  std::lock_guard lock(mutex_);
  auto found = std::ranges::find_if(known_, [&](const Known& each) {
    return each.owner == owner && each.file == facts.st_ino;
  });
  // The numbers of files come again one day.
  if (found != known_.end() && found->mapping->room() == room_in(facts) &&
      found->mapping->page().lease.load() == message.header.segment) {
    known_.splice(known_.begin(), known_, found);
    return found->mapping;
  }
  const int seals = ::fcntl(message.segment->get(), F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0)
    refuse("a segment whose sender could take its memory away");
  if (room_in(facts) == 0) refuse("a segment is shorter than its message says");
  auto mapping = std::make_shared<Mapping>(*message.segment, room_in(facts));
  if (found != known_.end()) known_.erase(found);
  known_.push_front({owner, facts.st_ino, mapping});
  if (known_.size() > kMostKnown) known_.pop_back();
  return mapping;
}

void SegmentReader::read(const Frame& message, const BufferRow& row, char* to) {
  const auto mapping = mapping_of(message);
  if (row.offset > mapping->room() || row.size > mapping->room() - row.offset)
    refuse("a segment is shorter than its message says");
  const std::uint64_t end = row.offset + row.size;
  for (std::uint64_t done = row.offset; done < end;) {
    const std::uint64_t ready = mapping->wait_past(done, *message.segment);
    const bool all = ready == SegmentPage::kAllReady;
    const std::uint64_t stop = std::min({ready, end, all ? end : done + kStep});
    std::memcpy(to, mapping->data() + done, stop - done);
    to += stop - done;
    done = stop;
  }
}

void SegmentReader::forget(NodeId owner) {
  std::lock_guard lock(mutex_);
  known_.remove_if([&](const Known& each) { return each.owner == owner; });
}

}  // namespace eclosion
