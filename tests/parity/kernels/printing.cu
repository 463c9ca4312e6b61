// printf in a kernel: every conversion that programs use.
#include <cstdio>

#include "device_array.h"
#include "kernels.h"

namespace parity {
namespace {

__global__ void print_kernel(const double* values, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  printf("block %u thread %d: %.3f %s %c %5d|%-4d|%04x %lld %g %%\n",
         blockIdx.x, static_cast<int>(threadIdx.x), values[i],
         i % 2 == 0 ? "even" : "odd", static_cast<char>('a' + i % 26), i, i,
         static_cast<unsigned>(i), 1LL << (32 + i % 8), values[i] * 1e10);
}

__global__ void print_result_kernel(int* result) {
  *result = printf("%d and %d\n", 1, 2);
}

}  // namespace
}  // namespace parity

using namespace parity;

// Lines go to the process's standard output.
int parity_print(const double* values, Count count, Count threads) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<double> source(stream, values, count);
    print_kernel<<<divided_up(count, threads), static_cast<unsigned>(threads),
                   0, stream.get()>>>(source.get(), static_cast<int>(count));
    check_launch();
    stream.synchronize();
    std::fflush(stdout);
  });
}

// How many arguments printf says that it took is the vendor's to say.
int parity_print_result(int* result) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<int> target(stream, 1);
    print_result_kernel<<<1, 1, 0, stream.get()>>>(target.get());
    check_launch();
    target.copy_to(result);
    stream.synchronize();
    std::fflush(stdout);
  });
}
