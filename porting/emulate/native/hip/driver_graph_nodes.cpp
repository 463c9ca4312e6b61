// Graph nodes by the driver's structs, and symbols in nodes that copy.
#include "copying.h"
#include "front.h"
#include "graph_objects.h"
#include "graph_parameters.h"
#include "symbols.h"

namespace eclosion::hip {

namespace {

using emulator::GraphNode;

hipError_t set_box(GraphNode* node, const HIP_MEMCPY3D* p, const void* site) {
  CopyRequest request;
  const hipError_t status = read(p, &request);
  return status != hipSuccess ? status : set(node, request, site);
}

hipMemoryType type_of(const void* address) {
  const auto side = emulator::side_of(address);
  const bool is_host =
      side == emulator::Side::kPageable || side == emulator::Side::kPinned;
  return is_host ? hipMemoryTypeHost : hipMemoryTypeDevice;
}

HIP_MEMCPY3D driver_form(const hipMemcpy3DParms& box) {
  HIP_MEMCPY3D p{};
  p.srcMemoryType = type_of(box.srcPtr.ptr);
  p.srcHost = p.srcDevice = box.srcPtr.ptr;
  p.srcPitch = box.srcPtr.pitch;
  p.srcHeight = box.srcPtr.ysize;
  p.dstMemoryType = type_of(box.dstPtr.ptr);
  p.dstHost = p.dstDevice = box.dstPtr.ptr;
  p.dstPitch = box.dstPtr.pitch;
  p.dstHeight = box.dstPtr.ysize;
  p.WidthInBytes = box.extent.width;
  p.Height = box.extent.height;
  p.Depth = box.extent.depth;
  return p;
}

hipError_t set_to(GraphNode* node, const void* symbol, const void* from,
                  std::size_t size, std::size_t offset, hipMemcpyKind kind,
                  const void* site) {
  void* to = nullptr;
  const hipError_t status = find_part(symbol, offset, size, &to);
  if (status != hipSuccess) return status;
  return set(node, line(to, from, size, kind), site);
}

hipError_t set_from(GraphNode* node, void* to, const void* symbol,
                    std::size_t size, std::size_t offset, hipMemcpyKind kind,
                    const void* site) {
  void* from = nullptr;
  const hipError_t status = find_part(symbol, offset, size, &from);
  if (status != hipSuccess) return status;
  return set(node, line(to, from, size, kind), site);
}

}  // namespace

}  // namespace eclosion::hip

using namespace eclosion::hip;

extern "C" {

hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t node,
                                          const HIP_MEMCPY3D* p) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] { return set_box(find_node(node), p, site); });
}

hipError_t hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t handle,
                                          HIP_MEMCPY3D* p) {
  return call(__func__, [&] {
    const GraphNode* node = find_node(handle);
    hipMemcpy3DParms box;
    if (node == nullptr || p == nullptr) return hipErrorInvalidValue;
    const hipError_t status = answer(*node, &box);
    if (status == hipSuccess) *p = driver_form(box);
    return status;
  });
}

hipError_t hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t exec,
                                              hipGraphNode_t node,
                                              const HIP_MEMCPY3D* p, hipCtx_t) {
  const void* site = __builtin_return_address(0);
  return call(__func__,
              [&] { return set_box(find_node(exec, node), p, site); });
}

hipError_t hipDrvGraphAddMemsetNode(hipGraphNode_t* made, hipGraph_t graph,
                                    const hipGraphNode_t* after,
                                    std::size_t count, const hipMemsetParams* p,
                                    hipCtx_t) {
  return hipGraphAddMemsetNode(made, graph, after, count, p);
}

hipError_t hipDrvGraphExecMemsetNodeSetParams(hipGraphExec_t exec,
                                              hipGraphNode_t node,
                                              const hipMemsetParams* p,
                                              hipCtx_t) {
  return hipGraphExecMemsetNodeSetParams(exec, node, p);
}

hipError_t hipDrvGraphAddMemFreeNode(hipGraphNode_t* made, hipGraph_t graph,
                                     const hipGraphNode_t* after,
                                     std::size_t count,
                                     hipDeviceptr_t address) {
  return hipGraphAddMemFreeNode(made, graph, after, count, address);
}

hipError_t hipGraphMemcpyNodeSetParamsToSymbol(
    hipGraphNode_t node, const void* symbol, const void* from, std::size_t size,
    std::size_t offset, hipMemcpyKind kind) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return set_to(find_node(node), symbol, from, size, offset, kind, site);
  });
}

hipError_t hipGraphExecMemcpyNodeSetParamsToSymbol(
    hipGraphExec_t exec, hipGraphNode_t node, const void* symbol,
    const void* from, std::size_t size, std::size_t offset,
    hipMemcpyKind kind) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return set_to(find_node(exec, node), symbol, from, size, offset, kind,
                  site);
  });
}

hipError_t hipGraphMemcpyNodeSetParamsFromSymbol(hipGraphNode_t node, void* to,
                                                 const void* symbol,
                                                 std::size_t size,
                                                 std::size_t offset,
                                                 hipMemcpyKind kind) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return set_from(find_node(node), to, symbol, size, offset, kind, site);
  });
}

hipError_t hipGraphExecMemcpyNodeSetParamsFromSymbol(
    hipGraphExec_t exec, hipGraphNode_t node, void* to, const void* symbol,
    std::size_t size, std::size_t offset, hipMemcpyKind kind) {
  const void* site = __builtin_return_address(0);
  return call(__func__, [&] {
    return set_from(find_node(exec, node), to, symbol, size, offset, kind,
                    site);
  });
}

}  // extern "C"
