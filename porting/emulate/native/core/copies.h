// Copies and fills of memory: checked when they are asked for, done in a
// stream.
//
// Addresses may be of devices, of the host, or of variables of a sidecar. One
// of a device has to lie in one allocation as far as it is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "operation.h"
#include "status.h"
#include "stream.h"

namespace eclosion::emulator {

// Where memory is, as a copy sees it.
enum class Side {
  kPageable,  // of the host, unknown to the device
  kPinned,    // of the host, reached by devices
  kDevice,    // of a device, mapped or imported
  kManaged,
  kVariable,  // a variable of device code
  kFreed,     // in the devices' range, and nothing is there
};
Side side_of(const void* address);

// Bytes from an address on that are of its allocation or variable, `most` at
// most; 0: kFreed. Pageable memory has no end that is known.
std::size_t bytes_at(
    const void* address,
    std::size_t most = std::numeric_limits<std::size_t>::max());

// A box of bytes in memory. Rows are `pitch` apart, slices `slice`.
struct Box {
  std::size_t width = 0;  // bytes
  std::size_t height = 1;
  std::size_t depth = 1;
  bool is_empty() const noexcept {
    return width == 0 || height == 0 || depth == 0;
  }
};

struct Placement {
  void* base = nullptr;
  std::size_t pitch = 0;
  std::size_t slice = 0;
  // Bytes from the first to the end of the last row that a box uses.
  std::size_t span(const Box& box) const noexcept;
};

// Make the work of a copy. kInvalidValue: a null address, rows that overlap, or
// more bytes than there are, which is told as a finding too.
Status plan_copy(const Placement& to, const Placement& from, const Box& box,
                 const void* site, Work* work);

// Make the work of a fill; `element` bytes (1, 2 or 4) of `value` are repeated.
// The box's width is in bytes.
Status plan_fill(const Placement& to, const Box& box, std::uint32_t value,
                 unsigned element, const void* site, Work* work);

}  // namespace eclosion::emulator
