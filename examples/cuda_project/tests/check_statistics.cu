// A self-check: compares the kernels with plain loops on the host.
#include <cmath>
#include <cstdio>
#include <vector>

#include "tidepool/device_buffer.h"
#include "tidepool/statistics.h"
#include "tidepool/transfer.h"
#include "tidepool/vmm_arena.h"

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
  std::printf("%-28s %s\n", what, holds ? "ok" : "FAILED");
  failures += holds ? 0 : 1;
}

std::vector<float> ramp(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = i % 3 == 0 ? 0.0f : static_cast<float>(i % 101) - 50.0f;
  }
  return values;
}

__global__ void double_kernel(float* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] *= 2.0f;
}

void check_all(cudaStream_t stream) {
  constexpr std::size_t kCount = 100003;
  const std::vector<float> host = ramp(kCount);
  tidepool::DeviceBuffer<float> device(kCount, stream);
  device.copy_from(host.data());
  const tidepool::TensorView tensor{device.data(), kCount,
                                    tidepool::Dtype::kFloat32};

  double sum = 0;
  std::size_t nonzero = 0;
  for (const float value : host) {
    sum += value;
    nonzero += value != 0.0f;
  }
  const tidepool::Moments result = tidepool::moments(tensor, stream);
  expect(std::fabs(result.sum - sum) < 1e-6, "moments: sum");
  expect(result.minimum == -50.0f && result.maximum == 50.0f,
         "moments: extremes");
  expect(tidepool::nonzero_positions(tensor, stream).size() == nonzero,
         "nonzero positions");
  expect(tidepool::checksum(device.data(), kCount * 4, stream) ==
             tidepool::checksum(device.data(), kCount * 4, stream),
         "checksum: repeatable");

  tidepool::VmmArena arena(0, std::size_t{1} << 30);
  void* pointer = arena.allocate(1 << 20);
  expect(arena.contains(pointer), "arena: contains");

  tidepool::ReplayedWork twice([&](cudaStream_t capture) {
    double_kernel<<<(kCount + 255) / 256, 256, 0, capture>>>(
        device.data(), static_cast<int>(kCount));
  });
  twice.launch(stream);
  expect(std::fabs(tidepool::moments(tensor, stream).sum - 2 * sum) < 1e-6,
         "graph: replayed once");
}

}  // namespace

int main() {
  const tidepool::DeviceSummary summary = tidepool::summarize_devices();
  if (!summary.problem.empty()) {
    std::printf("skipped: %s\n", summary.problem.c_str());
    return 0;
  }
  std::printf("%s, %d lanes\n", summary.name.c_str(), summary.lanes);
  cudaStream_t stream = nullptr;
  TIDEPOOL_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  check_all(stream);
  TIDEPOOL_CHECK(cudaStreamDestroy(stream));
  return failures == 0 ? 0 : 1;
}
