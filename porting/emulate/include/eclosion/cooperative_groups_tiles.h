// Groups within a wave: tiles of a size that the compiler knows, and the lanes
// that come together.
//
// All members of a group take part in its operations, as both vendors ask; one
// that stays away is found.
#pragma once

#include "cooperative_groups_types.h"

namespace cooperative_groups {

#if defined(__HIP__)
inline constexpr unsigned kLargestTile = __AMDGCN_WAVEFRONT_SIZE;
#else
inline constexpr unsigned kLargestTile = 32;
#endif

// What all groups within a wave do, over the set of lanes in thread_group.
class lane_group : public thread_group {
 public:
  ECLOSION_MEMBER unsigned meta_group_rank() const { return meta_rank_; }
  ECLOSION_MEMBER unsigned meta_group_size() const { return meta_size_; }
  ECLOSION_MEMBER void sync() const {
    eclosion_device::vote(ECLOSION_VOTE_SYNC, 0, lanes_);
  }

  ECLOSION_MEMBER int any(int predicate) const {
    return (int)eclosion_device::vote(ECLOSION_VOTE_ANY, predicate != 0,
                                      lanes_);
  }
  ECLOSION_MEMBER int all(int predicate) const {
    return (int)eclosion_device::vote(ECLOSION_VOTE_ALL, predicate != 0,
                                      lanes_);
  }
  // Masks are of ranks, not of lanes.
  ECLOSION_MEMBER LaneMask ballot(int predicate) const {
    return (LaneMask)eclosion_device::packed(
        eclosion_device::ballot(predicate != 0, lanes_), lanes_);
  }
  template <typename T>
  ECLOSION_MEMBER LaneMask match_any(T value) const {
    return (LaneMask)eclosion_device::packed(
        eclosion_device::match_any(value, lanes_), lanes_);
  }
  template <typename T>
  ECLOSION_MEMBER LaneMask match_all(T value, int& is_same) const {
    return (LaneMask)eclosion_device::packed(
        eclosion_device::match_all(value, lanes_, &is_same), lanes_);
  }

 protected:
  ECLOSION_MEMBER lane_group(Word lanes, unsigned meta_rank, unsigned meta_size)
      : thread_group(lanes, meta_rank, meta_size) {}

  template <typename T>
  ECLOSION_MEMBER T value_of(const T& value, unsigned rank) const {
#if defined(__HIP__)
    static_assert(__is_integral(T) || __is_floating_point(T),
                  "groups of this platform shuffle numbers alone");
#endif
    return eclosion_device::moved(
        value, eclosion_device::lane_with(lanes_, rank), lanes_);
  }
};

// Lanes that came together when it was made.
class coalesced_group : public lane_group {
 public:
  ECLOSION_MEMBER explicit coalesced_group(Word lanes, unsigned meta_rank = 0,
                                           unsigned meta_size = 1)
      : lane_group(lanes, meta_rank, meta_size) {}

  ECLOSION_MEMBER unsigned size() const {
    return eclosion_device::count_of(lanes_);
  }
  ECLOSION_MEMBER unsigned num_threads() const { return size(); }
  ECLOSION_MEMBER unsigned thread_rank() const {
    return eclosion_device::rank_in(lanes_);
  }

  template <typename T>
  ECLOSION_MEMBER T shfl(T value, int rank) const {
    return value_of(value, (unsigned)rank % size());
  }
  template <typename T>
  ECLOSION_MEMBER T shfl_up(T value, unsigned distance) const {
    const unsigned self = thread_rank();
    return value_of(value, distance > self ? self : self - distance);
  }
  template <typename T>
  ECLOSION_MEMBER T shfl_down(T value, unsigned distance) const {
    const unsigned self = thread_rank();
    return value_of(value, self + distance >= size() ? self : self + distance);
  }
};

ECLOSION_FUNCTION coalesced_group coalesced_threads() {
  return coalesced_group(eclosion_device::vote(ECLOSION_VOTE_ACTIVE, 1, 0));
}

// `kSize` lanes that stand together. The last tile of a block may be smaller.
template <unsigned kSize>
class tile_of_size : public lane_group {
  static_assert(kSize > 0 && (kSize & (kSize - 1)) == 0,
                "the size of a tile is a power of two");
  static_assert(kSize <= kLargestTile,
                "the emulator has tiles within one warp (wavefront) alone");

 public:
  ECLOSION_MEMBER tile_of_size(unsigned meta_rank, unsigned meta_size)
      : lane_group(eclosion_device::lanes_of_part(kSize), meta_rank,
                   meta_size) {}

  ECLOSION_MEMBER static constexpr unsigned size() { return kSize; }
  ECLOSION_MEMBER static constexpr unsigned num_threads() { return kSize; }
  ECLOSION_MEMBER static unsigned thread_rank() {
    return eclosion_device::lane_in_wave() & (kSize - 1);
  }

  template <typename T>
  ECLOSION_MEMBER T shfl(T value, int rank) const {
    return from_rank(value, (unsigned)rank & (kSize - 1));
  }
  template <typename T>
  ECLOSION_MEMBER T shfl_up(T value, unsigned distance) const {
    const unsigned self = thread_rank();
    return from_rank(value, distance > self ? self : self - distance);
  }
  template <typename T>
  ECLOSION_MEMBER T shfl_down(T value, unsigned distance) const {
    const unsigned self = thread_rank();
    return from_rank(value, distance >= kSize - self ? self : self + distance);
  }
  template <typename T>
  ECLOSION_MEMBER T shfl_xor(T value, unsigned lanes) const {
    const unsigned other = thread_rank() ^ lanes;
    return from_rank(value, other >= kSize ? thread_rank() : other);
  }

 private:
  // Of a smaller tile, a rank that has no thread is a lane that is not there.
  template <typename T>
  ECLOSION_MEMBER T from_rank(const T& value, unsigned rank) const {
#if defined(__HIP__)
    static_assert(__is_integral(T) || __is_floating_point(T),
                  "groups of this platform shuffle numbers alone");
#endif
    const unsigned first = eclosion_device::lane_in_wave() & ~(kSize - 1);
    return eclosion_device::moved(value, (int)(first + rank), lanes_);
  }
};

template <unsigned kSize, typename Parent = void>
class thread_block_tile : public tile_of_size<kSize> {
 public:
  ECLOSION_MEMBER explicit thread_block_tile(const Parent& parent)
      : tile_of_size<kSize>(parent.thread_rank() / kSize,
                            (parent.num_threads() + kSize - 1) / kSize) {}
};

// Of any parent.
template <unsigned kSize>
class thread_block_tile<kSize, void> : public tile_of_size<kSize> {
 public:
  template <typename Parent>
  ECLOSION_MEMBER thread_block_tile(
      const thread_block_tile<kSize, Parent>& other)
      : tile_of_size<kSize>(other.meta_group_rank(), other.meta_group_size()) {}
  ECLOSION_MEMBER thread_block_tile()
      : tile_of_size<kSize>(thread_block::thread_rank() / kSize,
                            (thread_block::size() + kSize - 1) / kSize) {}
};

ECLOSION_FUNCTION thread_block_tile<1, void> this_thread() { return {}; }

// HIP's name of a tile whose size is known when the program runs.
using tiled_group = thread_group;

}  // namespace cooperative_groups
