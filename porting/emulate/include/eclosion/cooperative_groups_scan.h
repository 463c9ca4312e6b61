// Scans over a group, in the order of cooperative_groups/details/
// coalesced_scan.h, and the operations that collectives are given.
#pragma once

#include "cooperative_groups_partitions.h"

namespace cooperative_groups {

#define ECLOSION_OPERATION(name, expression)                            \
  template <typename T>                                                 \
  struct name {                                                         \
    ECLOSION_MEMBER T operator()(T a, T b) const { return expression; } \
  };
ECLOSION_OPERATION(plus, a + b)
ECLOSION_OPERATION(less, b < a ? b : a)     // the smaller
ECLOSION_OPERATION(greater, a < b ? b : a)  // the larger
ECLOSION_OPERATION(bit_and, a& b)
ECLOSION_OPERATION(bit_or, a | b)
ECLOSION_OPERATION(bit_xor, a ^ b)
#undef ECLOSION_OPERATION

namespace collectives {

template <typename Group, typename T, typename Op>
ECLOSION_FUNCTION T scanned(const Group& group, T value, Op& op) {
  for (unsigned distance = 1; distance < group.size(); distance *= 2) {
    const T before = group.shfl_up(value, distance);
    if (distance <= group.thread_rank()) value = op(value, before);
  }
  return value;
}

template <typename T, typename Op>
inline constexpr bool kIsIntegerSum = false;
template <typename T>
inline constexpr bool kIsIntegerSum<T, plus<T>> = __is_integral(T);

}  // namespace collectives

template <typename Group, typename T, typename Op>
ECLOSION_FUNCTION auto inclusive_scan(const Group& group, T&& value, Op&& op) {
  using Value = eclosion_device::Plain<T>;
  static_assert(__is_same(decltype(op(value, value)), Value),
                "the operation's result has the type of its operands");
  return collectives::scanned(group, Value(value), op);
}

template <typename Group, typename T>
ECLOSION_FUNCTION auto inclusive_scan(const Group& group, T&& value) {
  return inclusive_scan(group, value, plus<eclosion_device::Plain<T>>());
}

// Rank 0 gets a value-initialized result.
template <typename Group, typename T, typename Op>
ECLOSION_FUNCTION auto exclusive_scan(const Group& group, T&& value, Op&& op) {
  using Value = eclosion_device::Plain<T>;
  const Value inclusive = inclusive_scan(group, value, op);
  if constexpr (collectives::kIsIntegerSum<Value, eclosion_device::Plain<Op>>) {
    return Value(inclusive - value);
  } else {
    const Value before = group.shfl_up(inclusive, 1);
    return group.thread_rank() == 0 ? Value() : before;
  }
}

template <typename Group, typename T>
ECLOSION_FUNCTION auto exclusive_scan(const Group& group, T&& value) {
  return exclusive_scan(group, value, plus<eclosion_device::Plain<T>>());
}

// One member calls; the other form tells all what it got.
template <typename Group, typename Function, typename... Arguments>
ECLOSION_FUNCTION void invoke_one(const Group& group, Function&& function,
                                  Arguments&&... arguments) {
  if (group.thread_rank() == 0) {
    static_cast<Function&&>(function)(static_cast<Arguments&&>(arguments)...);
  }
}

template <typename Group, typename Function, typename... Arguments>
ECLOSION_FUNCTION auto invoke_one_broadcast(const Group& group,
                                            Function&& function,
                                            Arguments&&... arguments) {
  using Result = eclosion_device::Plain<decltype(static_cast<Function&&>(
      function)(static_cast<Arguments&&>(arguments)...))>;
  Result result{};
  if (group.thread_rank() == 0) {
    result = static_cast<Function&&>(function)(
        static_cast<Arguments&&>(arguments)...);
  }
  return group.shfl(result, 0);
}

}  // namespace cooperative_groups
