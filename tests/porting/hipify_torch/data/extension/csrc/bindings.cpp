// The Python module: checks of arguments, then the kernels.
#include <torch/extension.h>

#include "cuda/common.cuh"
#include "rows.h"

namespace rowops {
namespace {

void check(const at::Tensor& tensor, const char* name, int64_t dimensions) {
  TORCH_CHECK(tensor.is_cuda(), name, " must be a CUDA tensor");
  TORCH_CHECK(tensor.is_contiguous(), name, " must be contiguous");
  TORCH_CHECK(tensor.dim() == dimensions, name, " must have ", dimensions, " dimensions, not ",
              tensor.dim());
}

at::Tensor checked_rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps) {
  check(x, "x", 2);
  check(weight, "weight", 1);
  TORCH_CHECK(weight.size(0) == x.size(1), "weight must have a value per column");
  return rms_norm(x, weight, eps);
}

at::Tensor checked_outliers(const at::Tensor& x, double threshold) {
  check(x, "x", 2);
  return outliers(x, threshold);
}

at::Tensor checked_max_pool(const at::Tensor& rows, const at::Tensor& offsets) {
  check(rows, "rows", 2);
  check(offsets, "offsets", 1);
  TORCH_CHECK(rows.scalar_type() == at::kHalf, "rows must be half precision");
  TORCH_CHECK(rows.size(1) % 2 == 0, "rows must have an even number of columns");
  return max_pool(rows, offsets);
}

int64_t shared_memory_limit(int64_t device) {
  int bytes = 0;
  ROWOPS_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                                      static_cast<int>(device)));
  return bytes;
}

}  // namespace
}  // namespace rowops

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("rms_norm", &rowops::checked_rms_norm);
  m.def("outliers", &rowops::checked_outliers);
  m.def("max_pool", &rowops::checked_max_pool);
  m.def("shared_memory_limit", &rowops::shared_memory_limit);
  m.def("bytes_behind",
        [](const at::Tensor& x) { return rowops::bytes_behind(x.const_data_ptr()); });
}
