// Graphs: recorded from a stream and launched again and again, and built of
// nodes whose parameters change between launches.
#include "device_array.h"
#include "kernels.h"

namespace parity {
namespace {

__global__ void affine_kernel(float* values, float factor, float added,
                              Count count) {
  const Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) values[i] = values[i] * factor + added;
}

class Graph {
 public:
  Graph() = default;
  ~Graph() {
    if (executable_ != nullptr)
      static_cast<void>(cudaGraphExecDestroy(executable_));
    if (graph_ != nullptr) static_cast<void>(cudaGraphDestroy(graph_));
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  cudaGraph_t* put() { return &graph_; }
  cudaGraph_t get() const { return graph_; }
  cudaGraphExec_t executable() const { return executable_; }
  void instantiate() { check(cudaGraphInstantiate(&executable_, graph_, 0)); }
  void launch(const Stream& stream) const {
    check(cudaGraphLaunch(executable_, stream.get()));
  }

 private:
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace
}  // namespace parity

using namespace parity;

// x becomes 2 x + 1, then x / 2 - 3, `launches` times.
int parity_recorded_graph(float* values, Count count, Count launches) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<float> memory(stream, values, count);
    const unsigned blocks = divided_up(count, kThreads);
    Graph graph;
    check(
        cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
    affine_kernel<<<blocks, kThreads, 0, stream.get()>>>(memory.get(), 2.0F,
                                                         1.0F, count);
    affine_kernel<<<blocks, kThreads, 0, stream.get()>>>(memory.get(), 0.5F,
                                                         -3.0F, count);
    check(cudaStreamEndCapture(stream.get(), graph.put()));
    graph.instantiate();
    for (Count i = 0; i < launches; ++i) graph.launch(stream);
    memory.copy_to(values);
    stream.synchronize();
  });
}

// A fork and a join: two streams record one graph. x becomes x + 1 in the one
// half and 3 x in the other, then all of it is doubled.
int parity_forked_graph(float* values, Count half, Count launches) {
  return guarded([&] {
    const Stream stream;
    const Stream other;
    const DeviceArray<float> memory(stream, values, 2 * half);
    const unsigned blocks = divided_up(half, kThreads);
    cudaEvent_t forked = nullptr;
    cudaEvent_t joined = nullptr;
    check(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
    check(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
    Graph graph;
    check(
        cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal));
    check(cudaEventRecord(forked, stream.get()));
    check(cudaStreamWaitEvent(other.get(), forked, 0));
    affine_kernel<<<blocks, kThreads, 0, stream.get()>>>(memory.get(), 1.0F,
                                                         1.0F, half);
    affine_kernel<<<blocks, kThreads, 0, other.get()>>>(memory.get() + half,
                                                        3.0F, 0.0F, half);
    check(cudaEventRecord(joined, other.get()));
    check(cudaStreamWaitEvent(stream.get(), joined, 0));
    affine_kernel<<<2 * blocks, kThreads, 0, stream.get()>>>(memory.get(), 2.0F,
                                                             0.0F, 2 * half);
    check(cudaStreamEndCapture(stream.get(), graph.put()));
    graph.instantiate();
    for (Count i = 0; i < launches; ++i) graph.launch(stream);
    memory.copy_to(values);
    stream.synchronize();
    check(cudaEventDestroy(forked));
    check(cudaEventDestroy(joined));
  });
}

// One node; each launch has its own factor.
int parity_updated_graph(float* values, Count count, const float* factors,
                         Count launches) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<float> memory(stream, values, count);
    Graph graph;
    check(cudaGraphCreate(graph.put(), 0));
    float* at = memory.get();
    float factor = 1.0F;
    float added = 0.0F;
    Count number = count;
    void* arguments[] = {&at, &factor, &added, &number};
    cudaKernelNodeParams parameters{};
    parameters.func = reinterpret_cast<void*>(affine_kernel);
    parameters.gridDim = dim3(divided_up(count, kThreads));
    parameters.blockDim = dim3(kThreads);
    parameters.kernelParams = arguments;
    cudaGraphNode_t node = nullptr;
    check(cudaGraphAddKernelNode(&node, graph.get(), nullptr, 0, &parameters));
    graph.instantiate();
    for (Count i = 0; i < launches; ++i) {
      factor = factors[i];
      check(cudaGraphExecKernelNodeSetParams(graph.executable(), node,
                                             &parameters));
      graph.launch(stream);
    }
    memory.copy_to(values);
    stream.synchronize();
  });
}
