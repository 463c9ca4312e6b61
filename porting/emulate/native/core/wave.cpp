// Groups, shuffles and votes of wave.h.
#include "wave.h"

#include <algorithm>

namespace eclosion::emulator {
namespace {

bool is_same_call(const WaveCall& one, const WaveCall& other) {
  return one.kind == other.kind && one.what == other.what &&
         one.mask == other.mask;
}

// Lanes whose call names its members: all of them have to be here.
WaveGroup masked_group(std::span<const GpuThread> lanes, std::uint64_t waiting,
                       std::uint64_t running, unsigned first) {
  const WaveCall& call = lanes[first].call;
  WaveGroup group;
  for_each_lane(waiting & (call.mask | 1ULL << first), [&](unsigned lane) {
    if (is_same_call(call, lanes[lane].call)) group.members |= 1ULL << lane;
  });
  group.absent = call.mask & running & ~group.members;
  group.is_complete = group.absent == 0;
  return group;
}

bool goes_first(const WaveCall& one, const WaveCall& other) {
  if (one.frame != other.frame) return one.frame < other.frame;
  return one.site < other.site;
}

WaveGroup unmasked_group(std::span<const GpuThread> lanes,
                         std::uint64_t waiting, unsigned first) {
  unsigned best = first;
  for_each_lane(waiting, [&](unsigned lane) {
    const WaveCall& call = lanes[lane].call;
    if (call.mask == 0 && goes_first(call, lanes[best].call)) best = lane;
  });
  const WaveCall& call = lanes[best].call;
  WaveGroup group;
  for_each_lane(waiting, [&](unsigned lane) {
    const WaveCall& other = lanes[lane].call;
    if (is_same_call(call, other) && other.site == call.site) {
      group.members |= 1ULL << lane;
    }
  });
  return group;
}

template <typename Fold>
std::uint64_t fold(std::span<const GpuThread> lanes, std::uint64_t members,
                   Fold function) {
  const auto first = static_cast<unsigned>(std::countr_zero(members));
  std::uint64_t value = lanes[first].call.value;
  for_each_lane(members & (members - 1), [&](unsigned lane) {
    value = function(value, lanes[lane].call.value);
  });
  return value;
}

std::uint64_t lanes_with(std::span<const GpuThread> lanes,
                         std::uint64_t members, std::uint64_t value) {
  std::uint64_t found = 0;
  for_each_lane(members, [&](unsigned lane) {
    if (lanes[lane].call.value == value) found |= 1ULL << lane;
  });
  return found;
}

std::uint64_t signed_fold(std::span<const GpuThread> lanes,
                          std::uint64_t members, bool is_least) {
  return fold(lanes, members, [is_least](std::uint64_t one, std::uint64_t two) {
    const auto a = static_cast<std::int64_t>(one);
    const auto b = static_cast<std::int64_t>(two);
    return static_cast<std::uint64_t>(is_least ? std::min(a, b)
                                               : std::max(a, b));
  });
}

// Of what all lanes get the same.
std::uint64_t vote(std::span<const GpuThread> lanes, std::uint64_t members,
                   int what) {
  const std::uint64_t zeros = lanes_with(lanes, members, 0);
  const std::uint64_t first =
      lanes[static_cast<unsigned>(std::countr_zero(members))].call.value;
  using U = std::uint64_t;
  switch (what) {
    case ECLOSION_VOTE_BALLOT:
      return members & ~zeros;
    case ECLOSION_VOTE_ANY:
      return (members & ~zeros) != 0;
    case ECLOSION_VOTE_ALL:
      return zeros == 0;
    case ECLOSION_VOTE_UNIFORM:
      return zeros == 0 || zeros == members;
    case ECLOSION_VOTE_MATCH_ALL:
      return lanes_with(lanes, members, first) == members ? members : 0;
    case ECLOSION_VOTE_ADD:
      return fold(lanes, members, [](U a, U b) { return a + b; });
    case ECLOSION_VOTE_MIN:
      return signed_fold(lanes, members, true);
    case ECLOSION_VOTE_MAX:
      return signed_fold(lanes, members, false);
    case ECLOSION_VOTE_UMIN:
      return fold(lanes, members, [](U a, U b) { return std::min(a, b); });
    case ECLOSION_VOTE_UMAX:
      return fold(lanes, members, [](U a, U b) { return std::max(a, b); });
    case ECLOSION_VOTE_AND:
      return fold(lanes, members, [](U a, U b) { return a & b; });
    case ECLOSION_VOTE_OR:
      return fold(lanes, members, [](U a, U b) { return a | b; });
    case ECLOSION_VOTE_XOR:
      return fold(lanes, members, [](U a, U b) { return a ^ b; });
    default:
      return members;  // ACTIVE and SYNC
  }
}

}  // namespace

WaveGroup choose_group(std::span<const GpuThread> lanes, std::uint64_t waiting,
                       std::uint64_t running) {
  WaveGroup stuck;
  unsigned unmasked = 64;
  for (std::uint64_t left = waiting; left != 0;) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    if (lanes[lane].call.mask == 0) {
      if (unmasked == 64) unmasked = lane;
      left &= left - 1;
      continue;
    }
    const WaveGroup group = masked_group(lanes, waiting, running, lane);
    if (group.is_complete) return group;
    if (stuck.members == 0) stuck = group;
    left &= ~group.members;
  }
  if (unmasked != 64) return unmasked_group(lanes, waiting, unmasked);
  return stuck;
}

unsigned shuffle_source(int kind, unsigned lane, int argument, int width) {
  const int self = static_cast<int>(lane);
  const int first = self & ~(width - 1);
  int source = self;
  switch (kind) {
    case ECLOSION_SHUFFLE_INDEX:
      source = first + (argument & (width - 1));
      break;
    case ECLOSION_SHUFFLE_UP:
      source = self - argument;
      if (source < first) source = self;
      break;
    case ECLOSION_SHUFFLE_DOWN:
      source = self + argument;
      if ((self & (width - 1)) + argument >= width) source = self;
      break;
    default:
      source = self ^ argument;
      if (source >= first + width) source = self;
  }
  return static_cast<unsigned>(source);
}

void carry_out(std::span<GpuThread> lanes, const WaveGroup& group,
               std::uint64_t* missing) {
  const auto first = static_cast<unsigned>(std::countr_zero(group.members));
  const WaveCall& call = lanes[first].call;
  if (call.kind == WaveCall::Kind::kVote) {
    const bool is_own = call.what == ECLOSION_VOTE_MATCH_ANY;
    const std::uint64_t same =
        is_own ? 0 : vote(lanes, group.members, call.what);
    for_each_lane(group.members, [&](unsigned lane) {
      GpuThread& each = lanes[lane];
      each.result =
          is_own ? lanes_with(lanes, group.members, each.call.value) : same;
    });
    return;
  }
  for_each_lane(group.members, [&](unsigned lane) {
    GpuThread& each = lanes[lane];
    const unsigned source =
        shuffle_source(call.what, lane, each.call.argument, each.call.width);
    const bool is_there = source < 64 && (group.members >> source & 1) != 0;
    each.result = is_there ? lanes[source].call.value : 0;
    if (!is_there) *missing |= 1ULL << lane;
  });
}

}  // namespace eclosion::emulator
