// memcpy_async() by a group, and the wait for it.
//
// The copy is made at once; other threads of the group may count on it after
// wait() alone, and who reads before is found as a race.
#pragma once

#include "cooperative_groups_partitions.h"

namespace cooperative_groups {

namespace copies {

template <typename Unit, typename Group>
ECLOSION_FUNCTION void units(const Group& group, void* to, const void* from,
                             size_t bytes) {
  Unit* const target = static_cast<Unit*>(to);
  const Unit* const source = static_cast<const Unit*>(from);
  const size_t step = (size_t)group.size();
  for (size_t at = (size_t)group.thread_rank(); at < bytes / sizeof(Unit);
       at += step) {
    target[at] = source[at];
  }
}

}  // namespace copies

// `bytes`: a number, or one with an alignment that both ranges have.
template <typename Group, typename T, typename Size>
ECLOSION_FUNCTION void memcpy_async(const Group& group, T* to, const T* from,
                                    const Size& bytes) {
  const size_t count = (size_t)bytes;
  const auto places = (unsigned long long)(void*)to |
                      (unsigned long long)(const void*)from | count;
  if (places % 8 == 0) {
    copies::units<unsigned long long>(group, to, from, count);
  } else if (places % 4 == 0) {
    copies::units<unsigned>(group, to, from, count);
  } else {
    copies::units<unsigned char>(group, to, from, count);
  }
}

// In elements; as many as both have.
template <typename Group, typename T, typename ToLayout, typename FromLayout>
ECLOSION_FUNCTION void memcpy_async(const Group& group, T* to,
                                    const ToLayout& to_count, const T* from,
                                    const FromLayout& from_count) {
  const size_t room = (size_t)to_count;
  const size_t there = (size_t)from_count;
  memcpy_async(group, to, from, (room < there ? room : there) * sizeof(T));
}

template <typename Group>
ECLOSION_FUNCTION void wait(const Group& group) {
  group.sync();
}

// Copies before the last `kStages`; here all that were begun are done.
template <unsigned kStages, typename Group>
ECLOSION_FUNCTION void wait_prior(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
