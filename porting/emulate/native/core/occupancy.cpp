// Threads, blocks and shared memory bound what a multiprocessor holds;
// registers do not, since the processor's code has none of a device's.
#include "occupancy.h"

#include <algorithm>
#include <cstdint>

namespace eclosion::emulator {

int most_threads(const Kernel& kernel, const DeviceFacts& facts) {
  const auto limit = static_cast<int>(facts.limits.threads_per_block);
  const auto declared = static_cast<int>(kernel.record->most_threads);
  return declared == 0 ? limit : std::min(limit, declared);
}

int blocks_by_threads(const DeviceFacts& facts, int threads) {
  const int wave = static_cast<int>(facts.wave_size);
  const int waves = (threads + wave - 1) / wave;
  return std::min(facts.blocks_per_processor,
                  facts.threads_per_processor / wave / waves);
}

std::size_t reserved_per_block(const DeviceFacts& facts) {
  return facts.shared_per_processor - facts.limits.shared_bytes_opt_in;
}

int blocks_per_processor(const Kernel& kernel, const DeviceFacts& facts,
                         int threads, std::size_t dynamic_shared) {
  const std::size_t own = kernel.record->static_shared + dynamic_shared;
  if (threads > most_threads(kernel, facts) ||
      own > facts.limits.shared_bytes_opt_in) {
    return 0;
  }
  const auto blocks =
      static_cast<std::size_t>(blocks_by_threads(facts, threads));
  const std::size_t shared = own + reserved_per_block(facts);
  if (shared == 0) return static_cast<int>(blocks);
  return static_cast<int>(
      std::min(blocks, facts.shared_per_processor / shared));
}

Status check_meeting(const LaunchRequest& request, const DeviceFacts& facts) {
  if (!request.cooperative) return Status::kSuccess;
  const int held = blocks_per_processor(*request.kernel, facts,
                                        static_cast<int>(request.block.count()),
                                        request.dynamic_shared);
  const auto most = static_cast<std::uint64_t>(held) *
                    static_cast<std::uint64_t>(facts.processors);
  return request.grid.count() <= most ? Status::kSuccess
                                      : Status::kCooperativeTooLarge;
}

}  // namespace eclosion::emulator
