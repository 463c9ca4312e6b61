// What the runtime computes on the host: the kernels of bindings/gpu, for
// memory of this process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace eclosion {

// The 64-bit checksum of `size` bytes: the sum, modulo 2^64, of a mixed value
// of each 8-byte word and its number, and of the size. The last word is filled
// up with zeros. Every device computes the same.
std::uint64_t checksum(const void* from, std::size_t size);

// `size` bytes at `address` belong at `offset` of a packed buffer.
struct Segment {
  std::uint64_t address;
  std::uint64_t offset;
  std::uint64_t size;
};

void pack(void* buffer, const std::vector<Segment>& segments);
void unpack(const void* buffer, const std::vector<Segment>& segments);

enum class Element { kFloat32, kFloat64, kFloat16, kBfloat16 };

// The element of a number that came from elsewhere. Throws
// std::invalid_argument for one that is none.
Element element_of(int number);

std::size_t element_size(Element element);

// target[i] = (target[i] + the sum of sources[i]) * scale, for `count`
// elements. Sums are made in float, those of doubles in double, in the order
// of the sources; results are rounded to the nearest, ties to even. What is no
// number has one form: positive, quiet, no further bit. So every device makes
// the same bits of the same elements.
void accumulate(void* target, const std::vector<const void*>& sources,
                double scale, Element element, std::size_t count);

// IEEE 754 binary16 and bfloat16, by their bits.
float half_to_float(std::uint16_t bits);
std::uint16_t float_to_half(float value);
float bfloat16_to_float(std::uint16_t bits);
std::uint16_t float_to_bfloat16(float value);

}  // namespace eclosion
