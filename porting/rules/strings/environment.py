"""Environment variables, paths and programs of NVIDIA's driver and toolkit."""

import re
from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic, Severity
from porting.rules.strings.codes import ENVIRONMENT
from porting.rules.unit import Unit
from porting.syntax import callee_of, enclosing_bracket

_PATHS: Final = re.compile(
    r'"[^"\s]*?(/proc/driver/nvidia|/dev/nvidia|/sys/(?:module|class|bus/pci/drivers)/nvidia'
    r"|/usr/local/cuda|/run/nvidia|/var/run/nvidia)"
)
_PROGRAMS: Final = re.compile(
    r'"(?:[^"\s]*/)?(nvidia-smi|nvcc|cuobjdump|nvdisasm|ptxas|nvprof|nsys)\b'
)
# A program with an option or a pipe behind it is a command line, wherever it is passed.
_COMMAND: Final = re.compile(r"[ \t]+(?:--?[A-Za-z]|\||[12]?>|&&)|[ \t]*\|")
_VARIABLE: Final = re.compile(r'"((?:CUDA|NVIDIA|CUBLAS|CUDNN|NVCC|CUFFT)_?[A-Z0-9_]*)"')
_READS: Final = re.compile(r"(?i)(?:get|set|put|unset|has|read)?_?env\w*$|\benviron\w*")
_VARIABLES: Final = {
    "CUDA_VISIBLE_DEVICES": (
        "HIP honours it as well, next to HIP_VISIBLE_DEVICES and ROCR_VISIBLE_DEVICES;"
        " filters that are set together renumber twice"
    ),
    "CUDA_LAUNCH_BLOCKING": "use HIP_LAUNCH_BLOCKING or AMD_SERIALIZE_KERNEL=3",
    "CUDA_DEVICE_ORDER": "HIP always orders devices by PCI bus",
    "CUDA_DEVICE_MAX_CONNECTIONS": "use GPU_MAX_HW_QUEUES",
    "CUDA_HOME": "use ROCM_PATH or HIP_PATH",
    "CUDA_PATH": "use ROCM_PATH or HIP_PATH",
    "CUDA_ROOT": "use ROCM_PATH or HIP_PATH",
    "NVIDIA_VISIBLE_DEVICES": "AMD's container runtime reads AMD_VISIBLE_DEVICES",
    "CUBLAS_WORKSPACE_CONFIG": "use HIPBLASLT_WORKSPACE_SIZE or drop it",
}
_PATH_HELP: Final = {
    "/proc/driver/nvidia": "the amdgpu driver is at /sys/module/amdgpu, its GPUs at /sys/class/kfd",
    "/dev/nvidia": "AMD GPUs are /dev/kfd and /dev/dri/renderD*",
    "/usr/local/cuda": "ROCm is at ROCM_PATH, by default /opt/rocm",
}
_PROGRAM_HELP: Final = {
    "nvidia-smi": "use amd-smi; its output has another form",
    "nvcc": "use hipcc or amdclang++ with --offload-arch",
    "nvprof": "use rocprofv3",
    "nsys": "use rocprofv3 or rocprof-sys",
}
_HINT: Final = re.compile(r"(?i)nvidia|cuda|nvcc|ptxas|nsys|nvprof|nvdisasm|cublas_|cudnn_|cufft_")


def check_environment(unit: Unit) -> Iterator[Diagnostic]:
    """Yield a warning for every string that asks for something of NVIDIA's on the machine."""
    if not _HINT.search(unit.string_text):
        return
    for number in unit.strings:
        token = unit.tokens[number]
        found = _PATHS.match(token.text)
        if found:
            help_text = _PATH_HELP.get(found[1], "find what the amdgpu driver offers instead")
            yield _warning(unit, number, f"path '{found[1]}' is NVIDIA's", help_text)
            continue
        program = _PROGRAMS.match(token.text)
        if program and _is_command(unit, number, program.end()):
            help_text = _PROGRAM_HELP.get(program[1], "ROCm has no program of that name")
            yield _warning(unit, number, f"program '{program[1]}' is NVIDIA's", help_text)
            continue
        variable = _VARIABLE.fullmatch(token.text)
        if variable and _READS.search(_callee(unit, number)):
            help_text = _VARIABLES.get(variable[1], "ROCm does not know it; see what it was for")
            is_honoured = variable[1] == "CUDA_VISIBLE_DEVICES"
            severity = Severity.NOTE if is_honoured else Severity.WARNING
            text = f"environment variable {variable[1]} is CUDA's"
            yield _warning(unit, number, text, help_text, severity)


def _warning(
    unit: Unit, number: int, text: str, help_text: str, severity: Severity = Severity.WARNING
) -> Diagnostic:
    token = unit.tokens[number]
    symbol = token.text.strip('"')
    return unit.diagnose(ENVIRONMENT, token, text, help=help_text, symbol=symbol, severity=severity)


def _callee(unit: Unit, number: int) -> str:
    opener = enclosing_bracket(unit.tokens, number)
    if opener is None:
        return ""
    if unit.tokens[opener].text == "[":  # environ["X"]
        return unit.tokens[opener - 1].text if opener else ""
    return callee_of(unit.tokens, opener)


def _is_command(unit: Unit, number: int, end: int) -> bool:
    """Whether a string that names a program up to `end` runs it, rather than speaks of it."""
    rest = unit.tokens[number].text[end:]
    return rest == '"' or _COMMAND.match(rest) is not None or _runs(unit, number)


def _runs(unit: Unit, number: int) -> bool:
    return _callee(unit, number) in ("system", "popen", "_popen", "execvp", "execlp", "execl")
