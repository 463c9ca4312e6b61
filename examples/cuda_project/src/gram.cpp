// Similarity of gradient rows, by cuBLAS.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <string>

#include "tidepool/check.h"
#include "tidepool/statistics.h"

namespace tidepool {
namespace {

void check(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw GpuError(std::string(call) + " returned " +
                 std::to_string(static_cast<int>(status)));
}

class BlasHandle {
 public:
  explicit BlasHandle(cudaStream_t stream) {
    check(cublasCreate(&handle_), "cublasCreate");
    check(cublasSetStream(handle_, stream), "cublasSetStream");
  }
  ~BlasHandle() { (void)cublasDestroy(handle_); }
  BlasHandle(const BlasHandle&) = delete;
  BlasHandle& operator=(const BlasHandle&) = delete;

  cublasHandle_t get() const { return handle_; }

 private:
  cublasHandle_t handle_ = nullptr;
};

}  // namespace

void gram_matrix(const void* rows, int count, int width, float* gram,
                 cudaStream_t stream) {
  const BlasHandle blas(stream);
  const float one = 1.0f;
  const float zero = 0.0f;
  // Column-major: the rows are the columns of a width x count matrix.
  check(cublasGemmEx(blas.get(), CUBLAS_OP_T, CUBLAS_OP_N, count, count, width,
                     &one, rows, CUDA_R_16F, width, rows, CUDA_R_16F, width,
                     &zero, gram, CUDA_R_32F, count, CUBLAS_COMPUTE_32F,
                     CUBLAS_GEMM_DEFAULT),
        "cublasGemmEx");
}

}  // namespace tidepool
