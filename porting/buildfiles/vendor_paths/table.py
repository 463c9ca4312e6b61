"""What stands for NVIDIA's files, tools, libraries and variables on an AMD machine."""

import re
from dataclasses import dataclass

from porting.buildfiles.libraries import link_names
from porting.buildfiles.vendor_paths.codes import (
    VENDOR_FILE,
    VENDOR_LIBRARY,
    VENDOR_TOOL,
    VENDOR_VARIABLE,
)
from porting.diagnostics import Code

ROCM = re.compile(
    r"(?i)rocm|\bamd|(?:^|[^a-z])hip(?:[^a-z]|cc|_|$)|/dev/kfd|/dev/dri|\bkfd\b|radeon|gfx\d|\brccl"
)
_FILES = (
    (re.compile(r"/dev/nvidia\S*"), "/dev/kfd and /dev/dri/renderD*"),
    (re.compile(r"/proc/driver/nvidia\S*"), "/sys/class/kfd/kfd/topology/nodes"),
    (re.compile(r"/sys/(?:module|bus/pci/drivers)/nvidia\S*"), "/sys/module/amdgpu"),
    (re.compile(r"/usr/local/cuda\S*"), "the folder in ROCM_PATH, /opt/rocm by default"),
)
TOOLS = {
    "nvidia-smi": "amd-smi or rocm-smi",
    "nvcc": "hipcc",
    "cuobjdump": "llvm-objdump --offloading",
    "nvdisasm": "llvm-objdump -d",
    "cuda-gdb": "rocgdb",
    "cuda-memcheck": "a build with -fsanitize=address",
    "compute-sanitizer": "a build with -fsanitize=address",
    "nsys": "rocprofv3 or rocprof-sys",
    "ncu": "rocprof-compute",
    "nvprof": "rocprofv3",
    "nvidia-modprobe": "modprobe amdgpu",
    "nvidia-ctk": "no container runtime of its own: --device=/dev/kfd --device=/dev/dri",
    "nvidia-docker": "docker run --device=/dev/kfd --device=/dev/dri",
    "nvidia-container-cli": "no container runtime of its own: --device=/dev/kfd --device=/dev/dri",
}
VARIABLES = {
    "CUDA_VISIBLE_DEVICES": "HIP reads it too, but HIP_VISIBLE_DEVICES is HIP's own and"
    " ROCR_VISIBLE_DEVICES filters before it: two filters renumber twice",
    "NVIDIA_VISIBLE_DEVICES": "only NVIDIA's container runtime reads it; give a container /dev/kfd"
    " and its /dev/dri/renderD* files",
    "NVIDIA_DRIVER_CAPABILITIES": "only NVIDIA's container runtime reads it",
    "CUDA_DEVICE_ORDER": "HIP always counts devices in the order of the PCI bus",
    "CUDA_LAUNCH_BLOCKING": "AMD_SERIALIZE_KERNEL=3 makes HIP wait for each kernel",
    "CUDA_DEVICE_MAX_CONNECTIONS": "GPU_MAX_HW_QUEUES is the number of queues with HIP",
    "CUDA_MODULE_LOADING": "HIP loads code objects lazily and has no such variable",
    "CUDA_CACHE_PATH": "HIP keeps no cache of compiled kernels",
    "CUDA_CACHE_DISABLE": "HIP keeps no cache of compiled kernels",
    "CUDA_MPS_PIPE_DIRECTORY": "ROCm has no MPS",
    "CUDA_MPS_LOG_DIRECTORY": "ROCm has no MPS",
    "TORCH_CUDA_ARCH_LIST": "PYTORCH_ROCM_ARCH chooses the architectures of a torch for ROCm",
    "NCCL_NVLS_ENABLE": "RCCL has no NVLink SHARP",
    "NCCL_MNNVL_ENABLE": "RCCL has no multi-node NVLink",
    "NCCL_NVB_DISABLE": "RCCL knows no NVLink bridges",
    "NCCL_LAUNCH_MODE": "RCCL does not read it",
}
_LIBRARY = re.compile(
    r"lib(cuda|cudart|cublas|cublasLt|cufft|curand|cusolver|cusparse|nvrtc|nccl|nvidia-ml)"
    r"(?:\.so(?:\.[\d.]+)?|\.dylib)?(?![\w-])"
)


@dataclass(frozen=True)
class Found:
    """What a text has of NVIDIA's: the kind, the word, and what to do about it."""

    code: Code
    word: str
    message: str
    help: str


def file_in(text: str) -> Found | None:
    """Return the first path of NVIDIA's in a text."""
    for pattern, instead in _FILES:
        if match := pattern.search(text):
            word = match[0].rstrip("'\"),;]}")
            message = f"{word} exists only where NVIDIA's software is installed"
            return Found(VENDOR_FILE, word, message, f"on an AMD machine look at {instead}")
    return None


def tool(word: str) -> Found | None:
    """Return what to say of a program that is run, by its name or path."""
    name = word.rpartition("/")[2]
    if name not in TOOLS:
        return None
    message = f"{name} is run, which a ROCm machine does not have"
    return Found(VENDOR_TOOL, name, message, f"use {TOOLS[name]} there")


def library_in(text: str) -> Found | None:
    """Return the first library of CUDA's that a text names by its file."""
    match = _LIBRARY.search(text)
    if match is None:
        return None
    names, _ = link_names(match[1])
    instead = " or ".join(f"lib{name}.so" for name in names) or "nothing"
    message = f"{match[0]} is a library of CUDA's, and ROCm's is {instead}"
    return Found(VENDOR_LIBRARY, match[0], message, "choose the name by the platform")


def variable(name: str) -> Found | None:
    """Return what to say of an environment variable."""
    if name not in VARIABLES:
        return None
    return Found(VENDOR_VARIABLE, name, f"{name}: {VARIABLES[name]}", "")
