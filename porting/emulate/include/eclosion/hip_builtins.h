// The compiler's builtins for AMD devices that programs and the vendor's
// headers use, as functions: for another processor the compiler does not know
// them.
//
// A builtin that is not here is an error at the line that uses it.
#pragma once

#include "barriers.h"
#include "hip_lanes.h"
#include "indices.h"

// Lanes.
ECLOSION_FUNCTION unsigned __builtin_amdgcn_wavefrontsize() {
  return eclosion_device::wave_size();
}
ECLOSION_FUNCTION unsigned __builtin_amdgcn_mbcnt_lo(unsigned mask,
                                                     unsigned more) {
  return more +
         __builtin_popcount(mask & (unsigned)eclosion_device::lanes_below());
}
ECLOSION_FUNCTION unsigned __builtin_amdgcn_mbcnt_hi(unsigned mask,
                                                     unsigned more) {
  return more + __builtin_popcount(
                    mask & (unsigned)(eclosion_device::lanes_below() >> 32));
}
template <typename T>
ECLOSION_FUNCTION T __builtin_amdgcn_readfirstlane(T value) {
  return eclosion_device::read_first_lane(value);
}
template <typename T>
ECLOSION_FUNCTION T __builtin_amdgcn_readlane(T value, int from) {
  return eclosion_device::read_lane(value, from);
}
ECLOSION_FUNCTION int __builtin_amdgcn_writelane(int value, int to, int old) {
  return eclosion_device::lane_index() == to ? value : old;
}
ECLOSION_FUNCTION int __builtin_amdgcn_ds_bpermute(int address, int value) {
  return eclosion_device::pull(address, value);
}
ECLOSION_FUNCTION int __builtin_amdgcn_ds_permute(int address, int value) {
  return eclosion_device::push(address, value);
}
ECLOSION_FUNCTION int __builtin_amdgcn_ds_swizzle(int value, int pattern) {
  return eclosion_device::swizzle(value, pattern);
}
ECLOSION_FUNCTION int __builtin_amdgcn_update_dpp(int old, int value,
                                                  int control, int row_mask,
                                                  int bank_mask, bool zeroes) {
  return eclosion_device::move_dpp(old, value, control, row_mask, bank_mask,
                                   zeroes);
}
ECLOSION_FUNCTION int __builtin_amdgcn_mov_dpp(int value, int control,
                                               int row_mask, int bank_mask,
                                               bool zeroes) {
  return eclosion_device::move_dpp(0, value, control, row_mask, bank_mask,
                                   zeroes);
}
ECLOSION_FUNCTION unsigned long long __builtin_amdgcn_ballot_w64(
    bool predicate) {
  return eclosion_device::ballot(predicate, 0);
}
ECLOSION_FUNCTION unsigned __builtin_amdgcn_ballot_w32(bool predicate) {
  return (unsigned)eclosion_device::ballot(predicate, 0);
}
ECLOSION_FUNCTION unsigned long long __builtin_amdgcn_read_exec() {
  return eclosion_device::active_lanes();
}

// Barriers, waits and clocks.
ECLOSION_FUNCTION void __builtin_amdgcn_s_barrier() { __syncthreads(); }
ECLOSION_FUNCTION void __builtin_amdgcn_wave_barrier() {
  eclosion_device::vote(ECLOSION_VOTE_SYNC, 0, 0);
}
template <typename... Spaces>
ECLOSION_FUNCTION void __builtin_amdgcn_fence(int, const char*, Spaces...) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
ECLOSION_FUNCTION void __builtin_amdgcn_s_waitcnt(int) {}
ECLOSION_FUNCTION void __builtin_amdgcn_sched_barrier(int) {}
ECLOSION_FUNCTION void __builtin_amdgcn_sched_group_barrier(int, int, int) {}
ECLOSION_FUNCTION void __builtin_amdgcn_s_setprio(short) {}
ECLOSION_FUNCTION void __builtin_amdgcn_s_sleep(int) { eclosion_pause(); }
ECLOSION_FUNCTION unsigned long long __builtin_amdgcn_s_memtime() {
  return eclosion_clock();
}
ECLOSION_FUNCTION unsigned long long __builtin_amdgcn_s_memrealtime() {
  return eclosion_clock();
}
ECLOSION_FUNCTION void __builtin_amdgcn_endpgm() { eclosion_trap(); }

// Where a thread stands.
#define ECLOSION_WORK_ITEM(axis)                                        \
  ECLOSION_FUNCTION unsigned __builtin_amdgcn_workitem_id_##axis() {    \
    return threadIdx.axis;                                              \
  }                                                                     \
  ECLOSION_FUNCTION unsigned __builtin_amdgcn_workgroup_id_##axis() {   \
    return blockIdx.axis;                                               \
  }                                                                     \
  ECLOSION_FUNCTION unsigned __builtin_amdgcn_workgroup_size_##axis() { \
    return blockDim.axis;                                               \
  }                                                                     \
  ECLOSION_FUNCTION unsigned __builtin_amdgcn_grid_size_##axis() {      \
    return gridDim.axis * blockDim.axis;                                \
  }
ECLOSION_WORK_ITEM(x)
ECLOSION_WORK_ITEM(y)
ECLOSION_WORK_ITEM(z)
#undef ECLOSION_WORK_ITEM

ECLOSION_FUNCTION bool __builtin_amdgcn_is_shared(const void* address) {
  return eclosion_address_space(address) == 1;
}
ECLOSION_FUNCTION bool __builtin_amdgcn_is_private(const void* address) {
  return eclosion_address_space(address) == 4;
}
