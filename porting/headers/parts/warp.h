// Warp functions of CUDA for GPUs with 32 and with 64 lanes in a wavefront.
// Read by porting/headers/parts.py: each section begins with `//@`, its name
// and what it needs; a header gets the sections of the names a tree uses.

//@ eclosion_warp_base
// A CUDA warp has 32 lanes: half of a 64-wide wavefront, all of a 32-wide one.
// This is the wavefront's lane that lane 0 of this warp is: 0 or 32.
__device__ inline unsigned eclosion_warp_base() { return __lane_id() & 32u; }

//@ eclosion_vote needs eclosion_warp_base
// The lanes of this warp that are here and vote yes. The other warp of a
// 64-wide wavefront may be here too, or be elsewhere: its lanes are not seen.
__device__ inline unsigned eclosion_vote(bool vote) {
  return static_cast<unsigned>(__ballot64(vote) >> eclosion_warp_base());
}

//@ eclosion_from_lane
// The value of a lane of the wavefront. What the caller's other lanes left
// undefined must not become undefined behaviour here, hence maybe_undef.
template <typename T>
__device__ inline T eclosion_from_lane(__attribute__((maybe_undef)) T value,
                                       int lane) {
  unsigned words[(sizeof(T) + 3) / 4] = {};
  __builtin_memcpy(words, &value, sizeof(T));
  for (unsigned& word : words) {
    word = static_cast<unsigned>(
        __builtin_amdgcn_ds_bpermute(lane * 4, static_cast<int>(word)));
  }
  T result = value;
  __builtin_memcpy(&result, words, sizeof(T));
  return result;
}

//@ __shfl_sync needs eclosion_from_lane
// Segments are at most 32 lanes wide, so a lane stays in its own warp.
template <typename T>
__device__ inline T __shfl_sync(unsigned, __attribute__((maybe_undef)) T value,
                                int source, int width = 32) {
  const int self = static_cast<int>(__lane_id());
  return eclosion_from_lane(value,
                            (self & ~(width - 1)) | (source & (width - 1)));
}

//@ __shfl_up_sync needs eclosion_from_lane
template <typename T>
__device__ inline T __shfl_up_sync(unsigned,
                                   __attribute__((maybe_undef)) T value,
                                   unsigned delta, int width = 32) {
  const unsigned self = __lane_id();
  const unsigned place = self & static_cast<unsigned>(width - 1);
  return eclosion_from_lane(
      value, static_cast<int>(delta > place ? self : self - delta));
}

//@ __shfl_down_sync needs eclosion_from_lane
template <typename T>
__device__ inline T __shfl_down_sync(unsigned,
                                     __attribute__((maybe_undef)) T value,
                                     unsigned delta, int width = 32) {
  const unsigned self = __lane_id();
  const unsigned last = static_cast<unsigned>(width - 1);
  const unsigned room = last - (self & last);
  return eclosion_from_lane(
      value, static_cast<int>(delta > room ? self : self + delta));
}

//@ __shfl_xor_sync needs eclosion_from_lane
// A lane of an earlier segment can be read, one of a later segment cannot.
template <typename T>
__device__ inline T __shfl_xor_sync(unsigned,
                                    __attribute__((maybe_undef)) T value,
                                    int lanes, int width = 32) {
  const int self = static_cast<int>(__lane_id());
  const int other = self ^ (lanes & 31);
  const int last = self | (width - 1);
  return eclosion_from_lane(value, other > last ? self : other);
}

//@ __ballot_sync needs eclosion_vote
__device__ inline unsigned __ballot_sync(unsigned mask, int predicate) {
  return eclosion_vote(predicate != 0) & mask;
}

//@ __any_sync needs eclosion_vote
__device__ inline int __any_sync(unsigned mask, int predicate) {
  return (eclosion_vote(predicate != 0) & mask) != 0;
}

//@ __all_sync needs eclosion_vote
// A lane that has left the kernel does not vote, so it cannot object.
__device__ inline int __all_sync(unsigned mask, int predicate) {
  return (eclosion_vote(predicate == 0) & mask) == 0;
}

//@ __uni_sync needs eclosion_vote
__device__ inline int __uni_sync(unsigned mask, int predicate) {
  const unsigned yes = eclosion_vote(predicate != 0) & mask;
  return yes == 0 || yes == (eclosion_vote(true) & mask);
}

//@ __activemask needs eclosion_vote
__device__ inline unsigned __activemask() { return eclosion_vote(true); }

