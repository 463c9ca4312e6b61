// Atomics of every kind and type, in memory of the device and in shared memory,
// and those that have to be made of a comparison and an exchange.
#include <type_traits>

#include "elements.h"
#include "kernels.h"
#include "operators.h"
#include "warp.cuh"

namespace parity {
namespace {

// The results, by their places.
enum Place : int { kAdd, kMin, kMax, kAnd, kOr, kXor, kPlaces };

template <typename T>
__global__ void integer_atomics_kernel(const T* values, Count count,
                                       T* results) {
  const Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const T value = values[i];
  atomicAdd(&results[kAdd], value);
  atomicMin(&results[kMin], value);
  atomicMax(&results[kMax], value);
  atomicAnd(&results[kAnd], value);
  atomicOr(&results[kOr], value);
  atomicXor(&results[kXor], value);
}

__global__ void wrapping_kernel(unsigned* counters, int times) {
  for (int i = 0; i < times; ++i) {
    atomicInc(&counters[0], 9U);
    atomicDec(&counters[1], 6U);
    atomicSub(&counters[2], 3U);
  }
}

// Every ticket is drawn once, and the last exchange leaves one of the values.
__global__ void tickets_kernel(int* next, int* owners, int* exchanged,
                               int* seen) {
  const int thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  owners[atomicAdd(next, 1)] = thread;
  seen[thread] = atomicExch(exchanged, thread);
}

// There is no atomic maximum of floats: the bits are compared and exchanged.
__device__ void atomic_max(float* at, float value) {
  int* bits = reinterpret_cast<int*>(at);
  int known = *bits;
  while (__int_as_float(known) < value) {
    const int before = atomicCAS(bits, known, __float_as_int(value));
    if (before == known) return;
    known = before;
  }
}

__device__ void atomic_multiply(double* at, double value) {
  auto* bits = reinterpret_cast<unsigned long long*>(at);
  unsigned long long known = *bits;
  unsigned long long assumed = 0;
  do {
    assumed = known;
    const double product =
        __longlong_as_double(static_cast<long long>(assumed)) * value;
    known = atomicCAS(
        bits, assumed,
        static_cast<unsigned long long>(__double_as_longlong(product)));
  } while (known != assumed);
}

__global__ void made_atomics_kernel(const float* values, Count count,
                                    float* largest, double* product) {
  const Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count) return;
  atomic_max(largest, values[i]);
  atomic_multiply(product, 1.0 + values[i] / 1024.0);
}

// Sums of floats, first in the block's memory.
template <typename T>
__global__ void shared_atomics_kernel(const T* values, Count count, T* sum) {
  __shared__ T block_sum;
  if (threadIdx.x == 0) block_sum = 0;
  __syncthreads();
  const Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) atomicAdd(&block_sum, values[i]);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(sum, block_sum);
}

// The last block to arrive sums what the others left.
__global__ void last_block_kernel(const int* values, Count count, int* partial,
                                  unsigned* arrived, int* result) {
  __shared__ bool last;
  const Count i = static_cast<Count>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int sum = block_reduce(i < count ? values[i] : 0, Sum{});
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    last = atomicAdd(arrived, 1U) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  __threadfence();
  int all = 0;
  for (unsigned block = 0; block < gridDim.x; ++block) {
    all += const_cast<volatile int*>(partial)[block];
  }
  *result = all;
}

template <typename T>
void integer_atomics(const void* values, Count count, void* results) {
  const Stream stream;
  const DeviceArray<T> source(stream, static_cast<const T*>(values), count);
  const DeviceArray<T> target(stream, static_cast<const T*>(results), kPlaces);
  integer_atomics_kernel<<<divided_up(count, kThreads), kThreads, 0,
                           stream.get()>>>(source.get(), count, target.get());
  check_launch();
  target.copy_to(static_cast<T*>(results));
  stream.synchronize();
}

}  // namespace
}  // namespace parity

using namespace parity;

// `results` starts as what each place begins with; see Place.
int parity_integer_atomics(Count element, const void* values, Count count,
                           void* results) {
  return guarded([&] {
    switch (element) {
      case kInt32:
        return integer_atomics<int>(values, count, results);
      case kUint32:
        return integer_atomics<unsigned>(values, count, results);
      case kUint64:
        return integer_atomics<unsigned long long>(values, count, results);
      default:
        throw Failure{cudaErrorInvalidValue};
    }
  });
}

int parity_wrapping_atomics(unsigned* counters, Count threads, Count times) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<unsigned> target(stream, counters, 3);
    wrapping_kernel<<<1, static_cast<unsigned>(threads), 0, stream.get()>>>(
        target.get(), static_cast<int>(times));
    check_launch();
    target.copy_to(counters);
    stream.synchronize();
  });
}

int parity_tickets(Count blocks, int* owners, int* seen, int* last) {
  return guarded([&] {
    const Stream stream;
    const Count threads = blocks * kThreads;
    DeviceArray<int> next(stream, 1);
    next.zero();
    DeviceArray<int> exchanged(stream, 1);
    check(cudaMemsetAsync(exchanged.get(), 0xFF, sizeof(int), stream.get()));
    const DeviceArray<int> who(stream, threads);
    const DeviceArray<int> what(stream, threads);
    tickets_kernel<<<static_cast<unsigned>(blocks), kThreads, 0,
                     stream.get()>>>(next.get(), who.get(), exchanged.get(),
                                     what.get());
    check_launch();
    who.copy_to(owners);
    what.copy_to(seen);
    exchanged.copy_to(last);
    stream.synchronize();
  });
}

int parity_made_atomics(const float* values, Count count, float* largest,
                        double* product) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<float> source(stream, values, count);
    const DeviceArray<float> maximum(stream, largest, 1);
    const DeviceArray<double> factor(stream, product, 1);
    made_atomics_kernel<<<divided_up(count, kThreads), kThreads, 0,
                          stream.get()>>>(source.get(), count, maximum.get(),
                                          factor.get());
    check_launch();
    maximum.copy_to(largest);
    factor.copy_to(product);
    stream.synchronize();
  });
}

int parity_shared_atomics(Count element, const void* values, Count count,
                          void* sum) {
  return guarded([&] {
    with_number(element, [&](auto type) {
      using Given = typename decltype(type)::type;
      // There is no atomic sum of signed 64-bit numbers; the bits are the same.
      using T = std::conditional_t<std::is_same_v<Given, long long>,
                                   unsigned long long, Given>;
      const Stream stream;
      const DeviceArray<T> source(stream, static_cast<const T*>(values), count);
      DeviceArray<T> target(stream, 1);
      target.zero();
      shared_atomics_kernel<<<divided_up(count, kThreads), kThreads, 0,
                              stream.get()>>>(source.get(), count,
                                              target.get());
      check_launch();
      target.copy_to(static_cast<T*>(sum));
      stream.synchronize();
    });
  });
}

int parity_last_block(const int* values, Count count, int* result) {
  return guarded([&] {
    const Stream stream;
    const unsigned blocks = std::max(1U, divided_up(count, kThreads));
    const DeviceArray<int> source(stream, values, count);
    const DeviceArray<int> partial(stream, blocks);
    DeviceArray<unsigned> arrived(stream, 1);
    arrived.zero();
    const DeviceArray<int> target(stream, 1);
    last_block_kernel<<<blocks, kThreads, 0, stream.get()>>>(
        source.get(), count, partial.get(), arrived.get(), target.get());
    check_launch();
    target.copy_to(result);
    stream.synchronize();
  });
}
