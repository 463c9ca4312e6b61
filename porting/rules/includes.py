"""Headers: CUDA's become HIP's, the tree's own stay, and a .cu file gets what nvcc gave it."""

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import Final

from porting.diagnostics import Code, Diagnostic, Severity
from porting.edits import Edit
from porting.mapping import Name, Status
from porting.rules.c_headers import without_runtime
from porting.rules.cooperative.provided import defines_reduce
from porting.rules.linkage import CODES as LINKAGE_CODES
from porting.rules.linkage import LinkageBlocks
from porting.rules.runtime_header import RUNTIME, insertion_point, needs_runtime
from porting.rules.thrust_headers import is_backend, rocthrust_header
from porting.rules.torch_headers import REMOVED_HELP, is_removed, rocm_header
from porting.rules.unit import Unit
from porting.syntax import HeaderName, scopes

MISSING = Code(
    "INC001",
    "include",
    Severity.ERROR,
    "a CUDA header that HIP lacks",
    "The header belongs to a CUDA library and the target ROCm release has no header in its place,"
    " so the line cannot compile.  It is left as it is.  Remove it together with the code that"
    " needs it, or replace both by what the help text names.",
)
NO_COLLECTIVES = Code(
    "INC002",
    "coop-groups",
    Severity.ERROR,
    "a part of cooperative groups that HIP lacks",
    "HIP's cooperative groups come in one header, hip/hip_cooperative_groups.h, without CUDA's"
    " collective algorithms (reduce, scan, memcpy_async).  HIP's header is included in its place"
    " (COG003), for ROCm 7.0 and newer with a definition of reduce(); what the code still lacks is"
    " reported where it is called (COG001).  Write that with the group's shuffles or with hipcub's"
    " warp and block primitives.",
)
LIBCUDACXX = Code(
    "INC003",
    "libcudacxx",
    Severity.ERROR,
    "a header of libcu++",
    "libcu++ (cuda/, cuda/std/) is no part of ROCm.  AMD publishes libhipcxx, which carries the"
    " standard part as hip/std and has to be installed on its own.  Where the tool can name the"
    " header there, it does and warns; otherwise the line is left as it is.",
)
UNKNOWN = Code(
    "INC004",
    "include",
    Severity.WARNING,
    "a header that looks like NVIDIA's and is in no table",
    "The name has the shape of a CUDA header, the tree has no file of that name, and the tables of"
    " CUDA headers do not know it.  It is left as it is.  If it is a library that exists for ROCm"
    " too, nothing is to be done; otherwise find what replaces it.",
)
OWN = Code(
    "INC005",
    "include",
    Severity.WARNING,
    "a header of the tree with the name of a CUDA header",
    "The tree holds a file whose name is that of a CUDA header, but not beside the file that"
    " includes it, so the include path decides which one is meant.  The line is left as it is"
    " and taken for the tree's own.  If CUDA's header is meant, write it with angle brackets.",
)
ADDED = Code(
    "INC006",
    "include",
    Severity.NOTE,
    "a header is included for a .cu file that relied on nvcc",
    "nvcc includes cuda_runtime.h in front of every .cu file, and with it string.h, stdio.h and"
    " other headers of C.  HIP compilers do not do the like, so threadIdx, dim3, atomicAdd and the"
    " runtime API are unknown until hip/hip_runtime.h is included, and it does not bring"
    " string.h.  The tool adds the lines where no header before the first use brings them.",
)
CODES = (MISSING, NO_COLLECTIVES, LIBCUDACXX, UNKNOWN, OWN, ADDED, *LINKAGE_CODES)

_UNKNOWN = re.compile(
    r"(?:.*/)?(?:cuda[A-Z_]\w*|cu(?:blas|fft|rand|sparse|solver|dnn|tensor|pti|file|Nvjpeg)\w*"
    r"|nv(?:rtc|ml|tx|ToolsExt|jpeg|JitLink|comp|shmem|PTXCompiler|infer|gdr|EncodeAPI|cuvid)\w*"
    r"|nccl\w*|npp[is]?\w*|helper_(?:cuda|functions|math|image|string|timer|gl)\w*|optix\w*)"
    r"\.(?:h|hpp|cuh)"
    r"|(?:cub|cuda|cooperative_groups|nvtx3)/.*"
)
# In quotes, what begins so and is in no table is a header of somebody's own, like cuda_utils.h.
_OWN: Final = re.compile(r"(?:.*/)?cuda[A-Z_]\w*\.(?:h|hpp|cuh)")
_FOREIGN: Final = {
    "cutlass": "use Composable Kernel, hipBLASLt or rocWMMA; the templates have no HIP form",
    "cute": "use Composable Kernel's tensor descriptors; CuTe has no HIP form",
    "nvshmem": "use rocSHMEM",
    "cudnn_frontend": "use hipDNN, or MIOpen's graph interface",
    "nvcomp": "use hipCOMP",
    "cuco": "there is no port for ROCm; write the table or use rocPRIM",
    "nvbench": "time with hipEvents or a benchmark library",
}


