// Histograms over arbitrary edges, and the positions of non-zero values.
#include "tidepool/convert.cuh"
#include "tidepool/device_buffer.h"
#include "tidepool/lanes.cuh"
#include "tidepool/launch.cuh"
#include "tidepool/statistics.h"

namespace tidepool {
namespace {

__constant__ float edge_table[kMaxEdges];
__device__ int appended;

// The last edge that is not above `value`; -1 when all are.
__device__ __forceinline__ int find_bin(float value, int edges) {
  int low = -1;
  int high = edges;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (edge_table[middle] <= value) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    histogram_kernel(const T* __restrict__ data, std::size_t count, int edges,
                     unsigned* __restrict__ bins) {
  extern __shared__ unsigned local_bins[];
  const int bin_count = edges - 1;
  for (int bin = threadIdx.x; bin < bin_count; bin += blockDim.x) {
    local_bins[bin] = 0;
  }
  __syncthreads();
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i =
           static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < count; i += step) {
    const int bin = find_bin(to_float(data[i]), edges);
    if (bin >= 0 && bin < bin_count) count_bin(local_bins, bin);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < bin_count; bin += blockDim.x) {
    if (local_bins[bin] != 0) atomicAdd(&bins[bin], local_bins[bin]);
  }
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    nonzero_kernel(const T* __restrict__ data, int count,
                   std::int32_t* __restrict__ positions) {
  const int step = gridDim.x * blockDim.x;
  const int first = blockIdx.x * blockDim.x;
  // Whole blocks stay in the loop together: append_slot() needs every lane.
  for (int start = first; start < count; start += step) {
    const int i = start + static_cast<int>(threadIdx.x);
    const bool keep = i < count && to_float(data[i]) != 0.0f;
    if (!__any_sync(kEveryLane, keep)) continue;
    const int slot = append_slot(&appended, keep);
    if (keep) positions[slot] = i;
    __syncwarp();
  }
}

template <typename T>
void run_histogram(const T* data, std::size_t count, int edges,
                   DeviceBuffer<unsigned>& bins, cudaStream_t stream) {
  const std::size_t shared = static_cast<std::size_t>(edges) * sizeof(unsigned);
  TIDEPOOL_CHECK(cudaFuncSetAttribute(
      histogram_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
      static_cast<int>(shared)));
  const int grid = grid_for(histogram_kernel<T>, count, shared);
  TIDEPOOL_LAUNCH(histogram_kernel<T>, grid, shared, stream, data, count, edges,
                  bins.data());
}

}  // namespace

std::vector<std::uint32_t> histogram(const TensorView& tensor,
                                     const std::vector<float>& edges,
                                     cudaStream_t stream) {
  if (edges.size() < 2 || edges.size() > kMaxEdges) {
    throw GpuError("a histogram needs 2 to 256 edges, got " +
                   std::to_string(edges.size()));
  }
  TIDEPOOL_CHECK(cudaMemcpyToSymbolAsync(edge_table, edges.data(),
                                         edges.size() * sizeof(float), 0,
                                         cudaMemcpyHostToDevice, stream));
  const int edge_count = static_cast<int>(edges.size());
  DeviceBuffer<unsigned> bins(edges.size() - 1, stream);
  bins.fill_zero();
  TIDEPOOL_DISPATCH(tensor.dtype,
                    run_histogram(static_cast<const scalar_t*>(tensor.data),
                                  tensor.count, edge_count, bins, stream));
  std::vector<std::uint32_t> counts(bins.size());
  bins.copy_to(counts.data());
  TIDEPOOL_CHECK(cudaStreamSynchronize(stream));
  return counts;
}

std::vector<std::int32_t> nonzero_positions(const TensorView& tensor,
                                            cudaStream_t stream) {
  const int count = static_cast<int>(tensor.count);
  DeviceBuffer<std::int32_t> positions(tensor.count, stream);
  int found = 0;
  TIDEPOOL_CHECK(cudaMemcpyToSymbol(appended, &found, sizeof(found)));
  TIDEPOOL_DISPATCH(tensor.dtype, {
    const auto* data = static_cast<const scalar_t*>(tensor.data);
    TIDEPOOL_LAUNCH(nonzero_kernel<scalar_t>,
                    grid_for(nonzero_kernel<scalar_t>, tensor.count), 0, stream,
                    data, count, positions.data());
  });
  TIDEPOOL_CHECK(cudaStreamSynchronize(stream));
  TIDEPOOL_CHECK(cudaMemcpyFromSymbol(&found, appended, sizeof(found)));
  std::vector<std::int32_t> result(static_cast<std::size_t>(found));
  TIDEPOOL_CHECK(cudaMemcpy(result.data(), positions.data(),
                            result.size() * sizeof(std::int32_t),
                            cudaMemcpyDeviceToHost));
  return result;
}

}  // namespace tidepool
