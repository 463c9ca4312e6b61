// The process as the driver sees it: whether it is initialized, and which
// context each thread has.
//
// Contexts of one device share its memory and streams: they differ in who made
// them. The runtime uses the primary ones.
#pragma once

#include <cuda.h>

#include <atomic>
#include <memory>

#include "statuses.h"

namespace eclosion::cuda {

struct Context {
  int device = 0;
  bool is_primary = false;
  unsigned flags = 0;
  CUcontext handle = nullptr;
  // Of a primary one: how often it was retained; the runtime does so once.
  int retained = 0;
  std::atomic<bool> is_runtimes{false};
  std::atomic<bool> is_alive{false};
};
using ContextRef = std::shared_ptr<Context>;

// What a call needs before it does its work; combined with |.
inline constexpr unsigned kNothing = 0;
inline constexpr unsigned kDriver = 1;     // initialized, with a device
inline constexpr unsigned kContext = 2;    // a context of the calling thread
inline constexpr unsigned kNoCapture = 4;  // forbidden while work is captured

// kSuccess, or why the call must not go on.
Status prepare_driver(unsigned needs);
// The runtime makes what it needs: it initializes the driver and makes the
// primary context of the current device.
Status prepare_runtime(unsigned needs);

Status initialize();

// The context of the calling thread; null: none.
ContextRef current_context();
void set_current_context(const ContextRef& context);
void push_context(const ContextRef& context);
ContextRef pop_context();

ContextRef create_context(int device, unsigned flags);
ContextRef primary_context(int device);
ContextRef find_context(CUcontext handle);
Status destroy_context(CUcontext handle);
Status retain_primary(int device, ContextRef* context);
Status release_primary(int device);
// Everything of the device is given up, and its failure with it.
Status reset_primary(int device);

// Make a device's primary context the thread's, as cudaSetDevice does.
Status use_device(int device);
bool is_device(int device);

// Whether a null stream is the thread's own: set by the functions whose names
// end in _ptsz or _ptds while they run.
bool has_thread_stream();
// Where the program called: `site`, or the caller of such a function.
const void* site_of(const void* site);

}  // namespace eclosion::cuda

// Begin such a call, which was made at `site`; null: end it.
extern "C" void eclosion_cuda_thread_stream(const void* site);