def check(unit: Unit) -> Iterator[Edit | Diagnostic]:
    """Port every header name of live code; add the runtime header where nvcc gave it."""
    reach = scopes(unit.lexed.directives)
    included: dict[str, list[tuple[int, ...]]] = {}
    blocks = LinkageBlocks(unit, reach)
    if missing := _missing_headers(unit, reach):
        if RUNTIME in missing:
            included[RUNTIME] = [()]
        yield _added(unit, reach, missing)
    for header in unit.headers:
        target = header.path
        if header.is_include:
            finding = _port(unit, header)
            target = _new_path(finding, header)
            here = reach[header.directive]
            earlier = included.setdefault(target, [])
            is_there = any(here[: len(e)] == e for e in earlier)
            # A header of the tree may be a list that means something else each time.
            if isinstance(finding, Edit) and is_there and _own(unit, header) is None:
                finding = _dropped(unit, header)
            elif blocks.holds(header):
                has_runtime = any(here[: len(e)] == e for e in included.get(RUNTIME, ()))
                finding = _out_of_block(unit, blocks, header, finding, has_runtime=has_runtime)
            earlier.append(here)
        else:
            finding = _port(unit, header)
        if finding is not None:
            yield finding
    yield from blocks.moved()


def _out_of_block(
    unit: Unit,
    blocks: LinkageBlocks,
    header: HeaderName,
    finding: Edit | Diagnostic | None,
    *,
    has_runtime: bool,
) -> Edit | Diagnostic | None:
    """Return what is to be done about a header inside `extern "C"`, which HIP's forbid."""
    own = _own(unit, header)
    if own is None and isinstance(finding, Edit):
        return blocks.move(header, finding.replacement) or _dropped(unit, header)
    if own in unit.project.runtime_headers and not has_runtime:
        return blocks.move(header, RUNTIME) or finding
    return finding


def _new_path(finding: Edit | Diagnostic | None, header: HeaderName) -> str:
    if isinstance(finding, Diagnostic):
        finding = finding.edits[0] if finding.edits else None
    return finding.replacement if finding is not None else header.path


def _port(unit: Unit, header: HeaderName) -> Edit | Diagnostic | None:
    """Return what is to be done about one header name, None when it can stay."""
    own = _own(unit, header)
    known = unit.names.header(header.path)
    if own is not None:
        return _of_tree(unit, header, own, is_known=known is not None)
    if known is None:
        return _of_torch(unit, header) or _of_thrust(unit, header) or _unknown(unit, header)
    if known.target is None:
        return _missing(unit, header, known)
    edit = Edit(header.start, header.end, known.target, header.path)
    if known.library == "libcudacxx":
        return _libcudacxx(unit, header, known, edit)
    return edit if known.status is Status.MAPPED else None


def _of_tree(
    unit: Unit, header: HeaderName, own: str, *, is_known: bool
) -> Edit | Diagnostic | None:
    if is_known and not unit.project.beside(unit.source.path, header.path):
        text = f"'{header.path}' is taken for the tree's own {own}, not for CUDA's header"
        help_text = "write it with angle brackets if CUDA's is meant"
        return unit.diagnose(OWN, header.start, text, help=help_text, symbol=header.path)
    return _renamed(unit, header, own)


def _libcudacxx(unit: Unit, header: HeaderName, known: Name, edit: Edit) -> Diagnostic:
    text = f"'{header.path}' becomes {known.target}: {known.reason}"
    return unit.diagnose(
        LIBCUDACXX,
        header.start,
        text,
        help=known.help,
        symbol=header.path,
        severity=Severity.WARNING,
        edits=[edit],
    )


def _own(unit: Unit, header: HeaderName) -> str | None:
    """Return the tree's file that is meant, None when the header comes from elsewhere."""
    if header.quoted:
        beside = unit.project.beside(unit.source.path, header.path)
        return beside or unit.project.by_suffix(header.path)
    if unit.names.header(header.path) is not None:
        return None
    return unit.project.by_suffix(header.path)


def _renamed(unit: Unit, header: HeaderName, own: str) -> Edit | None:
    """Return the edit that follows a file of the tree to its new name, from the includer's."""
    project, includer = unit.project, unit.source.path
    written = posixpath.normpath(header.path)
    new = project.renamed.get(own, own)
    if header.quoted and project.beside(includer, header.path) == own:
        folder = posixpath.dirname(project.renamed.get(includer, includer))
    elif own.endswith(written):
        folder = own.removesuffix(written)  # that of the include path
    else:
        return None
    path = posixpath.relpath(new, folder or ".")
    return Edit(header.start, header.end, path, header.path) if path != written else None


def _missing(unit: Unit, header: HeaderName, known: Name) -> Diagnostic:
    if known.library == "cooperative_groups":
        return _no_collectives(unit, header, known)
    return unit.diagnose(
        LIBCUDACXX if known.library == "libcudacxx" else MISSING,
        header.start,
        f"no HIP header for '{header.path}': {known.reason}",
        help=known.help,
        symbol=header.path,
    )


