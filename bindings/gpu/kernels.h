// What the runtime computes on a device: checksums, packing, averages of
// replicas.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host_kernels.h"
#include "stream.h"

namespace eclosion::gpu {

// A 64-bit checksum of `size` bytes of device memory, written to the eight
// bytes at `to`, in the stream's order.
//
// The sum, modulo 2^64, of a mixed value of each 8-byte word and its number,
// and of the size; the last word is filled up with zeros. So it is the same
// whatever the width of a wavefront, and the same as eclosion::checksum. It
// finds damage; it is no defence against an attacker.
void checksum(std::uintptr_t to, std::uintptr_t from, std::size_t size,
              const Stream& stream);

// Copy many ranges into one buffer, or back, in one launch. `segments` is a
// table of `count` in memory that the device reads; it has to stay until the
// work is done.
void pack(std::uintptr_t buffer, const Segment* segments, std::size_t count,
          const Stream& stream);
void unpack(std::uintptr_t buffer, const Segment* segments, std::size_t count,
            const Stream& stream);

// This many addresses of sources go with a launch; more are a table.
inline constexpr std::size_t kMaxSources = 64;

// target[i] = (target[i] + the sum of sources[i]) * scale, for `count`
// elements in one pass: bit for bit what eclosion::accumulate makes of them.
// Throws std::invalid_argument for more than kMaxSources.
void accumulate(std::uintptr_t target,
                const std::vector<std::uintptr_t>& sources, double scale,
                Element element, std::size_t count, const Stream& stream);

// The same for any number of sources. `table` is a table of their `number`
// addresses in memory that the device reads; it has to stay until the work is
// done.
void accumulate_many(std::uintptr_t target, const std::uint64_t* table,
                     std::size_t number, double scale, Element element,
                     std::size_t count, const Stream& stream);

}  // namespace eclosion::gpu
