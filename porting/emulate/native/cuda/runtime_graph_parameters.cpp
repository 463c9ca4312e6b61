// Conversions between the runtime's structs of nodes and ours.
#include "device.h"
#include "graph_parameters.h"

namespace eclosion::cuda {
namespace {

emulator::Placement placed(const cudaPitchedPtr& pointer,
                           const cudaPos& position) {
  const std::size_t slice = pointer.pitch * pointer.ysize;
  const std::size_t offset =
      position.z * slice + position.y * pointer.pitch + position.x;
  return {static_cast<unsigned char*>(pointer.ptr) + offset, pointer.pitch,
          slice};
}

cudaPitchedPtr pitched(const emulator::Placement& place,
                       const emulator::Box& box) {
  const std::size_t rows =
      place.pitch == 0 ? box.height : place.slice / place.pitch;
  return {place.base, place.pitch, box.width, rows};
}

dim3 written(const emulator::Extent& extent) {
  return {extent.x, extent.y, extent.z};
}

}  // namespace

Status read(const cudaKernelNodeParams* params, emulator::Work* work) {
  if (params == nullptr) return Status::kInvalidValue;
  KernelNode node;
  node.function = params->func;
  node.device = emulator::current_device();
  node.grid = {params->gridDim.x, params->gridDim.y, params->gridDim.z};
  node.block = {params->blockDim.x, params->blockDim.y, params->blockDim.z};
  node.dynamic_shared = params->sharedMemBytes;
  Arguments arguments{.values = params->kernelParams};
  if (params->kernelParams == nullptr && params->extra != nullptr) {
    const Status status = read_extra(params->extra, &arguments);
    if (status != Status::kSuccess) return status;
  }
  return plan_launch(std::move(node), arguments, nullptr, work);
}

// Arrays of textures are not emulated.
Status read(const cudaMemcpy3DParms* params, emulator::Work* work) {
  if (params == nullptr || params->srcPtr.ptr == nullptr ||
      params->dstPtr.ptr == nullptr) {
    const bool has_array = params != nullptr && (params->srcArray != nullptr ||
                                                 params->dstArray != nullptr);
    return has_array ? Status::kNotSupported : Status::kInvalidValue;
  }
  const Copy copy{
      placed(params->dstPtr, params->dstPos),
      placed(params->srcPtr, params->srcPos),
      {params->extent.width, params->extent.height, params->extent.depth},
      static_cast<Direction>(params->kind),
      true,
      nullptr};
  return plan_node(copy, work);
}

Status read(const cudaMemsetParams* params, emulator::Work* work) {
  if (params == nullptr) return Status::kInvalidValue;
  const unsigned element = params->elementSize;
  if (element != 1 && element != 2 && element != 4) {
    return Status::kInvalidValue;
  }
  // cudaMemsetParams (driver_types.h): the width is in elements.
  return plan_node(Fill{{params->dst, params->pitch},
                        {params->width * element, params->height},
                        params->value,
                        element,
                        true,
                        nullptr},
                   work);
}

Status read(const cudaHostNodeParams* params, emulator::Work* work) {
  if (params == nullptr) return Status::kInvalidValue;
  return plan_node(HostNode{params->fn, params->userData}, work);
}

cudaKernelNodeParams write(const KernelNode& node) {
  cudaKernelNodeParams params{};
  params.func = const_cast<void*>(node.function);
  params.gridDim = written(node.grid);
  params.blockDim = written(node.block);
  params.sharedMemBytes = static_cast<unsigned>(node.dynamic_shared);
  params.kernelParams = node.parameters->pointers();
  return params;
}

cudaMemcpy3DParms write(const CopyNode& node) {
  const Copy& copy = node.copy;
  cudaMemcpy3DParms params{};
  params.srcPtr = pitched(copy.from, copy.box);
  params.dstPtr = pitched(copy.to, copy.box);
  params.extent = {copy.box.width, copy.box.height, copy.box.depth};
  params.kind = static_cast<cudaMemcpyKind>(copy.direction);
  return params;
}

cudaMemsetParams write(const FillNode& node) {
  const Fill& fill = node.fill;
  return {fill.to.base,
          fill.to.pitch,
          fill.value,
          fill.element,
          fill.box.width / fill.element,
          fill.box.height};
}

cudaHostNodeParams write(const HostNode& node) {
  return {node.function, node.data};
}

Copy linear_copy(void* to, const void* from, std::size_t size,
                 cudaMemcpyKind kind) {
  return {{to},   {const_cast<void*>(from)},
          {size}, static_cast<Direction>(kind),
          true,   nullptr};
}

}  // namespace eclosion::cuda
