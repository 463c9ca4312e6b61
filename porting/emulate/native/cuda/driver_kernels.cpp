// Handles of device code, and what is checked and copied of a launch.
#include "kernels.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "device.h"
#include "handles.h"
#include "occupancy.h"
#include "program.h"

namespace eclosion::cuda {
namespace {

using emulator::Kernel;
using emulator::LaunchRequest;
using emulator::Program;

struct Codes {
  emulator::Handles<void*, Code> handles;
  std::mutex lock;
  // One function has one handle, however often it is asked for.
  std::map<std::tuple<const void*, std::string, int>, void*> known;
};

Codes& codes() {
  static auto* table = new Codes;
  return *table;
}

void* add(const Code& code) {
  Codes& table = codes();
  const std::lock_guard held(table.lock);
  void*& handle = table.known[{code.host, code.name, code.device}];
  if (handle == nullptr)
    handle = table.handles.add(std::make_shared<Code>(code));
  return handle;
}

LaunchRequest request_of(const KernelNode& node, const Kernel* kernel,
                         const void* site) {
  LaunchRequest request;
  request.kernel = kernel;
  request.device = node.device;
  request.grid = node.grid;
  request.block = node.block;
  request.dynamic_shared = node.dynamic_shared;
  request.cooperative = node.is_cooperative;
  request.site = site;
  request.status_of = status_of;
  return request;
}

}  // namespace

CUkernel add_kernel(const Code& code) {
  return reinterpret_cast<CUkernel>(add(code));
}

CUfunction add_function(const Code& code) {
  return reinterpret_cast<CUfunction>(add(code));
}

std::shared_ptr<Code> find_code(const void* handle) {
  return codes().handles.find(const_cast<void*>(handle));
}

Status find_kernel(const void* function, int device, Kernel** kernel) {
  Program& program = Program::get();
  const std::shared_ptr<Code> code = find_code(function);
  if (!code) return program.kernel(function, device, kernel);
  if (code->device >= 0 && code->device != device) {
    return Status::kInvalidHandle;
  }
  return code->host != nullptr
             ? program.kernel(code->host, device, kernel)
             : program.kernel_by_name(code->name, device, kernel);
}

Status name_of(const void* function, std::string* name) {
  Kernel* kernel = nullptr;
  const std::shared_ptr<Code> code = find_code(function);
  const int device =
      code && code->device >= 0 ? code->device : emulator::current_device();
  const Status status = find_kernel(function, device, &kernel);
  if (status == Status::kSuccess) *name = kernel->record->name;
  return status;
}

Status plan_launch(KernelNode node, const Arguments& arguments,
                   const void* site, emulator::Work* work) {
  Kernel* kernel = nullptr;
  Status status = find_kernel(node.function, node.device, &kernel);
  if (status != Status::kSuccess) return status;
  const LaunchRequest request = request_of(node, kernel, site);
  status = emulator::check_launch(request,
                                  emulator::device_facts(node.device).limits);
  if (status != Status::kSuccess) return status;
  // CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK (cuda.h): what more fails beyond.
  const std::uint64_t most = kernel->record->most_threads;
  if (most != 0 && node.block.count() > most) return Status::kTooManyResources;
  status =
      emulator::check_meeting(request, emulator::device_facts(node.device));
  if (status != Status::kSuccess) return status;
  status = emulator::copy_parameters(*kernel, arguments, &node.parameters);
  if (status != Status::kSuccess) return status;
  work->kind = emulator::NodeKind::kKernel;
  work->title = {"kernel " + kernel->name, site};
  work->body = [request,
                parameters = node.parameters](emulator::Operation& operation) {
    return emulator::run_grid(request, *parameters, operation);
  };
  work->parameters = std::move(node);
  return Status::kSuccess;
}

Status launch(CUstream handle, KernelNode node, const Arguments& arguments,
              const void* site) {
  StreamRef stream;
  Status status = find_stream(handle, &stream);
  if (status != Status::kSuccess) return status;
  node.device = emulator::current_device();
  if (stream->device() != node.device) return Status::kInvalidHandle;
  emulator::Work work;
  status = plan_launch(std::move(node), arguments, site, &work);
  if (status != Status::kSuccess) return status;
  return stream->put(std::move(work));
}

Status read_extra(void* const* extra, Arguments* arguments) {
  return emulator::read_extra(
      extra,
      {CU_LAUNCH_PARAM_BUFFER_POINTER, CU_LAUNCH_PARAM_BUFFER_SIZE,
       CU_LAUNCH_PARAM_END},
      arguments);
}

Status check_attribute(CUlaunchAttributeID id) {
  switch (id) {
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
      return Status::kNotSupported;
    default:
      return Status::kSuccess;
  }
}

}  // namespace eclosion::cuda
