"""The kinds of findings about a vendor's paths, tools and variables in scripts."""

from porting.diagnostics import Code, Severity

_TOPIC = "build-system"

VENDOR_FILE = Code(
    "BLD160",
    _TOPIC,
    Severity.WARNING,
    "a file of NVIDIA's driver",
    "The script looks for a device file or a folder that only NVIDIA's driver makes, so on an AMD"
    " machine it finds nothing.  AMD's driver has /dev/kfd, /dev/dri/renderD* and"
    " /sys/class/kfd/kfd/topology/nodes.",
)
VENDOR_TOOL = Code(
    "BLD161",
    _TOPIC,
    Severity.WARNING,
    "a program of CUDA's or of NVIDIA's driver is run",
    "The script runs a program that a ROCm machine does not have.  The message names ROCm's; its"
    " options and its output are its own.",
)
VENDOR_LIBRARY = Code(
    "BLD162",
    _TOPIC,
    Severity.WARNING,
    "a library of NVIDIA's is looked for by its file name",
    "The script loads or searches a shared library of NVIDIA's.  The message names ROCm's, whose"
    " functions have HIP's names; where there is none the help says what else does the work.",
)
VENDOR_VARIABLE = Code(
    "BLD163",
    _TOPIC,
    Severity.NOTE,
    "an environment variable that means something else with ROCm",
    "The variable is read by CUDA, NVIDIA's container runtime or NCCL.  ROCm has another one, has"
    " the same one with a trap, or none; the message says which.",
)
TORCH_GUARD = Code(
    "BLD164",
    _TOPIC,
    Severity.WARNING,
    "a question to torch that only an NVIDIA GPU answers as expected",
    "torch for ROCm keeps the names in torch.cuda, but torch.version.cuda is None and the compute"
    " capability is the number of AMD's architecture: (9, 4) on gfx942.  A condition on these takes"
    " the wrong branch.  Ask torch.version.hip first.",
)
VENDOR_FLAG = Code(
    "BLD165",
    _TOPIC,
    Severity.WARNING,
    "an option of nvcc in a script that compiles when it runs",
    "torch.utils.cpp_extension.load hands these options to hipcc as they are, which stops at one it"
    " does not know.  Give them only where torch.version.hip is None.",
)
CODES = (VENDOR_FILE, VENDOR_TOOL, VENDOR_LIBRARY, VENDOR_VARIABLE, TORCH_GUARD, VENDOR_FLAG)
