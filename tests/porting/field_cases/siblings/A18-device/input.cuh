#pragma once
#include "curand_kernel.h"
namespace curandx { struct curandStateBox { curandState s; }; }
typedef curandStateMRG32k3a_t curand_state_t;
__device__ inline float4 draw(curandState_t* st, curandx::curandStateBox* box) {
  float2 n = curand_normal2(st);
  double u = curand_uniform_double(&box->s);
  unsigned p = curand_poisson(st, 4.0), raw = curand(st);
  return make_float4(n.x, n.y, (float)u, (float)(p + raw));
}
__global__ void curand_seed_all(curand_state_t* st, unsigned long long seed) {
  curand_init(seed, threadIdx.x, 0, &st[threadIdx.x]);
  skipahead(10ULL, &st[threadIdx.x]);
}
