// Stream capture, and the graphs that come of it.
#include "graph.h"

#include "device.h"
#include "error.h"

namespace eclosion::gpu {

void GraphDeleter::operator()(cudaGraph_t graph) const noexcept {
  static_cast<void>(cudaGraphDestroy(graph));
}

void GraphExecDeleter::operator()(cudaGraphExec_t graph) const noexcept {
  static_cast<void>(cudaGraphExecDestroy(graph));
}

Graph::Graph(cudaGraph_t graph, int device) : graph_(graph) {
  const DeviceScope scope(device);
  cudaGraphExec_t exec = nullptr;
  ECLOSION_CALL(cudaGraphInstantiateWithFlags, &exec, graph, 0);
  exec_.reset(exec);
}

void Graph::launch(const Stream& stream) const {
  const DeviceScope scope(stream.device());
  ECLOSION_CALL(cudaGraphLaunch, exec_.get(), stream.get());
}

std::size_t Graph::node_count() const {
  std::size_t count = 0;
  ECLOSION_CALL(cudaGraphGetNodes, graph_.get(), nullptr, &count);
  return count;
}

Capture::Capture(const Stream& stream)
    : stream_(stream.get()), device_(stream.device()) {
  const DeviceScope scope(device_);
  ECLOSION_CALL(cudaStreamBeginCapture, stream_,
                cudaStreamCaptureModeThreadLocal);
}

Capture::~Capture() { cancel(); }

void Capture::cancel() noexcept {
  if (!is_open_) return;
  is_open_ = false;
  const DeviceScope there(device_, std::nothrow);
  cudaGraph_t graph = nullptr;
  if (cudaStreamEndCapture(stream_, &graph) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
  }
  if (graph != nullptr) static_cast<void>(cudaGraphDestroy(graph));
}

Graph Capture::end() {
  is_open_ = false;
  const DeviceScope scope(device_);
  cudaGraph_t graph = nullptr;
  ECLOSION_CALL(cudaStreamEndCapture, stream_, &graph);
  return {graph, device_};
}

}  // namespace eclosion::gpu