def _no_collectives(unit: Unit, header: HeaderName, known: Name) -> Diagnostic:
    """Say what the one header of HIP's leaves to be done, beside what COG003 says was done."""
    message = (
        "HIP's one header, hip/hip_cooperative_groups.h, lacks what"
        f" '{header.path}' declares: {known.reason}"
    )
    help_text = known.help
    if header.is_include and defines_reduce(unit, header):
        message = (
            f"of '{header.path}' only reduce() is there, as the definition behind this line, and it"
            " may add floats in another order than CUDA does"
        )
        help_text = (
            "see that its results suit and ignore this finding with a comment; write"
            " reduce_update_async() and reduce_store_async() with reduce() and an atomic or a store"
        )
    return unit.diagnose(NO_COLLECTIVES, header.start, message, help=help_text, symbol=header.path)


def _of_torch(unit: Unit, header: HeaderName) -> Edit | Diagnostic | None:
    """Return what becomes of a header of PyTorch, None when it has the same name for ROCm."""
    if is_removed(header.path):
        text = f"'{header.path}' is a header of THC, which PyTorch no longer has"
        symbol = header.path
        return unit.diagnose(MISSING, header.start, text, help=REMOVED_HELP, symbol=symbol)
    target = rocm_header(header.path)
    return Edit(header.start, header.end, target, header.path) if target is not None else None


def _of_thrust(unit: Unit, header: HeaderName) -> Edit | Diagnostic | None:
    """Return what becomes of a private header of Thrust's CUDA backend, None for another."""
    target = rocthrust_header(header.path)
    if target is not None:
        return Edit(header.start, header.end, target, header.path)
    if not is_backend(header.path):
        return None
    text = f"no HIP header for '{header.path}': rocThrust's backend has none of that name"
    help_text = "use thrust/execution_policy.h or rocPRIM; the backend's headers are private"
    return unit.diagnose(MISSING, header.start, text, help=help_text, symbol=header.path)


def _unknown(unit: Unit, header: HeaderName) -> Diagnostic | None:
    library, slash, _ = header.path.partition("/")
    if slash and library in _FOREIGN:
        text = f"no HIP header for '{header.path}': ROCm has no port of {library}"
        help_text = _FOREIGN[library]
        return unit.diagnose(MISSING, header.start, text, help=help_text, symbol=header.path)
    if header.path == "nvfunctional":
        text = "no HIP header for 'nvfunctional': HIP has no function wrapper for device code"
        help_text = "use std::function on the host, and templates or functors on the device"
        return unit.diagnose(MISSING, header.start, text, help=help_text, symbol=header.path)
    if not _UNKNOWN.fullmatch(header.path) or (header.quoted and _OWN.fullmatch(header.path)):
        return None
    text = f"'{header.path}' looks like an NVIDIA header, is in no table and not in the tree"
    help_text = "see whether it exists for ROCm; if not, replace it and the code that uses it"
    return unit.diagnose(UNKNOWN, header.start, text, help=help_text, symbol=header.path)


def _dropped(unit: Unit, header: HeaderName) -> Edit:
    """Return the edit that removes a directive whose HIP header is already included.

    The line goes with it unless something else, like a comment, stands there.
    """
    directive = unit.lexed.directives[header.directive]
    text = unit.source.text
    line = unit.source.line_of(directive.start)
    start = unit.source.line_starts[line - 1]
    last = unit.tokens[directive.last - 1].end
    rest = text[last : directive.end].strip()
    if rest or text[start : directive.start].strip(" \t\xef\xbb\xbf"):
        after = len(text[last : directive.end]) - len(text[last : directive.end].lstrip())
        return Edit(directive.start, last + after, "", header.path)
    if text.startswith("\xef\xbb\xbf", start):
        start += 3
    end = min(directive.end + 1, len(text))
    return Edit(start, end, "", header.path)


def _missing_headers(unit: Unit, reach: list[tuple[int, ...]]) -> list[str]:
    """Return what nvcc gave the file and nothing in it brings, the runtime's header first."""
    of_c = unit.project.c_headers.get(unit.source.path, ())
    if needs_runtime(unit, reach):
        return [RUNTIME, *without_runtime(of_c)]
    return list(of_c)


def _added(unit: Unit, reach: list[tuple[int, ...]], headers: Sequence[str]) -> Diagnostic:
    offset, before, after = insertion_point(unit, reach)
    newline = unit.source.newline
    lines = "".join(f"#include <{header}>{newline}" for header in headers)
    verb = "is" if len(headers) == 1 else "are"
    by_nvcc = "cuda_runtime.h" if RUNTIME in headers else "it" if len(headers) == 1 else "them"
    text = f"{' and '.join(headers)} {verb} included here, as nvcc included {by_nvcc} by itself"
    edit = Edit(offset, offset, f"{before}{lines}{after}")
    return unit.diagnose(ADDED, offset, text, symbol=headers[0], edits=[edit])
