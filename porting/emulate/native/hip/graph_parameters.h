// The vendor's structs of nodes' parameters: what work they ask for, and how a
// node answers with them.
#pragma once

#include <hip/hip_runtime_api.h>

#include <utility>

#include "copying.h"
#include "graph.h"
#include "stream.h"

namespace eclosion::hip {

hipError_t plan(const hipKernelNodeParams* p, const void* site,
                emulator::Work* work);
hipError_t plan(const hipMemcpy3DParms* p, const void* site,
                emulator::Work* work);
hipError_t plan(const hipMemsetParams* p, const void* site,
                emulator::Work* work);
hipError_t plan(const hipHostNodeParams* p, const void* site,
                emulator::Work* work);

// hipErrorInvalidValue: a node of another kind. Pointers in an answer live as
// long as the node and its parameters do.
hipError_t answer(const emulator::GraphNode& node, hipKernelNodeParams* p);
hipError_t answer(const emulator::GraphNode& node, hipMemcpy3DParms* p);
hipError_t answer(const emulator::GraphNode& node, hipMemsetParams* p);
hipError_t answer(const emulator::GraphNode& node, hipHostNodeParams* p);
hipError_t answer(const emulator::GraphNode& node, hipMemAllocNodeParams* p);
// The address that a node frees, stored at `address`.
hipError_t answer_freed(const emulator::GraphNode& node, void* address);

// Give a node other work of its own kind.
hipError_t replace(emulator::GraphNode* node, emulator::Work work);

// Give a node, null for none, other parameters.
template <typename Parameters>
hipError_t set(emulator::GraphNode* node, const Parameters& parameters,
               const void* site) {
  if (node == nullptr) return hipErrorInvalidValue;
  emulator::Work work;
  const hipError_t status = plan(parameters, site, &work);
  return status != hipSuccess ? status : replace(node, std::move(work));
}

}  // namespace eclosion::hip
