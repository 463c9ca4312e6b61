// Two GPUs that are none: their memory is the host's, and work is done when it
// is put into a stream. What a call has to be for, it is strict about.
#pragma once

#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

constexpr int kDevices = 2;

using Work = std::function<void()>;

struct Capture;

// The vendor's opaque types.
struct ihipStream_t {
  int device;
  Capture* capture = nullptr;
};

struct ihipEvent_t {
  int device;
  unsigned flags;
  bool is_recorded = false;
  double time = 0;
  // Where it is in a recording, which may be over.
  bool is_captured = false;
  std::uint64_t recording = 0;
  hipStream_t stream = nullptr;
  std::size_t number = 0;
};

struct ihipGraph {
  std::vector<Work> work;
};

struct hipGraphExec {
  std::vector<Work> work;
};

struct Capture {
  std::uint64_t id;
  hipStream_t origin;
  std::vector<Work> work;
  std::map<hipStream_t, std::size_t> numbers;
  std::set<hipStream_t> apart;
  bool is_spoiled = false;
};

struct Allocation {
  std::size_t size;
  int device;
};

struct State {
  std::recursive_mutex lock;
  std::map<std::uintptr_t, Allocation> memory;
  std::map<std::uintptr_t, std::size_t> pinned;
  std::set<std::pair<int, int>> peers;
  std::map<const void*, const char*> kernels;
  std::set<int> active;
  std::uint64_t recordings = 0;
};

State& state();
int& current();

inline std::uintptr_t number_of(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

// A call works on the current device: that is used now.
inline void use() { state().active.insert(current()); }

// Do a piece of work in a stream's order, or record it. A stream whose device
// is not the current one refuses it.
hipError_t put(hipStream_t stream, Work work);

// Whether a call may wait for a stream; if not, its recording is spoiled.
hipError_t waitable(hipStream_t stream);
