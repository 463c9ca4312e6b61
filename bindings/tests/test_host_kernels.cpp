// core/host_kernels: known values, and laws that devices have to keep too.
#include "host_kernels.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

using eclosion::Element;
using eclosion::Segment;

namespace {

std::vector<unsigned char> bytes(std::size_t size) {
  std::vector<unsigned char> made(size);
  for (std::size_t i = 0; i < size; ++i) {
    made[i] = static_cast<unsigned char>(i * 37 + 11);
  }
  return made;
}

}  // namespace

TEST_CASE("the checksum of nothing is the mixed size") {
  CHECK(eclosion::checksum(nullptr, 0) == 0);
}

TEST_CASE("a checksum has the value that was calculated by hand") {
  // SplitMix64 seeded with 0 gives mix(golden) first: 0xE220A8397B1DCDAF.
  const std::uint64_t word = 0;
  // mix(8) + mix(0 ^ mix(golden))
  auto mix = [](std::uint64_t v) {
    v = (v ^ (v >> 30)) * 0xBF58476D1CE4E5B9ULL;
    v = (v ^ (v >> 27)) * 0x94D049BB133111EBULL;
    return v ^ (v >> 31);
  };
  CHECK(mix(0x9E3779B97F4A7C15ULL) == 0xE220A8397B1DCDAFULL);
  CHECK(eclosion::checksum(&word, 8) == mix(8) + mix(0xE220A8397B1DCDAFULL));
}

TEST_CASE("a checksum sees each byte, its place and the size") {
  const auto original = bytes(1027);
  const auto sum = eclosion::checksum(original.data(), original.size());
  for (std::size_t i = 0; i < original.size(); i += 13) {
    auto changed = original;
    changed[i] ^= 1;
    CHECK(eclosion::checksum(changed.data(), changed.size()) != sum);
  }
  auto swapped = original;
  std::swap_ranges(swapped.begin(), swapped.begin() + 8, swapped.begin() + 8);
  CHECK(eclosion::checksum(swapped.data(), swapped.size()) != sum);
  CHECK(eclosion::checksum(original.data(), original.size() - 1) != sum);
}

TEST_CASE("a checksum does not depend on where the bytes lie") {
  const auto original = bytes(100);
  std::vector<unsigned char> shifted(101);
  std::memcpy(shifted.data() + 1, original.data(), original.size());
  CHECK(eclosion::checksum(original.data(), 100) ==
        eclosion::checksum(shifted.data() + 1, 100));
}

TEST_CASE("what was packed is unpacked") {
  auto first = bytes(10);
  auto second = bytes(7);
  const auto address = [](auto& from) {
    return reinterpret_cast<std::uint64_t>(from.data());
  };
  const std::vector<Segment> segments{{address(first), 0, 10},
                                      {address(second), 12, 7}};
  std::vector<unsigned char> buffer(20, 0xEE);
  eclosion::pack(buffer.data(), segments);
  CHECK(buffer[10] == 0xEE);
  CHECK(std::memcmp(buffer.data() + 12, second.data(), 7) == 0);
  std::fill(first.begin(), first.end(), 0);
  eclosion::unpack(buffer.data(), segments);
  CHECK(first == bytes(10));
}

TEST_CASE("every half survives the way to float and back") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = eclosion::half_to_float(half);
    if (std::isnan(value)) {
      CHECK(
          std::isnan(eclosion::half_to_float(eclosion::float_to_half(value))));
    } else if (eclosion::float_to_half(value) != half) {
      FAIL("half " << bits << " came back as "
                   << eclosion::float_to_half(value));
    }
  }
}

TEST_CASE("halves are rounded to the nearest, ties to even") {
  CHECK(eclosion::float_to_half(1.0F) == 0x3C00);
  CHECK(eclosion::float_to_half(-2.0F) == 0xC000);
  CHECK(eclosion::float_to_half(65504.0F) == 0x7BFF);
  CHECK(eclosion::float_to_half(65519.0F) == 0x7BFF);
  CHECK(eclosion::float_to_half(65520.0F) == 0x7C00);
  CHECK(eclosion::float_to_half(2049.0F) == eclosion::float_to_half(2048.0F));
  CHECK(eclosion::float_to_half(2051.0F) == eclosion::float_to_half(2052.0F));
  CHECK(eclosion::float_to_half(std::ldexp(1.0F, -25)) == 0);
  CHECK(eclosion::float_to_half(std::ldexp(1.5F, -25)) == 1);
  CHECK(eclosion::float_to_half(INFINITY) == 0x7C00);
}

TEST_CASE("bfloat16 is rounded to the nearest, ties to even") {
  CHECK(eclosion::float_to_bfloat16(1.0F) == 0x3F80);
  CHECK(eclosion::float_to_bfloat16(std::bit_cast<float>(0x3F808000U)) ==
        0x3F80);
  CHECK(eclosion::float_to_bfloat16(std::bit_cast<float>(0x3F818000U)) ==
        0x3F82);
  CHECK(std::isnan(eclosion::bfloat16_to_float(
      eclosion::float_to_bfloat16(std::numeric_limits<float>::quiet_NaN()))));
}

TEST_CASE("accumulating sums in order and scales once") {
  std::array<float, 3> target{1, 2, 3};
  const std::array<float, 3> one{10, 20, 30};
  const std::array<float, 3> two{100, 200, 300};
  eclosion::accumulate(target.data(), {one.data(), two.data()}, 0.5,
                       Element::kFloat32, 3);
  CHECK(target == std::array<float, 3>{55.5F, 111, 166.5F});

  std::array<std::uint16_t, 1> half{eclosion::float_to_half(1.0F)};
  const std::array<std::uint16_t, 1> more{eclosion::float_to_half(2.0F)};
  eclosion::accumulate(half.data(), {more.data()}, 0.25, Element::kFloat16, 1);
  CHECK(eclosion::half_to_float(half[0]) == 0.75F);
}

TEST_CASE("elements may lie at any address") {
  const std::array<double, 2> ones{1, 1};
  for (const auto element : {Element::kFloat32, Element::kFloat64,
                             Element::kFloat16, Element::kBfloat16}) {
    std::array<unsigned char, 2 * sizeof(ones) + 1> apart{};
    unsigned char* target = apart.data() + 1;
    const unsigned char* source = target + sizeof(ones);
    std::memcpy(target + sizeof(ones), ones.data(), sizeof(ones));
    eclosion::accumulate(target, {source}, 1.0, element,
                         sizeof(ones) / eclosion::element_size(element));
    CHECK(std::memcmp(target, source, sizeof(ones)) == 0);
  }
}

TEST_CASE("parts may lie in the buffer that they are packed into") {
  auto buffer = bytes(16);
  const auto first = reinterpret_cast<std::uint64_t>(buffer.data());
  const auto expected = std::vector(buffer.begin() + 2, buffer.begin() + 12);
  eclosion::pack(buffer.data(), {{first + 2, 0, 10}});
  CHECK(std::equal(expected.begin(), expected.end(), buffer.begin()));
}

TEST_CASE("elements are known by their numbers") {
  CHECK(eclosion::element_of(3) == Element::kBfloat16);
  CHECK(eclosion::element_size(Element::kFloat64) == 8);
  CHECK_THROWS_AS(eclosion::element_of(4), std::invalid_argument);
  CHECK_THROWS_AS(eclosion::element_of(-1), std::invalid_argument);
}
