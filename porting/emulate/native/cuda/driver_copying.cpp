// Which copies are refused, and which the caller waits for.
#include "copying.h"

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "objects.h"

namespace eclosion::cuda {
namespace {

using emulator::Box;
using emulator::Placement;
using emulator::Side;
using emulator::side_of;

// Up to this much of pageable memory is read at once; above, the caller waits.
// (The same section: transfers from pageable memory are staged.)
constexpr std::size_t kStaged = std::size_t{64} << 10;

bool is_host_side(Side side) {
  return side == Side::kPageable || side == Side::kPinned;
}

// Pinned and managed memory is the host's and the device's.
bool fits(const void* address, bool is_host) {
  const Side side = side_of(address);
  if (is_host) return side != Side::kDevice && side != Side::kVariable;
  return side != Side::kPageable;
}

// The rows of a box, one after the other.
std::shared_ptr<std::vector<unsigned char>> packed(const Placement& from,
                                                   const Box& box) {
  auto bytes = std::make_shared<std::vector<unsigned char>>(
      box.width * box.height * box.depth);
  unsigned char* to = bytes->data();
  for (std::size_t z = 0; z < box.depth; ++z) {
    for (std::size_t y = 0; y < box.height; ++y, to += box.width) {
      std::memcpy(to,
                  static_cast<const unsigned char*>(from.base) +
                      z * from.slice + y * from.pitch,
                  box.width);
    }
  }
  return bytes;
}

// Read the source now, so that the caller may change it.
Status stage(const Copy& copy, emulator::Work* work) {
  auto bytes = packed(copy.from, copy.box);
  const Placement from{bytes->data(), copy.box.width,
                       copy.box.width * copy.box.height};
  const Status status =
      emulator::plan_copy(copy.to, from, copy.box, copy.site, work);
  if (status != Status::kSuccess) return status;
  std::erase_if(work->ranges,
                [&](const auto& range) { return range.base == bytes->data(); });
  work->body = [bytes, body = std::move(work->body)](
                   emulator::Operation& operation) { return body(operation); };
  return Status::kSuccess;
}

bool is_capturing(const emulator::Stream& stream) {
  return stream.capture_state() != emulator::CaptureState::kNone;
}

Status put(emulator::Stream& stream, emulator::Work work, bool is_awaited) {
  const Status status = stream.put(std::move(work));
  if (status != Status::kSuccess || !is_awaited) return status;
  return stream.synchronize();
}

// Whether the caller goes on only when the copy is done.
bool is_awaited(const Copy& copy, bool is_staged) {
  const Side to = side_of(copy.to.base);
  const Side from = side_of(copy.from.base);
  if (is_host_side(to) && is_host_side(from)) return true;
  if (to == Side::kPageable) return true;
  if (from == Side::kPageable) return !is_staged;
  return !copy.is_async && (is_host_side(to) || is_host_side(from));
}

}  // namespace

Status check_direction(const Copy& copy) {
  bool to_host = false;
  bool from_host = false;
  switch (copy.direction) {
    case Direction::kHostToHost:
      to_host = from_host = true;
      break;
    case Direction::kHostToDevice:
      from_host = true;
      break;
    case Direction::kDeviceToHost:
      to_host = true;
      break;
    case Direction::kDeviceToDevice:
      break;
    case Direction::kInferred:
      return Status::kSuccess;
    default:
      return Status::kInvalidMemcpyDirection;
  }
  const bool is_right =
      fits(copy.to.base, to_host) && fits(copy.from.base, from_host);
  return copy.box.is_empty() || is_right ? Status::kSuccess
                                         : Status::kInvalidValue;
}

Status copy(CUstream handle, const Copy& copy) {
  Status status = check_direction(copy);
  if (status != Status::kSuccess) return status;
  StreamRef stream;
  status = find_stream(handle, &stream);
  if (status != Status::kSuccess) return status;
  if (copy.box.is_empty()) return Status::kSuccess;
  emulator::Work work;
  status = emulator::plan_copy(copy.to, copy.from, copy.box, copy.site, &work);
  if (status != Status::kSuccess) return status;
  if (is_capturing(*stream)) {
    work.parameters = CopyNode{copy};
    return stream->put(std::move(work));
  }
  const std::size_t bytes = copy.box.width * copy.box.height * copy.box.depth;
  const bool is_staged =
      side_of(copy.from.base) == Side::kPageable && bytes <= kStaged;
  if (is_staged) status = stage(copy, &work);
  if (status != Status::kSuccess) return status;
  return put(*stream, std::move(work), is_awaited(copy, is_staged));
}

Status fill(CUstream handle, const Fill& fill) {
  StreamRef stream;
  Status status = find_stream(handle, &stream);
  if (status != Status::kSuccess) return status;
  if (fill.box.is_empty()) return Status::kSuccess;
  const Side side = side_of(fill.to.base);
  if (side == Side::kPageable) return Status::kInvalidValue;
  emulator::Work work;
  status = emulator::plan_fill(fill.to, fill.box, fill.value, fill.element,
                               fill.site, &work);
  if (status != Status::kSuccess) return status;
  work.parameters = FillNode{fill};
  const bool waits = !fill.is_async && !is_capturing(*stream) &&
                     (side == Side::kPinned || side == Side::kManaged);
  return put(*stream, std::move(work), waits);
}

}  // namespace eclosion::cuda
