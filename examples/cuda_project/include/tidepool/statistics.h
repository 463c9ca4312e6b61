// What the library computes about tensors, callable from plain C++.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tidepool {

enum class Dtype : int { kFloat32 = 0, kFloat16 = 1, kBfloat16 = 2 };

struct TensorView {
  const void* data = nullptr;
  std::size_t count = 0;
  Dtype dtype = Dtype::kFloat32;
};

struct Moments {
  double sum = 0;
  double sum_of_squares = 0;
  float minimum = 0;
  float maximum = 0;
  unsigned long long not_finite = 0;
};

constexpr int kMaxEdges = 256;

// Kernels run on `stream`; results are on the host when the call returns.
Moments moments(const TensorView& tensor, cudaStream_t stream);
std::vector<std::uint32_t> histogram(const TensorView& tensor,
                                     const std::vector<float>& edges,
                                     cudaStream_t stream);
std::vector<std::int32_t> nonzero_positions(const TensorView& tensor,
                                            cudaStream_t stream);
std::uint32_t checksum(const void* data, std::size_t bytes,
                       cudaStream_t stream);
// offsets[i] = lengths[0] + ... + lengths[i], in one cooperative launch.
void inclusive_scan(const std::int64_t* lengths, std::int64_t* offsets,
                    int count, cudaStream_t stream);

// Narrows float32 weights for a transfer; `scale` is applied first.
void pack_half(const float* source, void* target, std::size_t count,
               float scale, cudaStream_t stream);
void pack_bfloat16(const float* source, void* target, std::size_t count,
                   float scale, cudaStream_t stream);
// target += source, for two half vectors that several blocks may touch.
void accumulate_half(const void* source, void* target, std::size_t count,
                     cudaStream_t stream);

// gram = rows * rows^T for half-precision rows; for gradient similarity.
void gram_matrix(const void* rows, int count, int width, float* gram,
                 cudaStream_t stream);

struct DeviceSummary {
  int count = 0;
  int lanes = 0;
  std::string name;
  std::string problem;  // empty: usable
};
DeviceSummary summarize_devices();

}  // namespace tidepool
