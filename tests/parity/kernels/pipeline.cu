// Work in several streams: chunks that are copied while others are calculated,
// streams that wait for each other's events, and memory that goes with a
// stream.
#include <vector>

#include "device_array.h"
#include "kernels.h"

namespace parity {
namespace {

__global__ void square_root_kernel(const double* from, double* to,
                                   Count count) {
  const Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) to[i] = sqrt(from[i]);
}

__global__ void append_kernel(long long* value, int digit) {
  *value = *value * 10 + digit;
}

// Page-locked memory of the host: copies of it go on while the host does.
class PinnedArray {
 public:
  explicit PinnedArray(Count count) {
    void* memory = nullptr;
    check(cudaMallocHost(&memory,
                         static_cast<std::size_t>(count) * sizeof(double)));
    data_ = static_cast<double*>(memory);
  }
  ~PinnedArray() { static_cast<void>(cudaFreeHost(data_)); }
  PinnedArray(const PinnedArray&) = delete;
  PinnedArray& operator=(const PinnedArray&) = delete;

  double* get() const { return data_; }

 private:
  double* data_ = nullptr;
};

class Event {
 public:
  Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  ~Event() { static_cast<void>(cudaEventDestroy(event_)); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record(const Stream& stream) const {
    check(cudaEventRecord(event_, stream.get()));
  }
  void hold_back(const Stream& stream) const {
    check(cudaStreamWaitEvent(stream.get(), event_, 0));
  }

 private:
  cudaEvent_t event_ = nullptr;
};

// Two streams take turns, each with its own piece of the device's memory.
void square_roots(const double* pinned_source, double* pinned_target,
                  Count count, Count chunk) {
  const Stream streams[2];
  const DeviceArray<double> inputs[2] = {{streams[0], chunk},
                                         {streams[1], chunk}};
  const DeviceArray<double> outputs[2] = {{streams[0], chunk},
                                          {streams[1], chunk}};
  for (Count start = 0; start < count; start += chunk) {
    const Count turn = start / chunk % 2;
    const cudaStream_t stream = streams[turn].get();
    const Count length = std::min(chunk, count - start);
    const std::size_t bytes = static_cast<std::size_t>(length) * sizeof(double);
    check(cudaMemcpyAsync(inputs[turn].get(), pinned_source + start, bytes,
                          cudaMemcpyHostToDevice, stream));
    square_root_kernel<<<divided_up(length, kThreads), kThreads, 0, stream>>>(
        inputs[turn].get(), outputs[turn].get(), length);
    check_launch();
    check(cudaMemcpyAsync(pinned_target + start, outputs[turn].get(), bytes,
                          cudaMemcpyDeviceToHost, stream));
  }
  for (const Stream& each : streams) each.synchronize();
}

void CUDART_CB add_one(void* value) { ++*static_cast<long long*>(value); }

}  // namespace
}  // namespace parity

using namespace parity;

int parity_square_roots(const double* values, Count count, Count chunk,
                        double* roots) {
  return guarded([&] {
    const PinnedArray source(count);
    const PinnedArray target(count);
    std::copy(values, values + count, source.get());
    square_roots(source.get(), target.get(), count, chunk);
    std::copy(target.get(), target.get() + count, roots);
  });
}

// The digits are appended in their order, by streams in turn.
int parity_relay(const int* digits, Count count, Count runners,
                 long long* number) {
  return guarded([&] {
    std::vector<Stream> streams(static_cast<std::size_t>(runners));
    DeviceArray<long long> value(streams[0], 1);
    value.zero();
    Event handed_over;
    handed_over.record(streams[0]);
    for (Count i = 0; i < count; ++i) {
      const Stream& runner =
          streams[static_cast<std::size_t>((i + 1) % runners)];
      handed_over.hold_back(runner);
      append_kernel<<<1, 1, 0, runner.get()>>>(value.get(), digits[i]);
      check_launch();
      handed_over.record(runner);
    }
    handed_over.hold_back(streams[0]);
    value.copy_to(number);
    streams[0].synchronize();
  });
}

// A function of the host runs between two copies, in the stream's order.
int parity_host_function(long long start, long long* result) {
  return guarded([&] {
    const Stream stream;
    long long value = start;
    const DeviceArray<long long> memory(stream, &value, 1);
    append_kernel<<<1, 1, 0, stream.get()>>>(memory.get(), 7);
    check_launch();
    memory.copy_to(&value);
    check(cudaLaunchHostFunc(stream.get(), add_one, &value));
    stream.synchronize();
    *result = value;
  });
}

// Memory that is allocated and released in the order of a stream.
int parity_stream_memory(const double* values, Count count, Count rounds,
                         double* result) {
  return guarded([&] {
    const Stream stream;
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(double);
    const DeviceArray<double> current(stream, values, count);
    for (Count round = 0; round < rounds; ++round) {
      void* memory = nullptr;
      check(cudaMallocAsync(&memory, bytes, stream.get()));
      auto* roots = static_cast<double*>(memory);
      square_root_kernel<<<divided_up(count, kThreads), kThreads, 0,
                           stream.get()>>>(current.get(), roots, count);
      check_launch();
      check(cudaMemcpyAsync(current.get(), roots, bytes,
                            cudaMemcpyDeviceToDevice, stream.get()));
      check(cudaFreeAsync(memory, stream.get()));
    }
    current.copy_to(result);
    stream.synchronize();
  });
}
