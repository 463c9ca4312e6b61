"""How each GPU platform's toolkit is found: the one table behind every detection.

Generated build files carry the same table and the same messages, so a tree that was ported decides
like this tool does.
"""

from dataclasses import dataclass

SELECTOR = "GPU_PLATFORM"
CHOICES = ("cuda", "rocm", "none")

# Fields: see `detect`.  The same texts stand in generated CMake and Python.
UNKNOWN_CHOICE = "{selector}={value} is none of {choices}; set it to one of these or unset it"
BOTH_FOUND = (
    "both ROCm ({rocm}) and CUDA ({cuda}) are installed and nothing says which to use; "
    "set {selector}=rocm or {selector}=cuda"
)
NOT_FOUND = "{selector}={value}, but no {title} was found ({looked}); set {variable} to its folder"
TOO_OLD = "{name} {version} found at {path}, {oldest} or newer is needed; set {variable}"
NO_FOLDER = "{path} does not exist"
INCOMPLETE = "{path} has no {missing}"


@dataclass(frozen=True)
class Platform:
    """Where a platform's toolkit is looked for, in order, and what makes it usable.

    Order: `variables`, the folder above the one of `compiler` on PATH, `defaults`.  A home is
    usable when one of `headers` and one of `libraries` exist below it.  `version_files` are
    (path, pattern); the first that matches says the version: two groups are major and minor, one is
    1000 * major + 10 * minor.
    """

    name: str
    title: str
    variables: tuple[str, ...]
    compiler: str
    defaults: tuple[str, ...]
    headers: tuple[str, ...]
    libraries: tuple[str, ...]
    version_files: tuple[tuple[str, str], ...]
    oldest: tuple[int, int] = (0, 0)


ROCM = Platform(
    name="rocm",
    title="ROCm",
    variables=("ROCM_PATH", "ROCM_HOME"),
    compiler="hipcc",
    defaults=("/opt/rocm",),
    headers=("include/hip/hip_runtime_api.h",),
    libraries=("lib/libamdhip64.so", "lib64/libamdhip64.so"),
    version_files=(
        (".info/version", r"^(\d+)\.(\d+)"),
        (
            "include/hip/hip_version.h",
            r"HIP_VERSION_MAJOR (\d+)[\s\S]*?HIP_VERSION_MINOR (\d+)",
        ),
    ),
    oldest=(6, 2),
)
CUDA = Platform(
    name="cuda",
    title="CUDA",
    variables=("CUDA_HOME", "CUDA_PATH"),
    compiler="nvcc",
    defaults=("/usr/local/cuda",),
    headers=("include/cuda_runtime.h", "targets/x86_64-linux/include/cuda_runtime.h"),
    libraries=(
        "lib64/libcudart_static.a",
        "lib64/libcudart.so",
        "lib/libcudart_static.a",
        "lib/libcudart.so",
        "targets/x86_64-linux/lib/libcudart.so",
    ),
    version_files=(
        ("version.json", r'"cuda"[\s\S]*?"version"\s*:\s*"(\d+)\.(\d+)'),
        ("include/cuda.h", r"#define CUDA_VERSION (\d+)"),
    ),
)
PLATFORMS = (ROCM, CUDA)
