// Events in a shared page; every wait also looks whether the other side lives.
#include "shared_event.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <new>
#include <string>
#include <thread>

#include "process_birth.h"

namespace eclosion::emulator {

namespace {

constexpr std::uint64_t kMagic = 0x45636c4576656e31;  // "EclEven1"
constexpr std::size_t kPageBytes = 4096;
using std::chrono::microseconds;
constexpr microseconds kPollSoon{20};
constexpr microseconds kPollSeldom{1000};

struct Handle {
  std::uint64_t magic;
  std::uint64_t
      nonce;  // of the page, so that a descriptor used anew is noticed
  std::int64_t process;
  std::int32_t file;
  unsigned char unused[36];
};
static_assert(sizeof(Handle) == 64);

}  // namespace

struct SharedEvent::Page {
  std::atomic<std::uint64_t> magic;
  std::uint64_t nonce;
  std::atomic<std::uint64_t> last;    // record
  std::atomic<std::uint64_t> done;    // highest record
  std::atomic<std::int64_t> process;  // that made the last record
  std::atomic<std::uint64_t> birth;   // of that process
};

SharedEvent::SharedEvent(int file, Page* page)
    : file_(file), page_(page), birth_(birth_of(getpid())) {}

std::shared_ptr<SharedEvent> SharedEvent::make() {
  const int file = memfd_create("eclosion-event", MFD_CLOEXEC);
  if (file < 0) return nullptr;
  void* page = MAP_FAILED;
  if (ftruncate(file, kPageBytes) == 0)
    page =
        mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (page == MAP_FAILED) {
    close(file);
    return nullptr;
  }
  auto* made = new (page) Page{};
  if (getrandom(&made->nonce, sizeof made->nonce, 0) !=
      static_cast<ssize_t>(sizeof made->nonce))
    made->nonce = static_cast<std::uint64_t>(
        std::chrono::steady_clock::now().time_since_epoch().count());
  made->magic.store(kMagic);
  return std::shared_ptr<SharedEvent>(new SharedEvent(file, made));
}

Status SharedEvent::open(const unsigned char (&bytes)[64],
                         std::shared_ptr<SharedEvent>* event) {
  Handle handle;
  std::memcpy(&handle, bytes, sizeof handle);
  if (handle.magic != kMagic) return Status::kInvalidValue;
  if (handle.process == getpid()) return Status::kInvalidContext;
  const std::string path = "/proc/" + std::to_string(handle.process) + "/fd/" +
                           std::to_string(handle.file);
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return Status::kMapFailed;
  struct stat facts{};
  void* page = MAP_FAILED;
  if (fstat(file, &facts) == 0 && facts.st_size == kPageBytes)
    page =
        mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (page == MAP_FAILED) return Status::kMapFailed;
  event->reset(new SharedEvent(-1, static_cast<Page*>(page)));
  const Page& found = *(*event)->page_;
  if (found.magic.load() == kMagic && found.nonce == handle.nonce)
    return Status::kSuccess;
  event->reset();
  return Status::kMapFailed;
}

SharedEvent::~SharedEvent() {
  munmap(page_, kPageBytes);
  if (file_ >= 0) close(file_);
}

void SharedEvent::describe(unsigned char (&bytes)[64]) const {
  Handle handle{kMagic, page_->nonce, getpid(), file_, {}};
  std::memcpy(bytes, &handle, sizeof handle);
}

std::uint64_t SharedEvent::begin_record() {
  page_->process.store(getpid());
  page_->birth.store(birth_);
  return page_->last.fetch_add(1) + 1;
}

void SharedEvent::finish_record(std::uint64_t record) {
  std::uint64_t done = page_->done.load();
  while (done < record && !page_->done.compare_exchange_weak(done, record)) {
  }
}

std::uint64_t SharedEvent::last_record() const { return page_->last.load(); }

Status SharedEvent::state_of(std::uint64_t record) const {
  if (page_->done.load() >= record) return Status::kSuccess;
  const std::int64_t process = page_->process.load();
  const std::uint64_t birth = page_->birth.load();
  if (process == getpid() || birth_of(process) == birth)
    return Status::kNotReady;
  // It may have been done between the two looks.
  return page_->done.load() >= record ? Status::kSuccess : Status::kUnknown;
}

Status SharedEvent::wait(std::uint64_t record) const {
  for (microseconds pause = kPollSoon;;
       pause = std::min(pause * 2, kPollSeldom)) {
    const Status status = state_of(record);
    if (status != Status::kNotReady) return status;
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace eclosion::emulator
