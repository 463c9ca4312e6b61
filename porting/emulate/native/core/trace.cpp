// One line of JSON per buffer, in the order in which they were freed.
#include "trace.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "config.h"
#include "device.h"
#include "json_lines.h"
#include "places.h"
#include "scheduler.h"
#include "stream.h"

namespace eclosion::emulator {
namespace {

// Parts have this size at least, and there are at most this many.
constexpr std::size_t kPart = 4096;
constexpr std::size_t kParts = 64;
// What is larger was hardly written to as a whole.
constexpr std::size_t kMost = std::size_t{256} << 20;

// FNV-1a over the bytes, eight at a time where there are as many.
std::uint64_t digest(const unsigned char* bytes, std::size_t size) {
  constexpr std::uint64_t kPrime = 0x100000001B3;
  std::uint64_t value = 0xCBF29CE484222325;
  std::size_t at = 0;
  for (; at + 8 <= size; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, 8);
    value = (value ^ word) * kPrime;
    value ^= value >> 32;
  }
  for (; at < size; ++at) value = (value ^ bytes[at]) * kPrime;
  return value;
}

// The same for the same words in whatever order: threads that append to an
// array do so in an order of their own.
std::uint64_t content(const unsigned char* bytes, std::size_t size) {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < size; at += 4) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, std::min<std::size_t>(4, size - at));
    std::uint64_t mixed = (word + 1ULL) * 0x9E3779B97F4A7C15ULL;
    mixed = (mixed ^ mixed >> 29) * 0xBF58476D1CE4E5B9ULL;
    sum += mixed ^ mixed >> 32;
  }
  return sum;
}

std::string hex(std::uint64_t value) {
  char number[24];
  std::snprintf(number, sizeof number, "\"%016llx\"",
                static_cast<unsigned long long>(value));
  return number;
}

std::string digests(const Allocation& allocation, std::size_t part) {
  if (allocation.size > kMost) return "null";
  const auto* bytes = reinterpret_cast<const unsigned char*>(allocation.base);
  std::string text;
  for (std::size_t at = 0; at < allocation.size; at += part) {
    const std::size_t size = std::min(part, allocation.size - at);
    text += (text.empty() ? "" : ", ") + hex(digest(bytes + at, size));
  }
  return "[" + text + "]";
}

// Buffers that the program leaves to its end. Work that is still under way is
// waited for: what it had done by now would differ from run to run.
__attribute__((destructor)) void trace_what_is_left() {
  if (Config::get().trace.empty() || is_forked_child()) return;
  for (int device = 0; device < device_count(); ++device) {
    synchronize_device(device);
  }
  for (const Allocation& each : Memory::get().live()) {
    if (each.is_ready) trace_buffer(each);  // else a graph's that is not run
  }
}

}  // namespace

void trace_buffer(const Allocation& allocation) {
  const std::string& path = Config::get().trace;
  const bool is_devices = allocation.kind == MemoryKind::kDevice ||
                          allocation.kind == MemoryKind::kHeap ||
                          allocation.kind == MemoryKind::kManaged;
  if (path.empty() || !is_devices || allocation.size == 0) return;
  const std::size_t part =
      std::max(kPart, (allocation.size / kParts + kPart) / kPart * kPart);
  const auto* bytes = reinterpret_cast<const unsigned char*>(allocation.base);
  const std::string words =
      allocation.size > kMost ? "null" : hex(content(bytes, allocation.size));
  append_line(path, "{\"buffer\": " + std::to_string(allocation.id) +
                        ", \"size\": " + std::to_string(allocation.size) +
                        ", \"part\": " + std::to_string(part) +
                        ", \"digests\": " + digests(allocation, part) +
                        ", \"words\": " + words + ", \"at\": " +
                        quoted(locate(allocation.site).text()) + "}");
}

}  // namespace eclosion::emulator
