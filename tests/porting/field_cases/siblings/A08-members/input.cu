#include <cuda_runtime.h>
template <class T, bool B = false> struct Op { static __global__ void run(T* p, int n); };
template <int W> __global__ void wide(int* p) { p[0] = W; }
using Fn = void (*)(int*);
#define BY_WIDTH(w, ...) \
  switch (w) { case 4: wide<4><<<__VA_ARGS__>>>(p); break; default: wide<8><<<__VA_ARGS__>>>(p); }
template <class T> void go(T* t, int* p, int n, cudaStream_t s) {
  Op<T, (sizeof(T) > 4)>::run<<<(n + 255) / 256, 256, 0, s>>>(t, n);
  Fn f = n > 1 ? &wide<2> : wide<3>;
  (*f)<<<1, dim3{32, 2, 1}>>>(p);
  f
    <<<
      dim3(n), 64
    >>>
    (p);
  BY_WIDTH(n, 1, 32, 0, s);
  if (n < 3 && n >> 1 > 0) wide<(1 << 3)> <<<1, 1>>> (p);
}
