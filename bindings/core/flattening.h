// Messages without shared memory, for where it cannot be opened.
#pragma once

#include <cstdint>

#include "frame.h"
#include "segment_reader.h"

namespace eclosion {

// The same message or cast with its shared buffers in its body. What the rows
// of its table say is checked against the size of the segment and the limit
// before anything is allocated. Throws FrameError, or std::system_error.
Frame flattened(const Frame& frame, SegmentReader& reader,
                std::uint64_t max_body);

// How long the body of a message is then.
std::uint64_t flattened_length(const Frame& message);

}  // namespace eclosion
