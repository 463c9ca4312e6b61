// Graphs that the program holds, and the nodes in them.
#pragma once

#include <hip/hip_runtime_api.h>

#include <vector>

#include "graph.h"
#include "handles.h"
#include "pool.h"
#include "stream.h"
#include "user_objects.h"

namespace eclosion::hip {

// An instantiated graph, with the flags that it was instantiated with, and the
// memory that its launches allocate and free, and what it keeps.
struct Executable {
  emulator::GraphExecRef exec;
  unsigned long long flags = 0;
  emulator::GraphMemoryUse memory = {};
  Kept kept = {};
};

emulator::Handles<hipGraph_t, emulator::Graph>& graphs();
emulator::Handles<hipGraphExec_t, Executable>& executables();

// A node's handle is its address; null: not of a graph that lives.
emulator::GraphNode* find_node(hipGraphNode_t handle);
// The node of an instantiated graph that came of a graph's.
emulator::GraphNode* find_node(hipGraphExec_t executable,
                               hipGraphNode_t handle);
inline hipGraphNode_t handle_of(emulator::GraphNode* node) {
  return reinterpret_cast<hipGraphNode_t>(node);
}

// The handle of a graph, which it gets when it has none.
hipGraph_t handle_of(const emulator::GraphRef& graph);

// Nodes by their handles; hipErrorInvalidValue: one is none.
hipError_t find_nodes(const hipGraphNode_t* handles, std::size_t count,
                      std::vector<emulator::GraphNode*>* nodes);

// Answer with nodes as HIP does: without `to`, their number; else as many as
// there is room for, the rest is null, and *count is how many there are.
hipError_t answer_nodes(const std::vector<emulator::GraphNode*>& nodes,
                        hipGraphNode_t* to, std::size_t* count);

// A node that does a work, for a graph of the current device.
emulator::GraphNode node_of(emulator::Work work);

}  // namespace eclosion::hip
