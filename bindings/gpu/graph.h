// Graphs: work that was recorded once from a stream and is launched as one.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <type_traits>

#include "stream.h"

namespace eclosion::gpu {

struct GraphDeleter {
  void operator()(cudaGraph_t graph) const noexcept;
};
struct GraphExecDeleter {
  void operator()(cudaGraphExec_t graph) const noexcept;
};

// Work that can be launched again and again.
class Graph {
 public:
  // Launch all of it on a stream.
  void launch(const Stream& stream) const;
  [[nodiscard]] std::size_t node_count() const;

 private:
  friend class Capture;
  Graph(cudaGraph_t graph, int device);

  std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, GraphDeleter> graph_;
  std::unique_ptr<std::remove_pointer_t<cudaGraphExec_t>, GraphExecDeleter>
      exec_;
};

// While this lives, what is put into a stream is recorded and does not run.
class Capture {
 public:
  explicit Capture(const Stream& stream);
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  // Given up without end(): what was recorded is dropped.
  ~Capture();

  // End the recording and make it ready to launch.
  Graph end();
  // End the recording and drop it; nothing is done after an end.
  void cancel() noexcept;

 private:
  cudaStream_t stream_;
  int device_;
  bool is_open_ = true;
};

}  // namespace eclosion::gpu
