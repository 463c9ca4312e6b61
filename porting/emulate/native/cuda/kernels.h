// Functions of device code by any of their handles, and launching them.
//
// A CUfunction is the code of one device, a CUkernel (cudaKernel_t) that of
// all; where the runtime takes a function, it takes either, and the address of
// the host's stub of it.
#pragma once

#include <cuda.h>

#include <memory>
#include <string>

#include "launch.h"
#include "objects.h"
#include "statuses.h"

namespace eclosion::cuda {

// What a CUfunction or CUkernel stands for.
struct Code {
  const void* host = nullptr;  // the stub; null: found by name
  std::string name = {};       // mangled
  int device = -1;             // -1: every device's
};

CUkernel add_kernel(const Code& code);
CUfunction add_function(const Code& code);
// Null: no such handle.
std::shared_ptr<Code> find_code(const void* handle);
// The name of it as the program's device code has it.
Status name_of(const void* function, std::string* name);

// The code of a function for a device, by any of its handles.
Status find_kernel(const void* function, int device, emulator::Kernel** kernel);

// A launch as it is kept in a graph: what the program gave, and a copy of the
// parameters.
struct KernelNode {
  const void* function = nullptr;
  int device = 0;
  emulator::Extent grid;
  emulator::Extent block;
  std::size_t dynamic_shared = 0;
  bool is_cooperative = false;
  std::shared_ptr<emulator::Parameters> parameters;
};

using emulator::Arguments;

// Check a launch on a device, and make the work of it.
Status plan_launch(KernelNode node, const Arguments& arguments,
                   const void* site, emulator::Work* work);
// The same, put into a stream. kInvalidHandle: the stream is of another device
// than the current one (CUDA C++ Programming Guide, "Stream and Event
// Behavior").
Status launch(CUstream stream, KernelNode node, const Arguments& arguments,
              const void* site);

// Read `extra` of cuLaunchKernel; kInvalidValue: not whole.
Status read_extra(void* const* extra, Arguments* arguments);

// Attributes of launches beside those that say how blocks meet. kNotSupported:
// the program is promised an event or a node of the device, which nobody would
// make. The others are hints on speed.
Status check_attribute(CUlaunchAttributeID id);

}  // namespace eclosion::cuda
