// Groups of threads, from one to a grid: thread_group, thread_block,
// grid_group.
//
// "CUDA C++ Programming Guide", chapter "Cooperative Groups", and "HIP C++
// language extensions" name the members; both vendors' are here, where they do
// not contradict each other.
#pragma once

#include "barriers.h"
#include "cooperative_groups_lanes.h"
#include "indices.h"

namespace cooperative_groups {

#if defined(__HIP__)
using LaneMask = unsigned long long;
using GridCount = unsigned;
#else
using LaneMask = unsigned;
using GridCount = unsigned long long;
#endif
using GroupCount = GridCount;

class thread_group {
 public:
  ECLOSION_MEMBER GroupCount size() const;
  ECLOSION_MEMBER GroupCount num_threads() const { return size(); }
  ECLOSION_MEMBER GroupCount thread_rank() const;
  ECLOSION_MEMBER void sync() const;
  ECLOSION_MEMBER bool is_valid() const {
    return kind_ != kGrid || eclosion_grid_is_cooperative() != 0;
  }

 protected:
  enum Kind : unsigned { kLanes, kBlock, kGrid };
  using Word = eclosion_device::Word;

  ECLOSION_MEMBER explicit thread_group(Kind kind, Word lanes = 0)
      : kind_(kind), lanes_(lanes) {}
  ECLOSION_MEMBER thread_group(Word lanes, unsigned meta_rank,
                               unsigned meta_size)
      : kind_(kLanes),
        meta_rank_(meta_rank),
        meta_size_(meta_size),
        lanes_(lanes) {}

  Kind kind_;
  // Of groups within a wave: which part of its parent it is, and its members.
  unsigned meta_rank_ = 0;
  unsigned meta_size_ = 1;
  Word lanes_ = 0;

  friend class group_access;
};

// What partitions and collectives see of a group.
class group_access {
 public:
  ECLOSION_MEMBER static eclosion_device::Word lanes(
      const thread_group& group) {
    return group.lanes_;
  }
  ECLOSION_MEMBER static bool is_block(const thread_group& group) {
    return group.kind_ == thread_group::kBlock;
  }
  ECLOSION_MEMBER static thread_group part(eclosion_device::Word lanes,
                                           unsigned meta_rank,
                                           unsigned meta_size) {
    return thread_group(lanes, meta_rank, meta_size);
  }
};

// The threads of a block. All of them meet at its barrier.
class thread_block : public thread_group {
 public:
  struct arrival_token {};

  ECLOSION_MEMBER thread_block() : thread_group(kBlock) {}

  ECLOSION_MEMBER static void sync() { __syncthreads(); }
  // Arriving promises to wait; the threads meet where they wait.
  ECLOSION_MEMBER arrival_token barrier_arrive() const { return {}; }
  ECLOSION_MEMBER void barrier_wait(arrival_token&&) const { sync(); }
  ECLOSION_MEMBER void barrier_wait() const { sync(); }

  ECLOSION_MEMBER static unsigned size() {
    return blockDim.x * blockDim.y * blockDim.z;
  }
  ECLOSION_MEMBER static unsigned num_threads() { return size(); }
  ECLOSION_MEMBER static unsigned thread_rank() {
    return eclosion_device::thread_in_block();
  }
  ECLOSION_MEMBER static dim3 group_index() { return blockIdx; }
  ECLOSION_MEMBER static dim3 thread_index() { return threadIdx; }
  ECLOSION_MEMBER static dim3 group_dim() { return blockDim; }
  ECLOSION_MEMBER static dim3 dim_threads() { return blockDim; }
  ECLOSION_MEMBER static bool is_valid() { return true; }
};

ECLOSION_FUNCTION thread_block this_thread_block() { return thread_block(); }

// The threads of a grid that was launched cooperatively.
class grid_group : public thread_group {
 public:
  struct arrival_token {};

  ECLOSION_MEMBER grid_group() : thread_group(kGrid) {}

  ECLOSION_MEMBER void sync() const { eclosion_grid_barrier(); }
  ECLOSION_MEMBER bool is_valid() const {
    return eclosion_grid_is_cooperative() != 0;
  }
  ECLOSION_MEMBER arrival_token barrier_arrive() const { return {}; }
  ECLOSION_MEMBER void barrier_wait(arrival_token&&) const { sync(); }

  ECLOSION_MEMBER static GridCount num_blocks() {
    return (GridCount)gridDim.x * gridDim.y * gridDim.z;
  }
  ECLOSION_MEMBER static GridCount block_rank() {
    return ((GridCount)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x +
           blockIdx.x;
  }
  ECLOSION_MEMBER static GridCount size() {
    return num_blocks() * thread_block::size();
  }
  ECLOSION_MEMBER static GridCount num_threads() { return size(); }
  ECLOSION_MEMBER static GridCount thread_rank() {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
  ECLOSION_MEMBER static dim3 group_dim() { return gridDim; }
  ECLOSION_MEMBER static dim3 dim_blocks() { return gridDim; }
  ECLOSION_MEMBER static dim3 block_index() { return blockIdx; }
  ECLOSION_MEMBER static dim3 dim_threads() {
    return dim3(gridDim.x * blockDim.x, gridDim.y * blockDim.y,
                gridDim.z * blockDim.z);
  }
  ECLOSION_MEMBER static dim3 thread_index() {
    return dim3(blockIdx.x * blockDim.x + threadIdx.x,
                blockIdx.y * blockDim.y + threadIdx.y,
                blockIdx.z * blockDim.z + threadIdx.z);
  }
};

ECLOSION_FUNCTION grid_group this_grid() { return grid_group(); }

// Groups that are not emulated are named, so that their use says so.
class cluster_group;
class multi_grid_group;
template <typename T = void>
ECLOSION_FUNCTION thread_group this_cluster() {
  static_assert(__is_same(T, T*),
                "the emulator has no clusters of blocks: this_cluster()");
}
template <typename T = void>
ECLOSION_FUNCTION thread_group this_multi_grid() {
  static_assert(__is_same(T, T*),
                "the emulator has no launches on several devices at once: "
                "this_multi_grid()");
}

ECLOSION_MEMBER GroupCount thread_group::size() const {
  switch (kind_) {
    case kBlock:
      return thread_block::size();
    case kGrid:
      return grid_group::size();
    default:
      return eclosion_device::count_of(lanes_);
  }
}

ECLOSION_MEMBER GroupCount thread_group::thread_rank() const {
  switch (kind_) {
    case kBlock:
      return thread_block::thread_rank();
    case kGrid:
      return grid_group::thread_rank();
    default:
      return eclosion_device::rank_in(lanes_);
  }
}

ECLOSION_MEMBER void thread_group::sync() const {
  switch (kind_) {
    case kBlock:
      return thread_block::sync();
    case kGrid:
      return eclosion_grid_barrier();
    default:
      eclosion_device::vote(ECLOSION_VOTE_SYNC, 0, lanes_);
  }
}

template <typename Group>
ECLOSION_FUNCTION void sync(const Group& group) {
  group.sync();
}
template <typename Group>
ECLOSION_FUNCTION auto thread_rank(const Group& group)
    -> decltype(group.thread_rank()) {
  return group.thread_rank();
}
template <typename Group>
ECLOSION_FUNCTION auto group_size(const Group& group)
    -> decltype(group.num_threads()) {
  return group.num_threads();
}

}  // namespace cooperative_groups
