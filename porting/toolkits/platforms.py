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
# Of a compiler whose own folder is no home, and which is asked for it.
SAYS = "`{command}` says {said}"
NO_END = "`{command}` did not end in {seconds} s"
NO_ANSWER = "`{command}` ended with code {code} and names no folder that exists: {words}"
NO_WORDS = "it printed nothing"
MOST_WORDS = 300
NO_HOME_THERE = ", and there is no home either, nor above it"
SILENT = "{program} does not say where its {title} is ({reason}); {help}"
SILENT_HELP = "set {variable} to its folder, or take {program} off PATH"


@dataclass(frozen=True)
class Question:
    """What a program says of its toolkit's folder.

    The folder stands in a line of either output behind one of `prefixes`, the better first; the
    home is that folder or one above it.
    """

    program: str
    arguments: tuple[str, ...]
    prefixes: tuple[str, ...]


@dataclass(frozen=True)
class Platform:
    """Where a platform's toolkit is looked for, in order, and what makes it usable.

    Order: `variables`, the folder above the one of `compiler` on PATH, `defaults`.  Where that
    folder is no home, `questions` are asked, each of a program beside the compiler for at most
    `patience` seconds, until an answer leads to one.  A home is usable when one of `headers` and
    one of `libraries` exist below it.  `version_files` are (path, pattern); the first that matches
    says the version: two groups are major and minor, one is 1000 * major + 10 * minor.
    """

    name: str
    title: str
    variables: tuple[str, ...]
    compiler: str
    defaults: tuple[str, ...]
    headers: tuple[str, ...]
    libraries: tuple[str, ...]
    version_files: tuple[tuple[str, str], ...]
    questions: tuple[Question, ...]
    patience: float = 20
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
    questions=(
        Question("hipcc", ("--version",), ("InstalledDir: ",)),
        Question("hipconfig", ("--rocmpath",), ("",)),
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
    questions=(Question("nvcc", ("--dryrun", "-x", "cu", "/dev/null"), ("#$ TOP=", "#$ _HERE_=")),),
)
PLATFORMS = (ROCM, CUDA)
