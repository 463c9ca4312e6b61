// Iterations until points of the plane escape: lanes that leave a loop at very
// different times.
#include "device_array.h"
#include "kernels.h"

namespace parity {
namespace {

__global__ void mandelbrot_kernel(double2 corner, double step, int width,
                                  int height, int limit, int* iterations) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  const double real = __dadd_rn(corner.x, __dmul_rn(x, step));
  const double imaginary = __dadd_rn(corner.y, __dmul_rn(y, step));
  double a = 0;
  double b = 0;
  int count = 0;
  for (; count < limit; ++count) {
    const double squares = __dmul_rn(a, a);
    const double others = __dmul_rn(b, b);
    if (__dadd_rn(squares, others) > 4.0) break;
    b = __dadd_rn(__dmul_rn(__dmul_rn(2.0, a), b), imaginary);
    a = __dadd_rn(__dsub_rn(squares, others), real);
  }
  iterations[y * width + x] = count;
}

}  // namespace
}  // namespace parity

using namespace parity;

int parity_mandelbrot(double x, double y, double step, Count width,
                      Count height, Count limit, int* iterations) {
  return guarded([&] {
    const Stream stream;
    const DeviceArray<int> target(stream, width * height);
    const dim3 grid(divided_up(width, 16), divided_up(height, 8));
    mandelbrot_kernel<<<grid, dim3(16, 8), 0, stream.get()>>>(
        make_double2(x, y), step, static_cast<int>(width),
        static_cast<int>(height), static_cast<int>(limit), target.get());
    check_launch();
    target.copy_to(iterations);
    stream.synchronize();
  });
}
