// Stream capture, and the graphs that come of it.
#include "graph.h"

#include "error.h"

namespace eclosion::gpu {

void GraphDeleter::operator()(cudaGraph_t graph) const noexcept {
  static_cast<void>(cudaGraphDestroy(graph));
}

void GraphExecDeleter::operator()(cudaGraphExec_t graph) const noexcept {
  static_cast<void>(cudaGraphExecDestroy(graph));
}

Graph::Graph(cudaGraph_t graph) : graph_(graph) {
  cudaGraphExec_t exec = nullptr;
  ECLOSION_CALL(cudaGraphInstantiateWithFlags, &exec, graph, 0);
  exec_.reset(exec);
}

void Graph::launch(const Stream& stream) const {
  ECLOSION_CALL(cudaGraphLaunch, exec_.get(), stream.get());
}

std::size_t Graph::node_count() const {
  std::size_t count = 0;
  ECLOSION_CALL(cudaGraphGetNodes, graph_.get(), nullptr, &count);
  return count;
}

Capture::Capture(const Stream& stream) : stream_(stream.get()) {
  ECLOSION_CALL(cudaStreamBeginCapture, stream_,
                cudaStreamCaptureModeThreadLocal);
}

Capture::~Capture() {
  if (!is_open_) return;
  cudaGraph_t graph = nullptr;
  if (cudaStreamEndCapture(stream_, &graph) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
  }
  if (graph != nullptr) static_cast<void>(cudaGraphDestroy(graph));
}

Graph Capture::end() {
  is_open_ = false;
  cudaGraph_t graph = nullptr;
  ECLOSION_CALL(cudaStreamEndCapture, stream_, &graph);
  return Graph(graph);
}

}  // namespace eclosion::gpu
