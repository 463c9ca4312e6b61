// Streams and events as both libraries make and use them.
#pragma once

#include <cuda.h>

#include "objects.h"
#include "statuses.h"

namespace eclosion::cuda {

// Priorities that streams may have: the lowest, and the highest (cuda.h,
// cuCtxGetStreamPriorityRange: smaller numbers are higher).
inline constexpr int kLeastPriority = 0;
inline constexpr int kGreatestPriority = -5;

// `flags`: CU_STREAM_DEFAULT or _NON_BLOCKING. Priorities are clamped.
Status create_stream(unsigned flags, int priority, const void* site,
                     CUstream* stream);
// kInvalidHandle for the default streams.
Status destroy_stream(CUstream stream);
Status synchronize_stream(CUstream stream);
Status query_stream(CUstream stream);
// All streams of a device.
Status synchronize_device(int device);

// `flags`: CU_EVENT_*; interprocess events are without timing, else
// kInvalidValue (cuda.h, cuEventCreate).
Status create_event(unsigned flags, const void* site, CUevent* event);
Status destroy_event(CUevent event);
// `flags`: CU_EVENT_RECORD_* and CU_EVENT_WAIT_*.
Status record_event(CUevent event, CUstream stream, unsigned flags);
Status wait_event(CUstream stream, CUevent event, unsigned flags);
Status synchronize_event(CUevent event);
Status query_event(CUevent event);
Status elapsed_time(CUevent begin, CUevent end, float* milliseconds);

// Host functions. What is put by launch_host does not run after a failure, is
// a node of a graph while the stream is captured; a callback is given the
// failure and may not be captured.
Status launch_host(CUstream stream, CUhostFn function, void* data,
                   const void* site);
Status add_callback(CUstream stream, void (*callback)(CUstream, Status, void*),
                    void* data, const void* site);

// What a graph keeps of a host function.
struct HostNode {
  CUhostFn function;
  void* data;
};

}  // namespace eclosion::cuda
