// How many blocks of a kernel a device holds at a time.
#pragma once

#include <cstddef>

#include "device.h"
#include "launch.h"
#include "status.h"

namespace eclosion::emulator {

// Of a block: the device's limit, or what the kernel was compiled for.
int most_threads(const Kernel& kernel, const DeviceFacts& facts);

// Blocks of so many threads that a multiprocessor holds, by its threads and
// blocks. Waves are there whole.
int blocks_by_threads(const DeviceFacts& facts, int threads);

// What of a multiprocessor's shared memory each block takes beside its own.
std::size_t reserved_per_block(const DeviceFacts& facts);

// Blocks that it holds by its shared memory too; 0: a block is too large.
int blocks_per_processor(const Kernel& kernel, const DeviceFacts& facts,
                         int threads, std::size_t dynamic_shared);

// Blocks that wait for each other have to be on the device at once.
// kCooperativeTooLarge: they would not be.
Status check_meeting(const LaunchRequest& request, const DeviceFacts& facts);

}  // namespace eclosion::emulator
