// Memory of other kinds: rows with a pitch, memory of the host that kernels
// reach, managed memory, and more shared memory than a block gets unasked.
#include "device_array.h"
#include "kernels.h"

namespace parity {
namespace {

// Rows start `pitch` bytes after each other.
__global__ void add_rows_kernel(char* rows, std::size_t pitch, int height,
                                int width, int added) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  int* row = reinterpret_cast<int*>(rows + static_cast<std::size_t>(y) * pitch);
  row[x] += added * (y + 1);
}

__global__ void reverse_kernel(const int* from, int* to, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) to[count - 1 - i] = from[i];
}

// Rotates all elements in shared memory, which holds them all at once.
__global__ void rotate_kernel(int* values, int count, int distance) {
  extern __shared__ int all[];
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kThreads) {
    all[i] = values[i];
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kThreads) {
    values[i] = all[(i + distance) % count];
  }
}

// Memory of the host, in the form that releases it.
class HostMemory {
 public:
  HostMemory(Count count, unsigned flags) {
    check(cudaHostAlloc(&data_, static_cast<std::size_t>(count) * sizeof(int),
                        flags));
  }
  ~HostMemory() { static_cast<void>(cudaFreeHost(data_)); }
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  int* host() const { return static_cast<int*>(data_); }
  int* device() const {
    void* address = nullptr;
    check(cudaHostGetDevicePointer(&address, data_, 0));
    return static_cast<int*>(address);
  }

 private:
  void* data_ = nullptr;
};

}  // namespace
}  // namespace parity

using namespace parity;

// Adds `added` times the number of the row, from 1 on.
int parity_pitched_rows(int* plane, Count height, Count width, Count added,
                        Count* pitch) {
  return guarded([&] {
    const std::size_t row = static_cast<std::size_t>(width) * sizeof(int);
    const std::size_t rows = static_cast<std::size_t>(height);
    void* memory = nullptr;
    std::size_t between = 0;
    check(cudaMallocPitch(&memory, &between, row, rows));
    check(cudaMemcpy2D(memory, between, plane, row, row, rows,
                       cudaMemcpyHostToDevice));
    const dim3 grid(divided_up(width, 16), divided_up(height, 8));
    add_rows_kernel<<<grid, dim3(16, 8)>>>(
        static_cast<char*>(memory), between, static_cast<int>(height),
        static_cast<int>(width), static_cast<int>(added));
    check_launch();
    check(cudaMemcpy2D(plane, row, memory, between, row, rows,
                       cudaMemcpyDeviceToHost));
    check(cudaFree(memory));
    *pitch = static_cast<Count>(between);
  });
}

// Nothing is copied: the kernel reads and writes memory of the host.
int parity_mapped_memory(const int* values, Count count, int* reversed) {
  return guarded([&] {
    const Stream stream;
    const HostMemory source(count, cudaHostAllocMapped);
    const HostMemory target(count, cudaHostAllocMapped);
    std::copy(values, values + count, source.host());
    reverse_kernel<<<divided_up(count, kThreads), kThreads, 0, stream.get()>>>(
        source.device(), target.device(), static_cast<int>(count));
    check_launch();
    stream.synchronize();
    std::copy(target.host(), target.host() + count, reversed);
  });
}

// The caller's own memory, for as long as this takes.
int parity_registered_memory(int* values, Count count, int* reversed) {
  return guarded([&] {
    const Stream stream;
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(int);
    check(cudaHostRegister(values, bytes, cudaHostRegisterMapped));
    void* address = nullptr;
    check(cudaHostGetDevicePointer(&address, values, 0));
    const DeviceArray<int> target(stream, count);
    reverse_kernel<<<divided_up(count, kThreads), kThreads, 0, stream.get()>>>(
        static_cast<const int*>(address), target.get(),
        static_cast<int>(count));
    check_launch();
    target.copy_to(reversed);
    stream.synchronize();
    check(cudaHostUnregister(values));
  });
}

// One pointer for both sides.
int parity_managed_memory(const int* values, Count count, int* reversed) {
  return guarded([&] {
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(int);
    int* both = nullptr;
    check(cudaMallocManaged(&both, 2 * bytes));
    std::copy(values, values + count, both);
    reverse_kernel<<<divided_up(count, kThreads), kThreads>>>(
        both, both + count, static_cast<int>(count));
    check_launch();
    check(cudaDeviceSynchronize());
    std::copy(both + count, both + 2 * count, reversed);
    check(cudaFree(both));
  });
}

int parity_large_shared_memory(int* values, Count count, Count distance) {
  return guarded([&] {
    const Stream stream;
    const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(int);
    check(cudaFuncSetAttribute(reinterpret_cast<const void*>(rotate_kernel),
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(bytes)));
    const DeviceArray<int> memory(stream, values, count);
    rotate_kernel<<<1, kThreads, bytes, stream.get()>>>(
        memory.get(), static_cast<int>(count), static_cast<int>(distance));
    check_launch();
    memory.copy_to(values);
    stream.synchronize();
  });
}
