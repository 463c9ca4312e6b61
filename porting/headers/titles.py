"""The libraries and kinds of names that a compat header is divided into, in its order.  Data."""

from typing import Final

from porting.headers.entries import Group

TITLES: Final = {
    "runtime": "CUDA runtime",
    "driver": "CUDA driver API",
    "device": "Device code",
    "fp16": "16-bit floats",
    "bf16": "16-bit floats, bfloat16",
    "fp8": "8-bit floats",
    "cooperative_groups": "Cooperative groups",
    "nvrtc": "NVRTC",
    "nccl": "NCCL",
    "cublas": "cuBLAS",
    "cublaslt": "cuBLASLt",
    "cudnn": "cuDNN",
    "cufft": "cuFFT",
    "curand": "cuRAND",
    "cusolver": "cuSOLVER",
    "cusparse": "cuSPARSE",
    "cusparselt": "cuSPARSELt",
    "nvml": "NVML",
    "nvtx": "NVTX",
    "wmma": "Matrix cores",
}
GROUPS: Final = {
    Group.TYPES: "types",
    Group.CONSTANTS: "constants",
    Group.FUNCTIONS: "functions",
}
