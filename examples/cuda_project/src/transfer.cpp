// Overlapped downloads, replayed graphs and windows between processes.
#include "tidepool/transfer.h"

#include <nvtx3/nvToolsExt.h>

#include <algorithm>

namespace tidepool {
namespace {

// A named range in the profiler's timeline.
class Range {
 public:
  explicit Range(const char* name) { nvtxRangePushA(name); }
  ~Range() { nvtxRangePop(); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
};

}  // namespace

ChunkedDownload::ChunkedDownload(std::size_t chunk_bytes)
    : first_(chunk_bytes), second_(chunk_bytes) {
  int least = 0;
  int greatest = 0;
  TIDEPOOL_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  TIDEPOOL_CHECK(
      cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, least));
  TIDEPOOL_CHECK(cudaEventCreateWithFlags(&ready_, cudaEventDisableTiming));
  TIDEPOOL_CHECK(cudaEventCreate(&begin_));
  for (cudaEvent_t& event : copied_) TIDEPOOL_CHECK(cudaEventCreate(&event));
}

ChunkedDownload::~ChunkedDownload() {
  (void)cudaStreamSynchronize(stream_);
  for (cudaEvent_t event : {ready_, begin_, copied_[0], copied_[1]}) {
    (void)cudaEventDestroy(event);
  }
  (void)cudaStreamDestroy(stream_);
}

float ChunkedDownload::run(const void* device, std::size_t bytes,
                           cudaStream_t after, const Consumer& consume) {
  const Range range("chunked download");
  const auto* source = static_cast<const char*>(device);
  PinnedBuffer* const staging[2] = {&first_, &second_};
  std::size_t sizes[2] = {0, 0};
  float milliseconds = 0;
  TIDEPOOL_CHECK(cudaEventRecord(ready_, after));
  TIDEPOOL_CHECK(cudaStreamWaitEvent(stream_, ready_, 0));
  TIDEPOOL_CHECK(cudaEventRecord(begin_, stream_));
  int last = 0;
  int index = 0;
  for (std::size_t done = 0; done < bytes; done += sizes[last]) {
    last = index % 2;
    sizes[last] = std::min(first_.size(), bytes - done);
    TIDEPOOL_CHECK(cudaMemcpyAsync(staging[last]->host(), source + done,
                                   sizes[last], cudaMemcpyDeviceToHost,
                                   stream_));
    TIDEPOOL_CHECK(cudaEventRecord(copied_[last], stream_));
    if (index > 0) {
      const int previous = 1 - last;
      TIDEPOOL_CHECK(cudaEventSynchronize(copied_[previous]));
      consume(staging[previous]->host(), sizes[previous]);
    }
    ++index;
  }
  if (index == 0) return 0;
  TIDEPOOL_CHECK(cudaEventSynchronize(copied_[last]));
  consume(staging[last]->host(), sizes[last]);
  TIDEPOOL_CHECK(cudaEventElapsedTime(&milliseconds, begin_, copied_[last]));
  return milliseconds;
}

ReplayedWork::ReplayedWork(const Work& work) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  TIDEPOOL_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  TIDEPOOL_CHECK(
      cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  work(stream);
  TIDEPOOL_CHECK(cudaStreamEndCapture(stream, &graph));
  TIDEPOOL_CHECK(cudaGraphGetNodes(graph, nullptr, &nodes_));
  TIDEPOOL_CHECK(cudaGraphInstantiate(&executable_, graph, 0));
  TIDEPOOL_CHECK(cudaGraphDestroy(graph));
  TIDEPOOL_CHECK(cudaStreamDestroy(stream));
}

ReplayedWork::~ReplayedWork() {
  if (executable_ != nullptr) (void)cudaGraphExecDestroy(executable_);
}

void ReplayedWork::launch(cudaStream_t stream) {
  const Range range("replay");
  TIDEPOOL_CHECK(cudaGraphLaunch(executable_, stream));
}

SharedWindow::SharedWindow(std::size_t bytes) : bytes_(bytes), owner_(true) {
  TIDEPOOL_CHECK(cudaMalloc(&data_, bytes));
  TIDEPOOL_CHECK(cudaEventCreateWithFlags(
      &written_, cudaEventDisableTiming | cudaEventInterprocess));
}

SharedWindow::SharedWindow(const WindowTicket& ticket)
    : bytes_(ticket.bytes), owner_(false) {
  TIDEPOOL_CHECK(cudaIpcOpenMemHandle(&data_, ticket.memory,
                                      cudaIpcMemLazyEnablePeerAccess));
  TIDEPOOL_CHECK(cudaIpcOpenEventHandle(&written_, ticket.written));
}

SharedWindow::~SharedWindow() {
  (void)cudaEventDestroy(written_);
  if (owner_) {
    (void)cudaFree(data_);
  } else {
    (void)cudaIpcCloseMemHandle(data_);
  }
}

WindowTicket SharedWindow::ticket() const {
  WindowTicket ticket{};
  TIDEPOOL_CHECK(cudaIpcGetMemHandle(&ticket.memory, data_));
  TIDEPOOL_CHECK(cudaIpcGetEventHandle(&ticket.written, written_));
  ticket.bytes = bytes_;
  return ticket;
}

void SharedWindow::mark_written(cudaStream_t stream) {
  TIDEPOOL_CHECK(cudaEventRecord(written_, stream));
}

void SharedWindow::wait_written(cudaStream_t stream) {
  TIDEPOOL_CHECK(cudaStreamWaitEvent(stream, written_, 0));
}

}  // namespace tidepool
