// Distances in a graph, breadth first: each launch goes one edge further, and
// the host asks whether that found anything.
#include "device_array.h"
#include "kernels.h"

namespace parity {
namespace {

__global__ void expand_kernel(const int* starts, const int* targets,
                              const int* frontier, int frontier_size,
                              int distance, int* distances, int* next,
                              int* next_size) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= frontier_size) return;
  const int node = frontier[i];
  for (int edge = starts[node]; edge < starts[node + 1]; ++edge) {
    const int target = targets[edge];
    if (atomicCAS(&distances[target], -1, distance) == -1) {
      next[atomicAdd(next_size, 1)] = target;
    }
  }
}

}  // namespace
}  // namespace parity

using namespace parity;

// Edges of node n: targets[starts[n]] to targets[starts[n + 1] - 1]. The
// distance of a node that is not reached is -1.
int parity_graph_search(const int* starts, const int* targets, Count nodes,
                        Count edges, Count source, int* distances) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<int> limits(stream, starts, nodes + 1);
    const DeviceArray<int> ends(stream, targets, edges);
    std::fill(distances, distances + nodes, -1);
    distances[source] = 0;
    const DeviceArray<int> found(stream, distances, nodes);
    const DeviceArray<int> frontiers[2] = {{stream, nodes}, {stream, nodes}};
    DeviceArray<int> size(stream, 1);
    const int first = static_cast<int>(source);
    check(cudaMemcpyAsync(frontiers[0].get(), &first, sizeof(int),
                          cudaMemcpyHostToDevice, stream.get()));
    int current = 1;
    for (int distance = 1; current > 0; ++distance) {
      size.zero();
      expand_kernel<<<divided_up(current, kThreads), kThreads, 0,
                      stream.get()>>>(
          limits.get(), ends.get(), frontiers[(distance - 1) % 2].get(),
          current, distance, found.get(), frontiers[distance % 2].get(),
          size.get());
      check_launch();
      size.copy_to(&current);
      stream.synchronize();
    }
    found.copy_to(distances);
    stream.synchronize();
  });
}
