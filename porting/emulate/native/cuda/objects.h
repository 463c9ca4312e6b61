// Handles of what programs make, which the runtime and the driver share: a
// cudaStream_t is a CUstream.
#pragma once

#include <cuda.h>

#include <memory>

#include "graph.h"
#include "handles.h"
#include "statuses.h"
#include "stream.h"

namespace eclosion::cuda {

using emulator::EventRef;
using emulator::GraphExecRef;
using emulator::GraphRef;
using emulator::StreamRef;

CUstream add_stream(const StreamRef& stream);
CUevent add_event(const EventRef& event);

// A null stream is the default one of the current device, or of the thread; 1
// and 2 name them (CU_STREAM_LEGACY, CU_STREAM_PER_THREAD). kInvalidHandle:
// destroyed, or none.
Status find_stream(CUstream handle, StreamRef* stream);
Status find_event(CUevent handle, EventRef* event);
bool is_default_stream(CUstream handle);

// Forget a handle and give its object.
Status take_stream(CUstream handle, StreamRef* stream);
Status take_event(CUevent handle, EventRef* event);

// Forget all handles of a device's streams and events.
void forget_objects(int device);

}  // namespace eclosion::cuda
