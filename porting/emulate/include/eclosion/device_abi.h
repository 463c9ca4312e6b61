// What device code and the emulator ask of each other, in C.
//
// Kernels are compiled for the processor into a sidecar library. The headers
// beside this one express the vendors' device functions by the functions
// declared here, which the emulator defines. Nothing here has a vendor's name.
//
// Loads and stores of a sidecar call the __tsan_* functions and shared
// variables __emutls_get_address; both are defined by the emulator too.
#pragma once

#ifndef ECLOSION_DEVICE
#define ECLOSION_DEVICE
#endif

#define ECLOSION_DEVICE_ABI 1

// Device code reads the lane through an address space of its own, which the
// compiler does not instrument.
#if defined(__CUDA__) || defined(__HIP__)
#define ECLOSION_LANE_SPACE __attribute__((address_space(1)))
#else
#define ECLOSION_LANE_SPACE
#endif

#ifdef __cplusplus
extern "C" {
#endif

// Where the calling GPU thread stands. The first members of the emulator's own
// lane, so an address of one is an address of the other.
struct eclosion_lane {
  unsigned thread_idx[3];
  unsigned block_idx[3];
  unsigned block_dim[3];
  unsigned grid_dim[3];
  unsigned lane;       // in its wave
  unsigned wave;       // in its block
  unsigned wave_size;  // 32 or 64
  unsigned thread;     // in its block, x fastest
};

// How a lane is chosen that a value is read from.
enum eclosion_shuffle {
  ECLOSION_SHUFFLE_INDEX,
  ECLOSION_SHUFFLE_UP,
  ECLOSION_SHUFFLE_DOWN,
  ECLOSION_SHUFFLE_XOR,
};

// What a wave computes of one value per lane.
enum eclosion_vote {
  ECLOSION_VOTE_BALLOT,  // lanes whose value is not 0, as a mask
  ECLOSION_VOTE_ANY,
  ECLOSION_VOTE_ALL,
  ECLOSION_VOTE_UNIFORM,    // whether all values are 0 or none is
  ECLOSION_VOTE_ACTIVE,     // the lanes that take part, as a mask
  ECLOSION_VOTE_MATCH_ANY,  // lanes with the caller's value, as a mask
  ECLOSION_VOTE_MATCH_ALL,  // all lanes if all have one value, else 0
  ECLOSION_VOTE_ADD,        // of 64-bit integers, which wrap
  ECLOSION_VOTE_MIN,        // of signed values
  ECLOSION_VOTE_MAX,
  ECLOSION_VOTE_UMIN,
  ECLOSION_VOTE_UMAX,
  ECLOSION_VOTE_AND,
  ECLOSION_VOTE_OR,
  ECLOSION_VOTE_XOR,
  ECLOSION_VOTE_SYNC,  // no value: lanes wait for each other
};

// What a block computes of one predicate per thread at a barrier.
enum eclosion_block_vote {
  ECLOSION_BLOCK_NONE,
  ECLOSION_BLOCK_COUNT,
  ECLOSION_BLOCK_AND,
  ECLOSION_BLOCK_OR,
};

// The calling lane; the same for the whole life of a GPU thread.
ECLOSION_DEVICE const ECLOSION_LANE_SPACE struct eclosion_lane*
eclosion_lane_now(void) __attribute__((const));

// Wait for all threads of the block. Orders memory of the block.
ECLOSION_DEVICE int eclosion_block_barrier(int vote, int predicate);

// Wait for all threads of a grid that was launched cooperatively.
ECLOSION_DEVICE void eclosion_grid_barrier(void);

// Whether this launch may wait for its whole grid.
ECLOSION_DEVICE int eclosion_grid_is_cooperative(void);

// Read the value of another lane. `argument`: the lane, distance or xor mask.
// `width`: lanes of a part that reads only within itself, a power of two.
// `mask`: the lanes that take part, which all have to come; 0: those that come
// here together (the vendor without masks).
ECLOSION_DEVICE unsigned long long eclosion_wave_shuffle(
    int kind, unsigned long long value, int argument, int width,
    unsigned long long mask);

// Compute something of a value per lane; every lane gets the result.
ECLOSION_DEVICE unsigned long long eclosion_wave_vote(int kind,
                                                      unsigned long long value,
                                                      unsigned long long mask);

// Announce an atomic access, which is no race, to memory of `size` bytes.
ECLOSION_DEVICE void eclosion_check_atomic(const volatile void* address,
                                           unsigned size);

// Let other threads of the block run: for what waits in a loop.
ECLOSION_DEVICE void eclosion_pause(void);

// printf of device code. The first gives the number of characters, as C does;
// the second that of arguments, or -1 without a format (CUDA C++ Programming
// Guide, "Formatted Output").
ECLOSION_DEVICE int eclosion_printf(const char* format, ...);
ECLOSION_DEVICE int eclosion_printf_arguments(const char* format, ...);

ECLOSION_DEVICE void eclosion_assert_failed(const char* expression,
                                            const char* file, unsigned line,
                                            const char* function)
    __attribute__((noreturn));
ECLOSION_DEVICE void eclosion_trap(void) __attribute__((noreturn));

// The heap of device code; 0 when it is full.
ECLOSION_DEVICE void* eclosion_device_malloc(unsigned long long size);
ECLOSION_DEVICE void eclosion_device_free(void* address);

// Ticks of one clock for all blocks, in ns; the width of a wave does not
// matter.
ECLOSION_DEVICE unsigned long long eclosion_clock(void);

// Bytes of dynamic shared memory of this launch.
ECLOSION_DEVICE unsigned eclosion_dynamic_shared_size(void);

// 1 shared by the block, 2 global (device, pinned or managed), 3 constant,
// 4 private of the thread, 0 unknown.
ECLOSION_DEVICE int eclosion_address_space(const void* address);

#ifdef __cplusplus
}
#endif
