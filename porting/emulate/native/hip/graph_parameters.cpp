// The vendor's structs of nodes' parameters, to work and back.
#include "graph_parameters.h"

#include <cstring>

#include "copying.h"
#include "device.h"
#include "front.h"
#include "graph_objects.h"
#include "kernels.h"
#include "pool.h"

namespace eclosion::hip {

using emulator::GraphNode;
using emulator::Work;

namespace {

template <typename T>
const T* kept(const GraphNode& node) {
  return std::any_cast<T>(&node.parameters);
}

// A kernel node names its function by the host's stub, or by the hipFunction_t
// of a module.
Function function_of(void* handle) {
  const auto found = find_function(reinterpret_cast<hipFunction_t>(handle));
  return found != nullptr ? *found : Function{handle};
}

void* name_of(const Function& function) {
  if (function.host != nullptr) return const_cast<void*>(function.host);
  return handle_of(function);
}

hipPitchedPtr pitched(const emulator::Placement& at, std::size_t width) {
  const std::size_t rows = at.pitch == 0 ? 1 : at.slice / at.pitch;
  return {at.base, at.pitch, width, rows};
}

}  // namespace

hipError_t plan(const hipKernelNodeParams* p, const void* site, Work* work) {
  if (p == nullptr || p->func == nullptr) return hipErrorInvalidValue;
  Arguments arguments{p->kernelParams};
  if (p->kernelParams == nullptr && p->extra != nullptr) {
    const hipError_t status = read_extra(p->extra, &arguments);
    if (status != hipSuccess) return status;
  }
  return plan(
      Launch{function_of(p->func), p->gridDim, p->blockDim, p->sharedMemBytes},
      emulator::current_device(), arguments, site, work);
}

hipError_t plan(const hipMemcpy3DParms* p, const void* site, Work* work) {
  CopyRequest request;
  const hipError_t status = read(p, &request);
  return status != hipSuccess ? status : plan(request, site, work);
}

hipError_t plan(const hipMemsetParams* p, const void* site, Work* work) {
  if (p == nullptr) return hipErrorInvalidValue;
  const unsigned element = p->elementSize;
  const bool is_element = element == 1 || element == 2 || element == 4;
  if (p->dst == nullptr || !is_element) return hipErrorInvalidValue;
  std::size_t width = 0;
  if (__builtin_mul_overflow(p->width, element, &width)) {
    return hipErrorInvalidValue;
  }
  // The pitch of one row is unused.
  const std::size_t pitch = p->height > 1 ? p->pitch : width;
  return plan(FillRequest{{p->dst, pitch, pitch * p->height},
                          {width, p->height, 1},
                          p->value,
                          element},
              site, work);
}

hipError_t plan(const hipHostNodeParams* p, const void* site, Work* work) {
  if (p == nullptr || p->fn == nullptr) return hipErrorInvalidValue;
  work->kind = emulator::NodeKind::kHost;
  work->title = {"function of the host", site};
  work->lane = emulator::Lane::kHost;
  work->parameters = *p;
  work->body = [asked = *p](emulator::Operation&) {
    asked.fn(asked.userData);
    return Status::kSuccess;
  };
  return hipSuccess;
}

hipError_t answer(const GraphNode& node, hipKernelNodeParams* p) {
  const Launch* launch = kept<Launch>(node);
  if (launch == nullptr || p == nullptr) return hipErrorInvalidValue;
  *p = {};
  p->func = name_of(launch->function);
  p->gridDim = launch->grid;
  p->blockDim = launch->block;
  p->sharedMemBytes = static_cast<unsigned>(launch->shared);
  p->kernelParams = launch->parameters->pointers();
  return hipSuccess;
}

hipError_t answer(const GraphNode& node, hipMemcpy3DParms* p) {
  const CopyRequest* copy = kept<CopyRequest>(node);
  if (copy == nullptr || p == nullptr) return hipErrorInvalidValue;
  *p = {};
  p->dstPtr = pitched(copy->to, copy->box.width);
  p->srcPtr = pitched(copy->from, copy->box.width);
  p->extent = {copy->box.width, copy->box.height, copy->box.depth};
  p->kind = copy->kind;
  return hipSuccess;
}

hipError_t answer(const GraphNode& node, hipMemsetParams* p) {
  const FillRequest* fill = kept<FillRequest>(node);
  if (fill == nullptr || p == nullptr) return hipErrorInvalidValue;
  *p = {};
  p->dst = fill->to.base;
  p->elementSize = fill->element;
  p->pitch = fill->to.pitch;
  p->value = fill->value;
  p->width = fill->box.width / fill->element;
  p->height = fill->box.height * fill->box.depth;
  return hipSuccess;
}

hipError_t answer(const GraphNode& node, hipHostNodeParams* p) {
  const hipHostNodeParams* host = kept<hipHostNodeParams>(node);
  if (host == nullptr || p == nullptr) return hipErrorInvalidValue;
  *p = *host;
  return hipSuccess;
}

// Captured nodes have the core's parameters, those made by hand the vendor's.
hipError_t answer(const GraphNode& node, hipMemAllocNodeParams* p) {
  if (node.kind != emulator::NodeKind::kAllocate) return hipErrorInvalidValue;
  if (const auto* given = kept<hipMemAllocNodeParams>(node)) {
    *p = *given;
    return hipSuccess;
  }
  const auto* captured = kept<emulator::GraphMemoryNode>(node);
  if (captured == nullptr) return hipErrorInvalidValue;
  *p = {};
  p->poolProps.allocType = hipMemAllocationTypePinned;
  p->poolProps.location = {hipMemLocationTypeDevice, captured->device};
  p->bytesize = captured->size;
  p->dptr = captured->address;
  return hipSuccess;
}

hipError_t answer_freed(const GraphNode& node, void* address) {
  if (node.kind != emulator::NodeKind::kFree) return hipErrorInvalidValue;
  void* freed = nullptr;
  if (void* const* given = kept<void*>(node)) freed = *given;
  if (const auto* captured = kept<emulator::GraphMemoryNode>(node)) {
    freed = captured->address;
  }
  std::memcpy(address, &freed, sizeof(freed));
  return hipSuccess;
}

hipError_t replace(GraphNode* node, Work work) {
  if (node == nullptr || node->kind != work.kind) return hipErrorInvalidValue;
  node->title = std::move(work.title);
  node->body = std::move(work.body);
  node->parameters = std::move(work.parameters);
  node->ranges = std::move(work.ranges);
  return hipSuccess;
}

}  // namespace eclosion::hip
