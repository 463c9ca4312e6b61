// Functions of device code, and launches of them.
#pragma once

#include <hip/hip_runtime_api.h>

#include <memory>
#include <string>

#include "launch.h"
#include "stream.h"

namespace eclosion::hip {

// What a hipFunction_t or hipKernel_t stands for.
struct Function {
  const void* host = nullptr;  // the stub of the host; null: found by name
  std::string name = {};       // mangled
};

// One function has one handle, however often it is asked for.
hipFunction_t handle_of(const Function& function);
// Null: no such handle.
std::shared_ptr<Function> find_function(hipFunction_t handle);

// A launch as the program gave it, and as a graph keeps it.
struct Launch {
  Function function;
  dim3 grid;
  dim3 block;
  std::size_t shared = 0;
  bool is_cooperative = false;
  std::shared_ptr<emulator::Parameters> parameters = {};
};

using emulator::Arguments;

hipError_t find_kernel(const Function& function, int device,
                       emulator::Kernel** kernel);

// What an `extra` says (HIP_LAUNCH_PARAM_*); hipErrorInvalidValue: not whole.
hipError_t read_extra(void* const* extra, Arguments* arguments);

// Check a launch and make the work of it.
hipError_t plan(Launch launch, int device, const Arguments& arguments,
                const void* site, emulator::Work* work);

// Where <<<>>> is that the next launch of this thread is of, else `site`: stubs
// launch, whose place is the kernel's.
const void* launch_site(const void* site);

// Put a launch into a stream. It runs on the stream's device, which need not be
// the current one.
hipError_t launch(hipStream_t stream, Launch launch, const Arguments& arguments,
                  const void* site);

}  // namespace eclosion::hip
