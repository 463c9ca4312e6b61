// Contexts of threads and devices, initialization, and what a fork leaves.
#include "state.h"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "device.h"
#include "handles.h"
#include "memory.h"
#include "objects.h"
#include "peers.h"
#include "scheduler.h"
#include "stream.h"

namespace eclosion::cuda {
namespace {

struct Process {
  std::mutex lock;
  std::atomic<bool> is_initialized{false};  // last of what it stands for
  std::vector<ContextRef> primaries;
  emulator::Handles<CUcontext, Context> contexts;
};

// Never destroyed: other libraries' destructors still call us.
Process& process() {
  static auto* state = new Process;
  return *state;
}

thread_local std::vector<ContextRef> stack;
thread_local const void* thread_site = nullptr;

void make_current(const ContextRef& context) {
  if (context) emulator::set_current_device(context->device);
}

// The devices that the program sees are chosen once, before anything is asked.
int count_devices() {
  static const bool is_shown = [] {
    emulator::show_devices(std::getenv("CUDA_VISIBLE_DEVICES"));
    return true;
  }();
  return is_shown ? emulator::device_count() : 0;
}

// cudaLaunchHostFunc, cuLaunchHostFunc (cuda.h): what they run makes no calls.
Status check_caller(unsigned needs) {
  if (emulator::is_in_host_function()) return Status::kNotPermitted;
  return (needs & kNoCapture) != 0 ? emulator::check_not_capturing()
                                   : Status::kSuccess;
}

void activate(Context& context) {
  if (context.is_runtimes) return;
  const std::lock_guard held(process().lock);
  if (context.is_runtimes) return;
  context.is_runtimes = true;
  ++context.retained;
  context.is_alive = true;
}

}  // namespace

bool is_device(int device) { return device >= 0 && device < count_devices(); }

Status initialize() {
  Process& state = process();
  if (emulator::is_forked_child()) return Status::kNotInitialized;
  if (state.is_initialized) return Status::kSuccess;
  if (count_devices() == 0) return Status::kNoDevice;
  const std::lock_guard held(state.lock);
  if (state.is_initialized) return Status::kSuccess;
  for (int device = 0; device < count_devices(); ++device) {
    auto context = std::make_shared<Context>();
    context->device = device;
    context->is_primary = true;
    context->handle = state.contexts.add(context);
    state.primaries.push_back(context);
  }
  // From here on a fork leaves a process without the scheduler's threads.
  emulator::Scheduler::get();
  state.is_initialized = true;
  return Status::kSuccess;
}

Status prepare_driver(unsigned needs) {
  if (needs == kNothing) return Status::kSuccess;
  const Process& state = process();
  if (!state.is_initialized || emulator::is_forked_child()) {
    return Status::kNotInitialized;
  }
  if ((needs & kContext) != 0) {
    const ContextRef context = current_context();
    if (!context || !context->is_alive) return Status::kInvalidContext;
    const Status failure = emulator::device_failure(context->device);
    if (failure != Status::kSuccess) return failure;
  }
  return check_caller(needs);
}

Status prepare_runtime(unsigned needs) {
  if (needs == kNothing) return Status::kSuccess;
  const Status status = initialize();
  if (status != Status::kSuccess) return status;
  if ((needs & kContext) != 0) {
    ContextRef context = current_context();
    if (!context) {
      context = primary_context(emulator::current_device());
      set_current_context(context);
    }
    if (context->is_primary) activate(*context);
    const Status failure = emulator::device_failure(context->device);
    if (failure != Status::kSuccess) return failure;
  }
  return check_caller(needs);
}

ContextRef current_context() { return stack.empty() ? nullptr : stack.back(); }

void set_current_context(const ContextRef& context) {
  if (!stack.empty()) stack.pop_back();
  if (context) stack.push_back(context);
  make_current(current_context());
}

void push_context(const ContextRef& context) {
  stack.push_back(context);
  make_current(context);
}

ContextRef pop_context() {
  const ContextRef context = current_context();
  if (context) stack.pop_back();
  make_current(current_context());
  return context;
}

ContextRef create_context(int device, unsigned flags) {
  auto context = std::make_shared<Context>();
  context->device = device;
  context->flags = flags;
  context->is_alive = true;
  context->handle = process().contexts.add(context);
  push_context(context);
  return context;
}

ContextRef primary_context(int device) {
  return process().primaries.at(static_cast<std::size_t>(device));
}

ContextRef find_context(CUcontext handle) {
  return process().contexts.find(handle);
}

Status destroy_context(CUcontext handle) {
  const ContextRef context = find_context(handle);
  if (!context || context->is_primary) return Status::kInvalidContext;
  process().contexts.take(handle);
  context->is_alive = false;
  // cuCtxDestroy (cuda.h): one that is the caller's current is popped too.
  if (current_context() == context) pop_context();
  return Status::kSuccess;
}

Status retain_primary(int device, ContextRef* context) {
  *context = primary_context(device);
  const std::lock_guard held(process().lock);
  ++(*context)->retained;
  (*context)->is_alive = true;
  return Status::kSuccess;
}

Status release_primary(int device) {
  const ContextRef context = primary_context(device);
  {
    const std::lock_guard held(process().lock);
    if (context->retained == 0) return Status::kInvalidContext;
    if (--context->retained > 0) return Status::kSuccess;
  }
  return reset_primary(device);
}

Status reset_primary(int device) {
  const ContextRef context = primary_context(device);
  const Status status = emulator::reset_device(device);
  forget_objects(device);
  emulator::reset_peers(device);
  emulator::Memory::get().free_all(device, nullptr);
  const std::lock_guard held(process().lock);
  context->retained = 0;
  context->is_runtimes = false;
  context->is_alive = false;
  return status;
}

Status use_device(int device) {
  if (!is_device(device)) return Status::kInvalidDevice;
  const ContextRef context = primary_context(device);
  set_current_context(context);
  activate(*context);
  return Status::kSuccess;
}

bool has_thread_stream() { return thread_site != nullptr; }

const void* site_of(const void* site) {
  return thread_site != nullptr ? thread_site : site;
}

}  // namespace eclosion::cuda

extern "C" void eclosion_cuda_thread_stream(const void* site) {
  eclosion::cuda::thread_site = site;
}
