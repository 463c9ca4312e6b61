#!/usr/bin/env bash
# Write porting/headers/rust/data, or another folder that is given: what the vendors' headers
# declare, as bindgen reads it.
#
# The headers are those of the wheels that ci/mappings/generate.py keeps (run it first) and of
# `porting sysroot create`.  Needs bindgen 0.60, clang-19 and libclang 15 (LIBCLANG_PATH).
set -euo pipefail
data=$(realpath "${1:-$(dirname "$0")/../porting/headers/rust/data}")
cd "$(dirname "$0")/.."

names=${XDG_CACHE_HOME:-$HOME/.cache}/eclosion/names
python=${PYTHON:-.venv/bin/python}
export LIBCLANG_PATH=${LIBCLANG_PATH:-/usr/lib/llvm-15/lib}

# The include folders of wheels, joined by colons.
folders() {
  local wheel
  for wheel in "$@"; do
    find "$names/nvidia-$wheel" -path '*/nvvm' -prune -o -type d -name include -print | head -1
  done | paste -sd:
}

sysroot() {
  "$python" -m porting sysroot create --rocm "$1" --format json |
    "$python" -c 'import json, sys; print(json.load(sys.stdin)["include"])'
}

headers() {
  printf -- '--header %s ' "$@"
}

# shellcheck disable=SC2046 # words
"$python" -m porting.headers.rust.generate_api "$data/cuda.json" --mapped \
  --prefix 'cu|CU|nvrtc|NVRTC|nccl|NCCL' \
  $(headers cuda.h cuda_runtime_api.h cudaProfiler.h cuda_profiler_api.h nvrtc.h nccl.h) \
  $(headers cublas_v2.h cufft.h curand.h) \
  --set "nvidia-cuda-runtime-cu12==12.9.79, nvidia-nccl-cu12==2.32.3=$(folders \
    cuda-runtime-cu12-12.9.79 cuda-nvcc-cu12-12.9.86 cuda-nvrtc-cu12-12.9.86 nccl-cu12-2.32.3 \
    cuda-cccl-cu12-12.9.27 cuda-profiler-api-cu12-12.9.79 cublas-cu12-12.9.3.13 \
    cufft-cu12-11.4.1.4 curand-cu12-10.3.10.19)" \
  --set "nvidia-cuda-runtime==13.0.96=$(folders \
    cuda-runtime-13.0.96 cuda-crt-13.0.88 cuda-nvrtc-13.5.37 nccl-cu13-2.32.3 cuda-cccl-13.0.85 \
    cuda-profiler-api-13.5.25 cublas-13.10.0.20 cufft-12.5.0.14 curand-10.4.5.25)" \
  --set "nvidia-cuda-runtime-cu11==11.8.89=$(folders \
    cuda-runtime-cu11-11.8.89 cuda-nvcc-cu11-11.8.89 cuda-nvrtc-cu11-11.8.89 nccl-cu12-2.32.3 \
    cuda-cccl-cu11-11.8.89.post1 cuda-profiler-api-cu11-11.8.86 cublas-cu11-11.11.3.6 \
    cufft-cu11-10.9.0.58 curand-cu11-10.3.0.86)"

# shellcheck disable=SC2046 # words
"$python" -m porting.headers.rust.generate_api "$data/hip_7.1.json" --mapped \
  --prefix 'hip|HIP|nccl|NCCL|rocrand' --define __HIP_PLATFORM_AMD__ \
  $(headers hip/hip_runtime_api.h hip/hiprtc.h rccl/rccl.h) \
  $(headers hipblas/hipblas.h hipfft/hipfft.h hiprand/hiprand.h) \
  --set "triton==3.6.0 (HIP 7.1), hip-python==7.1.1.562.43 (libraries)=$(sysroot 7.1)"

# shellcheck disable=SC2046 # words
"$python" -m porting.headers.rust.generate_api "$data/hip_6.2.json" --mapped \
  --prefix 'hip|HIP|nccl|NCCL' --define __HIP_PLATFORM_AMD__ \
  $(headers hip/hip_runtime_api.h hip/hiprtc.h rccl/rccl.h) \
  --set "triton==3.4.0 (HIP 6.2), hip-python==6.2.0.499.16 (libraries)=$(sysroot 6.2)"
