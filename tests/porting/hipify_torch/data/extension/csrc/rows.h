// What the module has, for any device that has kernels.
#pragma once

#include <ATen/core/Tensor.h>

namespace rowops {

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps);
at::Tensor outliers(const at::Tensor& x, double threshold);
at::Tensor max_pool(const at::Tensor& rows, const at::Tensor& offsets);

// Bytes from a pointer's place to the end of its allocation, as the driver knows it.
size_t bytes_behind(const void* pointer);

}  // namespace rowops
