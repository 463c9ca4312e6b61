// Objects of the program that graphs keep alive.
#pragma once

#include <cuda.h>

#include <memory>
#include <vector>

#include "graph.h"
#include "statuses.h"

namespace eclosion::cuda {

// What a graph, or what was instantiated of it, keeps.
using KeptObjects = std::vector<std::shared_ptr<void>>;

// The object's function is called when the last reference of the program and
// of graphs is gone. `count`: references of the program.
Status create_user_object(void* pointer, CUhostFn destroy, unsigned count,
                          CUuserObject* handle);
Status retain_user_object(CUuserObject handle, unsigned count);
Status release_user_object(CUuserObject handle, unsigned count);

// `is_moved`: the references are the program's own until now.
Status keep_in_graph(CUgraph graph, CUuserObject handle, unsigned count,
                     bool is_moved);
Status drop_from_graph(CUgraph graph, CUuserObject handle, unsigned count);

KeptObjects kept_by(const emulator::Graph& graph);
void drop_all(const emulator::Graph& graph);

}  // namespace eclosion::cuda
