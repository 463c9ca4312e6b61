"""What NVIDIA's software has on a machine, and AMD's in its place: variables, files, programs.

Data, for sources, build files and scripts alike.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from porting.toolkits.platforms import CUDA, ROCM

# Where CUDA is put besides the place that the detection rule knows: by hand, and by Debian.
CUDA_HOMES: Final = (*CUDA.defaults, "/opt/cuda", "/usr/lib/cuda")
ROCM_HOME: Final = ROCM.defaults[0]
ROCM_VARIABLE: Final = ROCM.variables[0]
# One of those folders, also of a release: /usr/local/cuda-12.4.
CUDA_FOLDER: Final = rf"(?:{'|'.join(map(re.escape, CUDA_HOMES))})(?:-[\d.]+)?"
# The names under which build files, scripts and programs know CUDA's folder.
HOME_VARIABLE: Final = (
    r"(?:CUDA_?(?:HOME|PATH|ROOT|DIR|BASE|PREFIX|LOCATION|INSTALL_(?:PATH|DIR)"
    r"|TOOLKIT(?:_(?:ROOT(?:_DIR)?|PATH|HOME|DIR))?)"
    r"|CUDAToolkit_ROOT(?:_DIR)?)"
)
_HOME: Final = re.compile(HOME_VARIABLE)


@dataclass(frozen=True, slots=True)
class Variable:
    """An environment variable: what to do about it with ROCm.

    `rocm`: the one that means the same there, "" for none.  `is_read`: HIP reads it as well.
    """

    advice: str
    rocm: str = ""
    is_read: bool = False


_NO_CACHE: Final = Variable("HIP keeps no cache of compiled kernels")
_NO_MPS: Final = Variable("ROCm has no MPS")
_VARIABLES: Final[Mapping[str, Variable]] = {
    "CUDA_VISIBLE_DEVICES": Variable(
        "HIP reads it too, beside HIP_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES, its own;"
        " filters that are set together renumber twice",
        rocm="HIP_VISIBLE_DEVICES",
        is_read=True,
    ),
    "CUDA_LAUNCH_BLOCKING": Variable(
        "AMD_SERIALIZE_KERNEL=3 or HIP_LAUNCH_BLOCKING=1 makes HIP wait for each kernel"
    ),
    "CUDA_DEVICE_ORDER": Variable("HIP always counts devices in the order of the PCI bus"),
    "CUDA_DEVICE_MAX_CONNECTIONS": Variable("GPU_MAX_HW_QUEUES is the number of queues with HIP"),
    "CUDA_MODULE_LOADING": Variable("HIP loads code objects lazily and has no such variable"),
    "CUDA_CACHE_PATH": _NO_CACHE,
    "CUDA_CACHE_DISABLE": _NO_CACHE,
    "CUDA_MPS_PIPE_DIRECTORY": _NO_MPS,
    "CUDA_MPS_LOG_DIRECTORY": _NO_MPS,
    "CUDA_BIN_PATH": Variable(
        f"ROCm's programs are in bin below the folder in {ROCM_VARIABLE}", rocm=ROCM_VARIABLE
    ),
    "CUDACXX": Variable("HIPCXX is the compiler that CMake takes for HIP", rocm="HIPCXX"),
    "CUDAFLAGS": Variable("HIPFLAGS are the options that CMake gives HIP", rocm="HIPFLAGS"),
    "CUDAARCHS": Variable("CMAKE_HIP_ARCHITECTURES names the architectures for CMake"),
    "CUBLAS_WORKSPACE_CONFIG": Variable("use HIPBLASLT_WORKSPACE_SIZE or drop it"),
    "NVIDIA_VISIBLE_DEVICES": Variable(
        "only NVIDIA's container runtime reads it; AMD's reads AMD_VISIBLE_DEVICES, and without it"
        " a container is given /dev/kfd and its /dev/dri/renderD* files"
    ),
    "NVIDIA_DRIVER_CAPABILITIES": Variable("only NVIDIA's container runtime reads it"),
    "TORCH_CUDA_ARCH_LIST": Variable(
        "PYTORCH_ROCM_ARCH chooses the architectures of a torch for ROCm", rocm="PYTORCH_ROCM_ARCH"
    ),
    "NCCL_NVLS_ENABLE": Variable("RCCL has no NVLink SHARP"),
    "NCCL_MNNVL_ENABLE": Variable("RCCL has no multi-node NVLink"),
    "NCCL_NVB_DISABLE": Variable("RCCL knows no NVLink bridges"),
    "NCCL_LAUNCH_MODE": Variable("RCCL does not read it"),
}
_HOME_ADVICE: Final = Variable(
    f"ROCm's folder is in {ROCM_VARIABLE}, {ROCM_HOME} where it is unset", rocm=ROCM_VARIABLE
)
# What any other variable of these may be: read by CUDA, or the program's own.
FAMILIES: Final = ("CUDA", "NVIDIA", "CUBLAS", "CUDNN", "NVCC", "CUFFT")
OF_CUDA: Final = re.compile(rf"(?:{'|'.join(FAMILIES)})_?[A-Z0-9_]*")
FILES: Final[Mapping[str, str]] = {
    "/proc/driver/nvidia": "/sys/module/amdgpu, and /sys/class/kfd/kfd/topology/nodes for its GPUs",
    "/dev/nvidia": "/dev/kfd and /dev/dri/renderD*",
    "/sys/module/nvidia": "/sys/module/amdgpu",
    "/sys/class/nvidia": "/sys/class/kfd",
    "/sys/bus/pci/drivers/nvidia": "/sys/bus/pci/drivers/amdgpu",
    "/run/nvidia": "what the amdgpu driver offers instead",
    "/var/run/nvidia": "what the amdgpu driver offers instead",
    **dict.fromkeys(CUDA_HOMES, f"the folder in {ROCM_VARIABLE}, {ROCM_HOME} where it is unset"),
}
PROGRAMS: Final[Mapping[str, str]] = {
    "nvidia-smi": "amd-smi, whose output has another form",
    "nvcc": "hipcc, or amdclang++ with --offload-arch",
    "ptxas": "clang, which assembles device code itself",
    "cuobjdump": "llvm-objdump --offloading",
    "nvdisasm": "llvm-objdump -d",
    "cuda-gdb": "rocgdb",
    "cuda-memcheck": "a build with -fsanitize=address",
    "compute-sanitizer": "a build with -fsanitize=address",
    "nsys": "rocprofv3 or rocprof-sys",
    "ncu": "rocprof-compute",
    "nvprof": "rocprofv3",
    "nvidia-modprobe": "modprobe amdgpu",
    "nvidia-ctk": "docker with --device=/dev/kfd --device=/dev/dri",
    "nvidia-docker": "docker run --device=/dev/kfd --device=/dev/dri",
    "nvidia-container-cli": "docker with --device=/dev/kfd --device=/dev/dri",
}
# What any text that means one of these has in it: most texts have none.
HINT: Final = re.compile("|".join(("(?i)nccl_", *FAMILIES, *map(re.escape, PROGRAMS))))
FILE: Final = re.compile("|".join(sorted(map(re.escape, FILES), key=len, reverse=True)))


def variable(name: str) -> Variable | None:
    """Return what is known of an environment variable of NVIDIA's, None for any other."""
    return _HOME_ADVICE if _HOME.fullmatch(name) else _VARIABLES.get(name)


def is_home(name: str) -> bool:
    """Whether a variable stands for CUDA's folder, by its name."""
    return _HOME.fullmatch(name) is not None
