// How a launch is checked, what is copied of it, and what its failure does.
#include "kernels.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "device.h"
#include "devices.h"
#include "front.h"
#include "handles.h"
#include "objects.h"
#include "occupancy.h"
#include "program.h"

namespace eclosion::hip {

namespace {

using emulator::Extent;
using emulator::Kernel;
using emulator::LaunchRequest;
using emulator::Operation;
using emulator::Program;

struct Functions {
  emulator::Handles<hipFunction_t, Function> handles;
  std::mutex lock;
  std::map<std::pair<const void*, std::string>, hipFunction_t> known;
};

Functions& functions() {
  static auto* all = new Functions;
  return *all;
}

Extent extent(dim3 size) { return {size.x, size.y, size.z}; }

// hip_runtime_api.h, hipModuleLaunchKernel: "HIP does not support kernel launch
// with total work items defined in dimension with size gridDim x blockDim >=
// 2^32."
bool is_too_large(dim3 grid, dim3 block) {
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 32;
  return std::uint64_t{grid.x} * block.x >= kLimit ||
         std::uint64_t{grid.y} * block.y >= kLimit ||
         std::uint64_t{grid.z} * block.z >= kLimit;
}

bool is_empty(dim3 size) { return size.x == 0 || size.y == 0 || size.z == 0; }

// What the releases say of sizes, where it is not the core's word (HIP
// documentation, "HIP API 7.0 changes", "Kernel launch APIs"): from 7.0 on a
// size of 0 is hipErrorInvalidValue, and before, so are too many threads.
hipError_t check_shape(const Launch& launch, int device) {
  const emulator::LaunchLimits& limits = emulator::device_facts(device).limits;
  const bool is_new = release_is_at_least(7);
  if (is_empty(launch.grid) || is_empty(launch.block)) {
    return is_new ? hipErrorInvalidValue : hipErrorInvalidConfiguration;
  }
  if (is_too_large(launch.grid, launch.block)) {
    return hipErrorInvalidConfiguration;
  }
  if (extent(launch.block).count() > limits.threads_per_block && !is_new) {
    return hipErrorInvalidValue;
  }
  return hipSuccess;
}

// The same document: from 7.0 on launches say hipErrorContextIsDestroyed of an
// invalid stream, the cooperative one hipErrorInvalidHandle; before, they said
// hipErrorInvalidValue and hipErrorContextIsDestroyed.
hipError_t invalid_launch_stream(bool is_cooperative) {
  if (release_is_at_least(7)) {
    return is_cooperative ? hipErrorInvalidHandle : hipErrorContextIsDestroyed;
  }
  return is_cooperative ? hipErrorContextIsDestroyed : hipErrorInvalidValue;
}

}  // namespace

hipFunction_t handle_of(const Function& function) {
  Functions& all = functions();
  const std::lock_guard held(all.lock);
  hipFunction_t& handle = all.known[{function.host, function.name}];
  if (handle == nullptr) {
    handle = all.handles.add(std::make_shared<Function>(function));
  }
  return handle;
}

std::shared_ptr<Function> find_function(hipFunction_t handle) {
  return functions().handles.find(handle);
}

hipError_t find_kernel(const Function& function, int device, Kernel** kernel) {
  Program& program = Program::get();
  if (function.host != nullptr) {
    return number(program.kernel(function.host, device, kernel));
  }
  return number(program.kernel_by_name(function.name, device, kernel));
}

hipError_t read_extra(void* const* extra, Arguments* arguments) {
  return number(
      emulator::read_extra(extra,
                           {HIP_LAUNCH_PARAM_BUFFER_POINTER,
                            HIP_LAUNCH_PARAM_BUFFER_SIZE, HIP_LAUNCH_PARAM_END},
                           arguments));
}

hipError_t plan(Launch launch, int device, const Arguments& arguments,
                const void* site, emulator::Work* work) {
  Kernel* kernel = nullptr;
  hipError_t status = find_kernel(launch.function, device, &kernel);
  if (status != hipSuccess) return status;
  status = check_shape(launch, device);
  if (status != hipSuccess) return status;
  const LaunchRequest request{kernel,
                              device,
                              extent(launch.grid),
                              extent(launch.block),
                              launch.shared,
                              launch.is_cooperative,
                              site,
                              status_of};
  const emulator::DeviceFacts& facts = emulator::device_facts(device);
  status = number(emulator::check_launch(request, facts.limits));
  if (status != hipSuccess) return status;
  status = number(emulator::check_meeting(request, facts));
  if (status != hipSuccess) return status;
  status =
      number(emulator::copy_parameters(*kernel, arguments, &launch.parameters));
  if (status != hipSuccess) return status;
  work->kind = emulator::NodeKind::kKernel;
  work->title = {"kernel " + kernel->name, site};
  work->body = [request, parameters = launch.parameters](Operation& operation) {
    const Status end = emulator::run_grid(request, *parameters, operation);
    if (end != Status::kSuccess && !release_is_at_least(7)) {
      end_process(end, request.device, request.kernel->name.c_str());
    }
    return end;
  };
  work->parameters = std::move(launch);
  return hipSuccess;
}

hipError_t launch(hipStream_t handle, Launch launch, const Arguments& arguments,
                  const void* site) {
  const emulator::StreamRef stream = find_stream(handle);
  if (stream == nullptr) return invalid_launch_stream(launch.is_cooperative);
  use_device(stream->device());
  emulator::Work work;
  const hipError_t status =
      plan(std::move(launch), stream->device(), arguments, site, &work);
  return status != hipSuccess ? status : number(stream->put(std::move(work)));
}

}  // namespace eclosion::hip
