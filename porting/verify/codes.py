"""The kinds of findings of the verify stage."""

from porting.diagnostics import Code, Severity

COMPILE_ERROR = Code(
    "VER001",
    "verify",
    Severity.ERROR,
    "the ported code does not compile",
    "clang refuses this place of the ported code for AMD GPUs.  The message is the compiler's; the"
    " place is the one in the input that the refused text came from.  Look at the same place of the"
    " output too: when a rewrite made it wrong, that is a defect of this tool.",
)
MISSING_HEADER = Code(
    "VER002",
    "verify",
    Severity.WARNING,
    "not verified: a header is not to be had here",
    "The unit includes a header that neither the tree, nor the include folders given, nor the ROCm"
    " tree carries, so it could not be compiled: nothing is said about whether it is right.  Give"
    " its folder with include-dirs in [tool.porting], or verify on a machine with ROCm.  For one of"
    " CUDA's own headers neither helps: the help says what stands in its place, if anything does.",
)
NOT_COMPILED = Code(
    "VER003",
    "verify",
    Severity.WARNING,
    "not verified: the compiler could not say",
    "The unit was not compiled to the end: this clang does not know the architecture, no headers of"
    " the release exist outside ROCm, the time ran out, the compiler itself failed, or the unit has"
    " nothing of a GPU and lacks here what its own build gives it.  Nothing is said about whether"
    " the unit is right.",
)
CODES = (COMPILE_ERROR, MISSING_HEADER, NOT_COMPILED)
