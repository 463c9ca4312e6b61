// Memory for large buffers.
#pragma once

#include <cstdint>

namespace eclosion {

// Has fresh memory come in huge pages where the system has them: each small
// page of a large buffer would be a fault of its own.
void prefer_huge_pages(char* memory, std::uint64_t size);

// Memory for a buffer; large ones on huge pages where the system has them.
class LargeBuffer {
 public:
  // Throws std::bad_alloc.
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
