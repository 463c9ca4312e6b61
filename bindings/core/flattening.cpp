// Copying of shared buffers into a body.
#include "flattening.h"

#include <cerrno>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cast.h"
#include "large_buffer.h"

namespace eclosion {
namespace {

void check(std::span<const BufferRow> rows, std::uint64_t segment,
           std::uint64_t max_body) {
  std::uint64_t left = max_body;
  for (const BufferRow& row : rows) {
    if (row.shared == 0) continue;
    if (row.offset > segment || row.size > segment - row.offset)
      throw FrameError("malformed frame: a buffer of " +
                       std::to_string(row.size) + " bytes at " +
                       std::to_string(row.offset) + " of a segment of " +
                       std::to_string(segment));
    if (row.size > left)
      throw FrameError("the buffers of a message are over the limit of " +
                       std::to_string(max_body) +
                       " bytes; send less at a time, or raise max_frame");
    left -= row.size;
  }
}

Frame flat_message(const Frame& frame, SegmentReader& reader,
                   std::uint64_t max_body) {
  const BodyView view = view_of(frame.header, *frame.body);
  check(view.buffers, size_of_segment(*frame.segment), max_body);
  std::vector<std::unique_ptr<LargeBuffer>> copies;
  std::vector<OutgoingBuffer> buffers;
  for (const BufferRow& row : view.buffers) {
    OutgoingBuffer buffer{nullptr, row.size, 0, false, row.tag};
    if (row.shared != 0) {
      copies.push_back(std::make_unique<LargeBuffer>(row.size));
      reader.read(frame, row, copies.back()->data());
      buffer.memory = copies.back()->data();
    } else {
      buffer.memory = frame.body->data() + row.offset;
    }
    buffers.push_back(buffer);
  }
  Frame flat{frame.header, nullptr, nullptr};
  flat.header.segment = 0;
  flat.body =
      make_body(flat.header, view.method, view.chain, view.data, buffers);
  if (flat.body->size() > max_body)
    throw FrameError("a message of " + std::to_string(flat.body->size()) +
                     " bytes is over the limit of " + std::to_string(max_body) +
                     "; send less at a time, or raise max_frame");
  return flat;
}

}  // namespace

std::uint64_t flattened_length(const Frame& message) {
  const BodyView view = view_of(message.header, *message.body);
  std::vector<std::uint64_t> sizes;
  for (const BufferRow& row : view.buffers) sizes.push_back(row.size);
  return body_length(message.header, sizes);
}

Frame flattened(const Frame& frame, SegmentReader& reader,
                std::uint64_t max_body) {
  if (frame.header.kind != FrameKind::kCast)
    return flat_message(frame, reader, max_body);
  const std::vector<Target> targets = targets_of(frame);
  const Frame one = for_target(frame, {}, without_rows(frame));
  return cast_of(flat_message(one, reader, max_body), targets);
}

}  // namespace eclosion
