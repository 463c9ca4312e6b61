// Groups that are parts of others: by a size, by labels, by a predicate.
#pragma once

#include "cooperative_groups_tiles.h"

namespace cooperative_groups {

template <unsigned kSize, typename Parent>
ECLOSION_FUNCTION thread_block_tile<kSize, Parent> tiled_partition(
    const Parent& parent) {
  static_assert(!__is_same(Parent, coalesced_group),
                "lanes that came together are parted by a size that is known "
                "when the program runs: tiled_partition(group, size)");
  return thread_block_tile<kSize, Parent>(parent);
}

namespace partitions {

// A size that no group can have ends the kernel, as with both vendors.
ECLOSION_FUNCTION void check(unsigned size) {
  if (size == 0 || (size & (size - 1)) != 0 || size > kLargestTile) {
    eclosion_trap();
  }
}

ECLOSION_FUNCTION unsigned parts(unsigned count, unsigned size) {
  return (count + size - 1) / size;
}

}  // namespace partitions

ECLOSION_FUNCTION coalesced_group tiled_partition(const coalesced_group& parent,
                                                  unsigned size) {
  partitions::check(size);
  if (parent.size() <= size) return parent;
  return coalesced_group(
      eclosion_device::ranks_around(group_access::lanes(parent), size),
      parent.thread_rank() / size, partitions::parts(parent.size(), size));
}

ECLOSION_FUNCTION thread_group tiled_partition(const thread_group& parent,
                                               unsigned size) {
  partitions::check(size);
  const unsigned rank = (unsigned)parent.thread_rank();
  const unsigned count = (unsigned)parent.size();
  const auto lanes =
      group_access::is_block(parent)
          ? eclosion_device::lanes_of_part(size)
          : eclosion_device::ranks_around(group_access::lanes(parent), size);
  return group_access::part(lanes, rank / size, partitions::parts(count, size));
}

// The members with one label. Parts are numbered by their first members.
template <typename Group, typename Label>
ECLOSION_FUNCTION coalesced_group labeled_partition(const Group& group,
                                                    Label label) {
  static_assert(__is_integral(Label) || __is_pointer(Label),
                "a label is an integer or a pointer");
  const auto lanes = group_access::lanes(group);
  const auto part = eclosion_device::match_any(label, lanes);
  const int first = __builtin_ctzll(part);
  const auto leaders = eclosion_device::ballot(
      first == (int)eclosion_device::lane_in_wave(), lanes);
  return coalesced_group(
      part,
      eclosion_device::count_of(leaders &
                                ((eclosion_device::Word{1} << first) - 1)),
      eclosion_device::count_of(leaders));
}

// The members with the caller's predicate; of two parts, 1 is where it holds.
template <typename Group>
ECLOSION_FUNCTION coalesced_group binary_partition(const Group& group,
                                                   bool predicate) {
  const auto lanes = group_access::lanes(group);
  const auto set = eclosion_device::ballot(predicate, lanes);
  if (set == 0 || set == lanes) return coalesced_group(lanes);
  return coalesced_group(predicate ? set : lanes & ~set, predicate ? 1 : 0, 2);
}

template <typename Group>
ECLOSION_FUNCTION coalesced_group labeled_partition(const Group& group,
                                                    bool label) {
  return binary_partition(group, label);
}

}  // namespace cooperative_groups