//@ __syncwarp
// The lanes of a wavefront execute together; what is left to do is to keep
// their loads and stores on either side of this point.
__device__ inline void __syncwarp(unsigned = 0xffffffffu) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

//@ __match_any_sync needs eclosion_vote
// Each round settles the lanes, of both warps of the wavefront, whose value is
// that of the first lane left. Every lane compares in every round it is in:
// a vote inside a branch would count only the lanes that took it.
template <typename T>
__device__ inline unsigned __match_any_sync(unsigned mask, T value) {
  unsigned words[(sizeof(T) + 3) / 4] = {};
  __builtin_memcpy(words, &value, sizeof(T));
  for (;;) {
    bool same = true;
    for (const unsigned word : words) {
      const int own = static_cast<int>(word);
      const int first = __builtin_amdgcn_readfirstlane(own);
      same = same && own == first;
    }
    const unsigned vote = eclosion_vote(same);
    if (same) return vote & mask;
  }
}

//@ __match_all_sync needs __match_any_sync
template <typename T>
__device__ inline unsigned __match_all_sync(unsigned mask, T value, int* same) {
  const unsigned present = eclosion_vote(true) & mask;
  *same = __match_any_sync(mask, value) == present;
  return *same ? mask : 0;
}

//@ eclosion_reduce needs eclosion_vote eclosion_from_lane
// Combines the values of the lanes that `mask` names and that are still here,
// in the order of their numbers. Lanes with the same mask go round together,
// so the lane that is read from is never one that has left the loop.
template <typename T, typename Combine>
__device__ inline T eclosion_reduce(unsigned mask, T value, Combine combine) {
  const int base = static_cast<int>(eclosion_warp_base());
  unsigned left = eclosion_vote(true) & mask;
  T result = eclosion_from_lane(value, base + __builtin_ctz(left));
  for (left &= left - 1; left != 0; left &= left - 1) {
    result =
        combine(result, eclosion_from_lane(value, base + __builtin_ctz(left)));
  }
  return result;
}

//@ __reduce_add_sync needs eclosion_reduce
template <typename T>
__device__ inline T __reduce_add_sync(unsigned mask, T value) {
  return eclosion_reduce(mask, value, [](T a, T b) {
    return static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
  });
}

//@ __reduce_min_sync needs eclosion_reduce
template <typename T>
__device__ inline T __reduce_min_sync(unsigned mask, T value) {
  return eclosion_reduce(mask, value, [](T a, T b) { return b < a ? b : a; });
}

//@ __reduce_max_sync needs eclosion_reduce
template <typename T>
__device__ inline T __reduce_max_sync(unsigned mask, T value) {
  return eclosion_reduce(mask, value, [](T a, T b) { return a < b ? b : a; });
}

//@ __reduce_and_sync needs eclosion_reduce
__device__ inline unsigned __reduce_and_sync(unsigned mask, unsigned value) {
  return eclosion_reduce(mask, value,
                         [](unsigned a, unsigned b) { return a & b; });
}

//@ __reduce_or_sync needs eclosion_reduce
__device__ inline unsigned __reduce_or_sync(unsigned mask, unsigned value) {
  return eclosion_reduce(mask, value,
                         [](unsigned a, unsigned b) { return a | b; });
}

//@ __reduce_xor_sync needs eclosion_reduce
__device__ inline unsigned __reduce_xor_sync(unsigned mask, unsigned value) {
  return eclosion_reduce(mask, value,
                         [](unsigned a, unsigned b) { return a ^ b; });
}

//@ __shfl needs __shfl_sync
// The forms of CUDA 8. HIP has functions of these names for whole wavefronts.
#define __shfl(...) __shfl_sync(0xffffffffu, __VA_ARGS__)

//@ __shfl_up needs __shfl_up_sync
#define __shfl_up(...) __shfl_up_sync(0xffffffffu, __VA_ARGS__)

//@ __shfl_down needs __shfl_down_sync
#define __shfl_down(...) __shfl_down_sync(0xffffffffu, __VA_ARGS__)

//@ __shfl_xor needs __shfl_xor_sync
#define __shfl_xor(...) __shfl_xor_sync(0xffffffffu, __VA_ARGS__)

//@ __ballot needs __ballot_sync
#define __ballot(predicate) __ballot_sync(0xffffffffu, predicate)

//@ __any needs __any_sync
#define __any(predicate) __any_sync(0xffffffffu, predicate)

//@ __all needs __all_sync
#define __all(predicate) __all_sync(0xffffffffu, predicate)
