// Compares the warp functions of the compat header with what CUDA documents,
// on simulated wavefronts of 32 and 64 lanes.
#include <cstdio>
#include <cstring>
#include <random>

#include "wavefront.h"

#include "warp.h"

#undef __shfl
#undef __shfl_up
#undef __shfl_down
#undef __shfl_xor
#undef __ballot
#undef __any
#undef __all

namespace {

int failures = 0;

void expect(bool holds, const char* what, int width, int lane) {
  if (holds) return;
  ++failures;
  if (failures < 20) {
    std::printf("%s: wrong on lane %d of %d\n", what, lane, width);
  }
}

std::mt19937 random_numbers(20261129);

unsigned any_number() { return random_numbers(); }

// What one warp of CUDA computes: 32 lanes, of which `present` execute.
struct Warp {
  unsigned present = 0;
  unsigned values[32] = {};

  unsigned ballot(unsigned mask) const {
    unsigned votes = 0;
    for (int i = 0; i < 32; ++i) {
      if ((mask & present) >> i & 1 && values[i] & 1) votes |= 1u << i;
    }
    return votes;
  }
  unsigned match(unsigned mask, int lane) const {
    unsigned peers = 0;
    for (int i = 0; i < 32; ++i) {
      if ((mask & present) >> i & 1 && values[i] == values[lane]) {
        peers |= 1u << i;
      }
    }
    return peers;
  }
  template <typename T, typename Combine>
  T reduce(unsigned mask, Combine combine) const {
    bool is_first = true;
    T result = 0;
    for (int i = 0; i < 32; ++i) {
      if (!((mask & present) >> i & 1)) continue;
      const T value = static_cast<T>(values[i]);
      result = is_first ? value : combine(result, value);
      is_first = false;
    }
    return result;
  }
};

// Where CUDA reads from; a lane outside of the segment gives the own value.
int source_of(const char* kind, int lane, int argument, int width) {
  const int first = lane & ~(width - 1);
  if (std::strcmp(kind, "idx") == 0) return first + (argument & (width - 1));
  if (std::strcmp(kind, "up") == 0) {
    return lane - argument < first ? lane : lane - argument;
  }
  if (std::strcmp(kind, "down") == 0) {
    return lane + argument >= first + width ? lane : lane + argument;
  }
  const int other = lane ^ argument;
  return other >= first + width ? lane : other;
}

void check_votes(unsigned mask, const Warp& warp, int lane, int width) {
  const unsigned value = warp.values[lane];
  const unsigned votes = __ballot_sync(mask, static_cast<int>(value & 1));
  expect(votes == warp.ballot(mask), "ballot", width, lane);
  const int any = __any_sync(mask, static_cast<int>(value & 1));
  expect((any != 0) == (warp.ballot(mask) != 0), "any", width, lane);
  const int all = __all_sync(mask, static_cast<int>(value & 1));
  expect((all != 0) == (warp.ballot(mask) == (mask & warp.present)), "all",
         width, lane);
  const int uniform = __uni_sync(mask, static_cast<int>(value & 1));
  const bool is_uniform =
      warp.ballot(mask) == 0 || warp.ballot(mask) == (mask & warp.present);
  expect((uniform != 0) == is_uniform, "uni", width, lane);
}

void check_matches(unsigned mask, const Warp& warp, int lane, int width) {
  const unsigned value = warp.values[lane];
  const unsigned peers = __match_any_sync(mask, value);
  expect(peers == warp.match(mask, lane), "match_any", width, lane);
  const unsigned long long wide = (1ull << 40) * value + 1;
  const unsigned wide_peers = __match_any_sync(mask, wide);
  expect(wide_peers == warp.match(mask, lane), "match_any of 64 bits", width,
         lane);
  int same = -1;
  const unsigned all = __match_all_sync(mask, value, &same);
  const bool is_same = warp.match(mask, lane) == (mask & warp.present);
  expect(same == (is_same ? 1 : 0), "match_all: predicate", width, lane);
  expect(all == (is_same ? mask : 0), "match_all", width, lane);
}

void check_reductions(unsigned mask, const Warp& warp, int lane, int width) {
  const unsigned value = warp.values[lane];
  const int number = static_cast<int>(value);
  const auto sum = [](unsigned a, unsigned b) { return a + b; };
  const auto low = [](int a, int b) { return b < a ? b : a; };
  const auto high = [](unsigned a, unsigned b) { return a < b ? b : a; };
  const auto both = [](unsigned a, unsigned b) { return a & b; };
  const auto odd = [](unsigned a, unsigned b) { return a ^ b; };
  const unsigned total = __reduce_add_sync(mask, value);
  expect(total == warp.reduce<unsigned>(mask, sum), "add", width, lane);
  const int least = __reduce_min_sync(mask, number);
  expect(least == warp.reduce<int>(mask, low), "min", width, lane);
  const unsigned most = __reduce_max_sync(mask, value);
  expect(most == warp.reduce<unsigned>(mask, high), "max", width, lane);
  const unsigned common = __reduce_and_sync(mask, value);
  expect(common == warp.reduce<unsigned>(mask, both), "and", width, lane);
  const unsigned parity = __reduce_xor_sync(mask, value);
  expect(parity == warp.reduce<unsigned>(mask, odd), "xor", width, lane);
}

template <typename T>
void check_shuffles(unsigned mask, const Warp& warp, int lane, int width) {
  const auto value = static_cast<T>(warp.values[lane]);
  for (int segment : {32, 16, 8, 4, 2}) {
    for (int argument : {0, 1, 3, 15, 16, 31}) {
      const auto expected = [&](const char* kind) {
        const int from = source_of(kind, lane, argument, segment);
        return static_cast<T>(warp.values[from]);
      };
      const auto is_there = [&](const char* kind) {
        const int from = source_of(kind, lane, argument, segment);
        return (warp.present & mask) >> from & 1;
      };
      const T direct = __shfl_sync(mask, value, argument, segment);
      const T up = __shfl_up_sync(mask, value, argument, segment);
      const T down = __shfl_down_sync(mask, value, argument, segment);
      const T crossed = __shfl_xor_sync(mask, value, argument, segment);
      if (is_there("idx")) {
        expect(direct == expected("idx"), "shfl", width, lane);
      }
      if (is_there("up")) expect(up == expected("up"), "up", width, lane);
      if (is_there("down")) {
        expect(down == expected("down"), "down", width, lane);
      }
      if (is_there("xor")) {
        expect(crossed == expected("xor"), "xor", width, lane);
      }
    }
  }
}

void check_all(unsigned mask, const Warp& warp, int lane, int width) {
  check_votes(mask, warp, lane, width);
  check_matches(mask, warp, lane, width);
  check_reductions(mask, warp, lane, width);
  check_shuffles<unsigned>(mask, warp, lane, width);
  check_shuffles<double>(mask, warp, lane, width);
  check_shuffles<unsigned char>(mask, warp, lane, width);
  expect(__activemask() == (warp.present), "activemask", width, lane);
}

// Warps with few different values, or with one; `present` of each.
std::vector<Warp> warps(int width, const std::vector<unsigned>& present) {
  std::vector<Warp> found(width / 32);
  for (std::size_t i = 0; i < found.size(); ++i) {
    found[i].present = present[i];
    const bool is_same = any_number() % 3 == 0;
    for (unsigned& value : found[i].values) {
      value = any_number() % 5 == 0 ? any_number() : any_number() % 4;
      if (is_same) value = 7;
    }
  }
  return found;
}

// Every lane is there, or some have left the kernel before.
void run_whole(int width, bool some_left) {
  const auto group =
      warps(width, some_left ? std::vector{any_number() | 1u, any_number() | 2u}
                             : std::vector{~0u, ~0u});
  simt::run(width, [&](int number) {
    const Warp& warp = group[number / 32];
    const int lane = number % 32;
    if (!(warp.present >> lane & 1)) return;
    check_all(0xffffffffu, warp, lane, width);
  });
}

// Lanes take branches; each branch is entered by a part of each warp.
void run_diverged(int width) {
  const std::vector<unsigned> chosen{any_number() | 1u, any_number() & ~1u};
  auto taken = warps(width, chosen);
  auto others = taken;
  for (Warp& warp : others) warp.present = ~warp.present;
  simt::run(width, [&](int number) {
    const int lane = number % 32;
    const unsigned mask = taken[number / 32].present;
    if (mask >> lane & 1) {
      check_all(mask, taken[number / 32], lane, width);
    } else {
      check_all(~mask, others[number / 32], lane, width);
    }
  });
}

// Two groups of lanes call the same function together, each with its mask.
void run_side_by_side(int width) {
  const auto group = warps(width, {~0u, ~0u});
  const std::vector<unsigned> split{any_number(), any_number()};
  simt::run(width, [&](int number) {
    const Warp& warp = group[number / 32];
    const int lane = number % 32;
    const unsigned half = split[number / 32];
    const unsigned mask = half >> lane & 1 ? half : ~half;
    check_votes(mask, warp, lane, width);
    check_matches(mask, warp, lane, width);
    check_reductions(mask, warp, lane, width);
  });
}

// One warp of a wavefront works, as in `if (warp == 0)`.
void run_one_half(int width) {
  for (int half = 0; half < width / 32; ++half) {
    const auto group = warps(width, {~0u, ~0u});
    simt::run(width, [&](int number) {
      if (number / 32 != half) return;
      check_all(0xffffffffu, group[half], number % 32, width);
    });
  }
}

}  // namespace

int main() {
  for (int width : {64, 32}) {
    for (int round = 0; round < 6; ++round) {
      run_whole(width, false);
      run_whole(width, true);
      run_diverged(width);
      run_side_by_side(width);
      run_one_half(width);
    }
  }
  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
