// Plain loops: the reference that kernels of devices are compared with.
#include "host_kernels.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

#include "mixing.h"

namespace eclosion {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);

// Processors and GPUs differ in which of the many they make of a sum, so one is
// chosen: positive, quiet, with no further bit.
constexpr std::uint16_t kNan16 = 0x7E00;
constexpr std::uint16_t kNanBfloat16 = 0x7FC0;
constexpr std::uint32_t kNan32 = 0x7FC00000;
constexpr std::uint64_t kNan64 = 0x7FF8000000000000;

std::uint64_t word_at(const unsigned char* from, std::size_t left) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, left < kWord ? left : kWord);
  return word;
}

// Elements may lie at any address, also one that is no multiple of their size.
template <typename Stored>
Stored load(const void* from, std::size_t number) {
  Stored value;
  std::memcpy(&value,
              static_cast<const unsigned char*>(from) + number * sizeof(Stored),
              sizeof(Stored));
  return value;
}

template <typename Stored>
void store(void* to, std::size_t number, Stored value) {
  std::memcpy(static_cast<unsigned char*>(to) + number * sizeof(Stored), &value,
              sizeof(Stored));
}

// `nan`: the element for what is no number.
template <typename Stored, typename Wide, typename From, typename To>
void accumulate_as(void* target, const std::vector<const void*>& sources,
                   Wide scale, std::size_t count, From from, To to,
                   Stored nan) {
  for (std::size_t i = 0; i < count; ++i) {
    Wide sum = from(load<Stored>(target, i));
    for (const void* source : sources) sum += from(load<Stored>(source, i));
    sum *= scale;
    store<Stored>(target, i, std::isnan(sum) ? nan : to(sum));
  }
}

// The two may overlap, and where there is nothing to copy be null.
void move(void* to, const void* from, std::size_t size) {
  if (size != 0) std::memmove(to, from, size);
}

}  // namespace

std::uint64_t checksum(const void* from, std::size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(from);
  std::uint64_t sum = mix(size);
  for (std::size_t at = 0, number = 1; at < size; at += kWord, ++number) {
    sum += mix(word_at(bytes + at, size - at) ^ mix(number * kGolden));
  }
  return sum;
}

void pack(void* buffer, const std::vector<Segment>& segments) {
  auto* packed = static_cast<unsigned char*>(buffer);
  for (const Segment& segment : segments) {
    move(packed + segment.offset,
         reinterpret_cast<const void*>(segment.address), segment.size);
  }
}

void unpack(const void* buffer, const std::vector<Segment>& segments) {
  const auto* packed = static_cast<const unsigned char*>(buffer);
  for (const Segment& segment : segments) {
    move(reinterpret_cast<void*>(segment.address), packed + segment.offset,
         segment.size);
  }
}

Element element_of(int number) {
  if (number < 0 || number > static_cast<int>(Element::kBfloat16)) {
    throw std::invalid_argument(std::to_string(number) +
                                " is the number of no element type");
  }
  return static_cast<Element>(number);
}

std::size_t element_size(Element element) {
  switch (element) {
    case Element::kFloat32:
      return sizeof(float);
    case Element::kFloat64:
      return sizeof(double);
    case Element::kFloat16:
    case Element::kBfloat16:
      return sizeof(std::uint16_t);
  }
  return 0;
}

void accumulate(void* target, const std::vector<const void*>& sources,
                double scale, Element element, std::size_t count) {
  const auto narrow = static_cast<float>(scale);
  const auto same = [](auto value) { return value; };
  switch (element) {
    case Element::kFloat32:
      return accumulate_as<float, float>(target, sources, narrow, count, same,
                                         same, std::bit_cast<float>(kNan32));
    case Element::kFloat64:
      return accumulate_as<double, double>(target, sources, scale, count, same,
                                           same, std::bit_cast<double>(kNan64));
    case Element::kFloat16:
      return accumulate_as<std::uint16_t, float>(
          target, sources, narrow, count, half_to_float, float_to_half, kNan16);
    case Element::kBfloat16:
      return accumulate_as<std::uint16_t, float>(
          target, sources, narrow, count, bfloat16_to_float, float_to_bfloat16,
          kNanBfloat16);
  }
}

float half_to_float(std::uint16_t bits) {
  const float sign = (bits & 0x8000U) != 0 ? -1.0F : 1.0F;
  const int exponent = (bits >> 10) & 0x1F;
  const int fraction = bits & 0x3FF;
  if (exponent == 0)
    return sign * std::ldexp(static_cast<float>(fraction), -24);
  if (exponent == 0x1F) {
    return fraction == 0 ? sign * INFINITY : std::copysign(NAN, sign);
  }
  return sign * std::ldexp(static_cast<float>(0x400 + fraction), exponent - 25);
}

std::uint16_t float_to_half(float value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000U : 0;
  if (std::isnan(value)) return sign | 0x7E00U;
  const float size = std::fabs(value);
  if (size >= 65520.0F) return sign | 0x7C00U;  // rounds to beyond the largest
  if (size <
      std::ldexp(1.0F, -14)) {  // fixed point, of which 2^-24 is the unit
    return sign |
           static_cast<std::uint16_t>(std::nearbyint(std::ldexp(size, 24)));
  }
  int exponent = 0;
  const float fraction = std::frexp(size, &exponent);  // in [0.5, 1)
  // A fraction that is rounded up to 2048 carries into the exponent.
  const auto units =
      static_cast<unsigned>(std::nearbyint(std::ldexp(fraction, 11)));
  return sign | static_cast<std::uint16_t>(
                    (static_cast<unsigned>(exponent + 13) << 10) + units);
}

float bfloat16_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t float_to_bfloat16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}

}  // namespace eclosion
