"""The findings of the inline assembly family."""

from typing import Final

from porting.diagnostics import Code, Severity

_PTX: Final = (
    "PTX is NVIDIA's virtual instruction set; no AMD compiler reads it, and clang passes the text"
    " on to an assembler that refuses it."
)

REWRITTEN = Code(
    "PTX001",
    "inline-ptx",
    Severity.NOTE,
    "inline PTX written as C++",
    f"{_PTX}  Every instruction of the statement has an equivalent in C++ or in a builtin of HIP or"
    " clang, with the same result for every input, so the statement was replaced by it.",
)
DIFFERS = Code(
    "PTX002",
    "inline-ptx",
    Severity.WARNING,
    "inline PTX written as C++ that measures something else",
    f"{_PTX}  The statement was replaced by the nearest thing AMD's hardware has, which is not the"
    " same quantity: the message says how it differs.",
)
UNSUPPORTED = Code(
    "PTX003",
    "inline-ptx",
    Severity.ERROR,
    "inline PTX without an equivalent",
    f"{_PTX}  The statement holds an instruction that the port has no equivalent for, and is left"
    " as it is.  Matrix instructions (mma, wgmma, ldmatrix) become rocWMMA or MFMA builtins and"
    " need AMD's fragment layouts; asynchronous bulk copies, barriers in shared memory, clusters"
    " and tensor memory do not exist; the rest is best written in C++.",
)
UNREADABLE = Code(
    "PTX004",
    "inline-ptx",
    Severity.ERROR,
    "inline assembly in device code that cannot be read",
    f"{_PTX}  The text of the statement is made by macros, or is no PTX the port understands, so it"
    " is left as it is.  Write it in C++, or in AMD's assembly behind a guard.",
)
CONSTRAINT = Code(
    "PTX005",
    "inline-ptx",
    Severity.NOTE,
    "a register constraint of NVIDIA's in an empty asm statement",
    "An empty asm statement with an operand keeps the compiler from moving or folding a value.  On"
    " AMD GPUs the constraint r means a scalar register, one for the whole wavefront: a value that"
    " differs between lanes would be replaced by that of the first lane.  The port writes v, a"
    " vector register.",
)
CODES: Final = (REWRITTEN, DIFFERS, UNSUPPORTED, UNREADABLE, CONSTRAINT)
