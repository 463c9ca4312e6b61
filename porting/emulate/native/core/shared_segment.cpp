// Variables are placed when the first thread asks for them; the dynamic part
// lies first, since its size is known.
#include "shared_segment.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>

namespace eclosion::emulator {
namespace {

constexpr int kGarbage = 0xCB;

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

// Numbers are the program's, so that each worker finds them the same.
std::uintptr_t number_of(SharedVariable& variable) {
  static std::mutex lock;
  static std::uintptr_t last = 0;
  std::uintptr_t number = __atomic_load_n(&variable.number, __ATOMIC_ACQUIRE);
  if (number != 0) return number;
  const std::lock_guard<std::mutex> guard(lock);
  if (variable.number == 0) {
    __atomic_store_n(&variable.number, ++last, __ATOMIC_RELEASE);
  }
  return variable.number;
}

}  // namespace

SharedSegment::SharedSegment() : shadow_(kBytes) {
  void* at = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  bytes_ = static_cast<std::byte*>(at);
}

SharedSegment::~SharedSegment() { ::munmap(bytes_, kBytes); }

void SharedSegment::begin_launch(std::size_t dynamic_bytes) {
  for (const std::uintptr_t number : placed_) places_[number] = 0;
  placed_.clear();
  for (const Part& part : parts_) shadow_.exclude(part.start, part.size);
  parts_.clear();
  dynamic_ = dynamic_bytes;
  used_ = 0;
  if (dynamic_bytes != 0) add_part(0, dynamic_bytes);
}

void SharedSegment::add_part(std::size_t start, std::size_t size) {
  parts_.push_back({start, size});
  shadow_.enclose(start, size);
  used_ = start + size;
}

void SharedSegment::forget_accesses() {
  for (const Part& part : parts_) shadow_.enclose(part.start, part.size);
}

void SharedSegment::begin_block() { std::memset(bytes_, kGarbage, used_); }

void* SharedSegment::place(SharedVariable& variable) {
  const std::uintptr_t number = number_of(variable);
  if (number == SharedVariable::kDynamic) return bytes_;
  if (number < places_.size() && places_[number] != 0) {
    return bytes_ + places_[number] - 1;
  }
  const std::size_t gap = used_ == 0 ? 0 : kGap;
  const std::size_t start =
      round_up(used_ + gap, std::max<std::size_t>(variable.alignment, 16));
  if (start + variable.size > kBytes) return nullptr;
  if (places_.size() <= number) places_.resize(number + 1);
  places_[number] = static_cast<std::uint32_t>(start + 1);
  placed_.push_back(number);
  add_part(start, variable.size);
  std::memset(bytes_ + start, kGarbage, variable.size);
  return bytes_ + start;
}

bool SharedSegment::is_within(std::size_t offset,
                              unsigned size) const noexcept {
  return std::any_of(parts_.begin(), parts_.end(), [&](const Part& part) {
    return offset >= part.start && offset + size <= part.start + part.size;
  });
}

void SharedSegment::nearest(std::size_t offset, std::size_t* start,
                            std::size_t* size) const {
  *start = 0;
  *size = 0;
  for (const Part& part : parts_) {
    if (part.start <= offset && part.start >= *start) {
      *start = part.start;
      *size = part.size;
    }
  }
}

}  // namespace eclosion::emulator
