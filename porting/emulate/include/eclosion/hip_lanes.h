// The data paths between lanes that AMD's builtins name: permutes, DPP and
// swizzles, over the wave operations. "AMD Instinct MI300 ISA", sections "Data
// Parallel Primitives" and "DS Permute and Swizzle", says which lane is read.
#pragma once

#include "wave.h"

namespace eclosion_device {

// The lanes that run here together: this vendor's operations have no mask.
ECLOSION_FUNCTION Word active_lanes() {
  return vote(ECLOSION_VOTE_ACTIVE, 1, 0);
}

ECLOSION_FUNCTION int lane_index() { return (int)lane_in_wave(); }

template <typename T>
ECLOSION_FUNCTION T read_lane(T value, int from) {
  return shuffle(ECLOSION_SHUFFLE_INDEX, value, from, (int)wave_size(), 0);
}

template <typename T>
ECLOSION_FUNCTION T read_first_lane(T value) {
  return read_lane(value, __builtin_ctzll(active_lanes()));
}

// The value of lane `from`, or `otherwise` where there is no such lane that
// runs.
template <typename T>
ECLOSION_FUNCTION T read_lane_or(T value, int from, T otherwise) {
  const Word active = active_lanes();  // of all, also where nothing is read
  const bool there = from >= 0 && (active >> from & 1) != 0;
  const T read = read_lane(value, there ? from : lane_index());
  return there ? read : otherwise;
}

// Pull: each lane names the one it reads, in bytes. 0 of one that does not run.
ECLOSION_FUNCTION int pull(int address, int value) {
  return read_lane_or(value, (address >> 2) & ((int)wave_size() - 1), 0);
}

// Push: each lane names the one that gets its value. The last of several wins.
ECLOSION_FUNCTION int push(int address, int value) {
  const int self = lane_index();
  const int to = (address >> 2) & ((int)wave_size() - 1);
  int from = -1;
  for (Word left = active_lanes(); left != 0; left &= left - 1) {
    const int other = __builtin_ctzll(left);
    if (read_lane(to, other) == self) from = other;
  }
  const int read = read_lane(value, from < 0 ? self : from);
  return from < 0 ? 0 : read;
}

// The lane that a DPP control reads, -1: none. `row`: 16 lanes.
ECLOSION_FUNCTION int dpp_row_source(int control, int self) {
  const int row = self & ~15;
  const int place = self & 15;
  const int by = control & 15;
  switch (control & 0x1F0) {
    case 0x100:  // row_shl
      return place + by < 16 ? self + by : -1;
    case 0x110:  // row_shr
      return place - by >= 0 ? self - by : -1;
    case 0x120:  // row_ror
      return row + ((place - by) & 15);
    case 0x150:  // row_newbcast, row_share
      return row + by;
    case 0x160:  // row_xmask
      return self ^ by;
    default:
      return -1;
  }
}

ECLOSION_FUNCTION int dpp_source(int control, int self) {
  const int lanes = (int)wave_size();
  if (control < 0x100) {  // quad_perm
    return (self & ~3) + (control >> (2 * (self & 3)) & 3);
  }
  switch (control) {
    case 0x130:  // wave_shl
      return self + 1 < lanes ? self + 1 : -1;
    case 0x134:  // wave_rol
      return (self + 1) & (lanes - 1);
    case 0x138:  // wave_shr
      return self - 1;
    case 0x13C:  // wave_ror
      return (self - 1) & (lanes - 1);
    case 0x140:  // row_mirror
      return self ^ 15;
    case 0x141:  // row_half_mirror
      return self ^ 7;
    case 0x142:  // row_bcast15: the last lane of the row before
      return (self & ~15) - 1;
    case 0x143:  // row_bcast31: lane 31, for the rows behind it
      return self < 32 ? -1 : 31;
    default:
      return dpp_row_source(control, self);
  }
}

// Rows and banks (of 4 lanes) that a mask leaves out keep `old`; so does a lane
// with nothing to read, unless `zeroes`.
ECLOSION_FUNCTION int move_dpp(int old, int value, int control, int row_mask,
                               int bank_mask, bool zeroes) {
  const int self = lane_index();
  const bool written = (row_mask >> (self >> 4 & 3) & 1) != 0 &&
                       (bank_mask >> (self >> 2 & 3) & 1) != 0;
  const int moved =
      read_lane_or(value, dpp_source(control, self), zeroes ? 0 : old);
  return written ? moved : old;
}

// Within 4 lanes (bit 15 of the pattern), else within 32 by three masks.
ECLOSION_FUNCTION int swizzle(int value, int pattern) {
  const int self = lane_index();
  int from;
  if ((pattern & 0x8000) != 0) {
    from = (self & ~3) + (pattern >> (2 * (self & 3)) & 3);
  } else {
    const int place =
        ((self & pattern & 31) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31);
    from = (self & ~31) + place;
  }
  return read_lane_or(value, from, 0);
}

}  // namespace eclosion_device
