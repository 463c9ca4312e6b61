// What a program lets graphs keep: each such object is destroyed when nothing
// refers to it any more.
#pragma once

#include <hip/hip_runtime_api.h>

#include <memory>
#include <vector>

#include "graph.h"

namespace eclosion::hip {

// One entry for each reference.
using Kept = std::vector<std::shared_ptr<const void>>;

// What a graph keeps, for what is made of it.
Kept kept_by(const emulator::Graph* graph);
void keep_as(const emulator::Graph* original, const emulator::Graph* clone);
// The program has destroyed the graph.
void let_go(const emulator::Graph* graph);

}  // namespace eclosion::hip
