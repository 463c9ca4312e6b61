// reduce() of a group, and the operations that collectives are given.
//
// Tiles combine by halves, other groups along a scan: the order in which the
// vendor's cooperative_groups/details/coalesced_reduce.h combines, so that sums
// of floating-point numbers have its bits.
#pragma once

#include "cooperative_groups_scan.h"

namespace cooperative_groups {

namespace collectives {

template <unsigned kSize, typename T, typename Op>
ECLOSION_FUNCTION T reduced(const tile_of_size<kSize>& tile, T value, Op& op) {
  for (unsigned lanes = kSize / 2; lanes > 0; lanes /= 2) {
    value = op(value, tile.shfl_xor(value, lanes));
  }
  return value;
}

template <typename T, typename Op>
ECLOSION_FUNCTION T reduced(const coalesced_group& group, T value, Op& op) {
  if (group.size() == kLargestTile) {
    return reduced(static_cast<const tile_of_size<kLargestTile>&>(
                       thread_block_tile<kLargestTile>()),
                   value, op);
  }
  return group.shfl(scanned(group, value, op), (int)group.size() - 1);
}

}  // namespace collectives

template <typename Group, typename T, typename Op>
ECLOSION_FUNCTION auto reduce(const Group& group, T&& value, Op&& op) {
  using Value = eclosion_device::Plain<T>;
  static_assert(__is_same(decltype(op(value, value)), Value),
                "the operation's result has the type of its operands");
  return collectives::reduced(group, Value(value), op);
}

// The group's result, stored at an address or in an atomic object by one
// member.
template <typename Group, typename T, typename Value, typename Op>
ECLOSION_FUNCTION void reduce_store_async(const Group& group, T* address,
                                          Value&& value, Op&& op) {
  const auto result = reduce(group, value, op);
  if (group.thread_rank() == 0) *address = result;
}
template <typename Group, typename Atomic, typename Value, typename Op>
ECLOSION_FUNCTION auto reduce_store_async(const Group& group, Atomic&& target,
                                          Value&& value, Op&& op)
    -> decltype(target.load(), void()) {
  const auto result = reduce(group, value, op);
  if (group.thread_rank() == 0) target.store(result);
}

// The same, combined with what the atomic object has.
template <typename Group, typename Atomic, typename Value, typename Op>
ECLOSION_FUNCTION void reduce_update_async(const Group& group, Atomic&& target,
                                           Value&& value, Op&& op) {
  const auto result = reduce(group, value, op);
  if (group.thread_rank() != 0) return;
  auto old = target.load();
  while (!target.compare_exchange_weak(old, op(old, result))) {
  }
}

}  // namespace cooperative_groups
