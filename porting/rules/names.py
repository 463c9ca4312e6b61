"""Identifiers that have another name in HIP, or none, or that no table knows."""

from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Code, Diagnostic, Severity
from porting.edits import Edit
from porting.mapping import Action, Name, Status
from porting.rules.macros.versions import VERSIONS
from porting.rules.shims import defines_cuda_name
from porting.rules.unit import Unit
from porting.syntax import declares, looks_like_cuda
from porting.syntax.words import words

UNSUPPORTED = Code(
    "NAM001",
    "api-name",
    Severity.ERROR,
    "a CUDA name that HIP lacks in the target release",
    "A CUDA header declares the name, and no header or stub of the target ROCm release has a"
    " counterpart.  It is left as it is, so the line does not compile.  The message says what was"
    " found out about it, the help text what to use instead.  Where a later release has the name,"
    " the message says from which one on.",
)
UNKNOWN = Code(
    "NAM002",
    "api-name",
    Severity.WARNING,
    "a name that looks like CUDA's and is in no table",
    "The name has the shape of a CUDA name (a prefix like cuda, cu, CU_, cublas), no file of the"
    " tree declares it, and the tables made from CUDA's headers do not know it.  It is left as it"
    " is.  It may come from a library outside the tree, or from a CUDA release the tables do not"
    " cover.  If it is yours, nothing is to be done; if it is CUDA's, replace it.  The finding is a"
    " note where the file includes a header in quotes that the tree does not hold, as in a source"
    " package without its headers, since the name most likely comes from there, and where a"
    " condition asks for the name, since it then most likely is a macro of the build.",
)
DEFINED_HERE = Code(
    "NAM003",
    "api-name",
    Severity.NOTE,
    "a CUDA name that the tree defines by means of HIP",
    "The tree gives the CUDA name a meaning of its own with HIP's name on the other side, like"
    " `#define cudaMalloc hipMalloc`.  Renaming the left side too would define the name by itself,"
    " so the definition is left alone.  Uses elsewhere are renamed and no longer need it.",
)
MEMBER = Code(
    "NAM004",
    "api-name",
    Severity.NOTE,
    "a member of another type with the name of a CUDA function that HIP lacks",
    "The name stands behind a dot or an arrow, so it is a member of a type of the tree or of"
    " another library, for instance of a table of function pointers.  It is left as it is; whether"
    " it can work depends on what the member is filled with.",
)
CONVENTION = Code(
    "NAM005",
    "api-name",
    Severity.NOTE,
    "a calling convention of CUDA's headers",
    "CUDAAPI, CUDART_CB and the like are empty on Linux and name a calling convention on Windows."
    "  HIP's headers have no such macros, and its functions none of these conventions, so the word"
    " is removed.",
)
OWN = Code(
    "NAM006",
    "api-name",
    Severity.NOTE,
    "a name of CUDA's that HIP lacks and the tree declares itself",
    "A CUDA header declares the name, HIP has none for it, and the tree declares it too, for"
    " instance as the guard or in a copy of a header.  It is taken for the tree's own and left as"
    " it is.",
)
CODES = (UNSUPPORTED, UNKNOWN, DEFINED_HERE, MEMBER, CONVENTION, OWN)
CONVENTIONS: Final = words(
    "CUDAAPI CUDA_CB CUDART_CB CUDARTAPI CUDARTAPI_CDECL CUBLASWINAPI CUFFTAPI CURANDAPI"
    " CUSPARSEAPI CUSOLVERAPI CUDNNWINAPI CUDA_EGL_API"
)

_PLAIN_TYPES: Final = words("int unsigned long short char bool float double size_t auto")
_AFTER_VARIABLE: Final = frozenset(("=", ";", ",", ")", "[", "{"))

# Kinds that code names whatever they look like: cusolver_int_t, htanh, double4_16a.
_USED_AS_IS: Final = ("type", "function", "enumerator", "intrinsic")

# Folders of libraries whose headers some code includes in quotes.
_LIBRARY_FOLDERS: Final = ("hip/", "ATen/", "c10/", "torch/", "cub/", "thrust/", "cuda/")
_SHOWN: Final = 3  # missing headers in one message
_CONDITIONS: Final = words("if ifdef ifndef elif elifdef elifndef")

# Findings that say nothing new where another family has spoken of the same name on the line.
GIVES_WAY = frozenset((UNSUPPORTED.code, UNKNOWN.code, MEMBER.code, OWN.code))


def check(unit: Unit) -> Iterator[Edit | Diagnostic]:
    """Rename every mapped identifier; report every one that has no HIP name."""
    for text, places in unit.index.items():
        if text in VERSIONS:
            continue  # decided when the other families are done, by macros.Selections
        name = unit.known.get(text)
        if text in CONVENTIONS:
            yield from _conventions(unit, text, places)
        elif name is None:
            if looks_like_cuda(text):
                yield from _not_in_tables(unit, text, places)
        elif name.target is not None and name.status is Status.MAPPED and not _needs_a_person(name):
            own = _own_variables(unit, places) if name.kind == "function" else frozenset()
            yield from _renamed(unit, name.target, [n for n in places if n not in own])
        elif name.status is not Status.UNCHANGED and is_cudas(name):
            yield from _without_target(unit, name, places)


def _conventions(unit: Unit, text: str, places: list[int]) -> Iterator[Diagnostic]:
    """Remove a calling convention from code that does not define it itself."""
    if text in unit.project.declared or any(declares(unit.lexed, n) for n in places):
        return
    for number in places:
        token = unit.tokens[number]
        if token.directive >= 0 and unit.lexed.directives[token.directive].name != "define":
            continue
        end = token.end
        while unit.source.text[end : end + 1] in (" ", "\t"):
            end += 1
        message = f"{text} is empty in CUDA's headers on Linux and unknown to HIP's"
        edit = Edit(token.start, end, "", text)
        yield unit.diagnose(CONVENTION, token, message, edits=[edit])


def _renamed(unit: Unit, target: str, places: list[int]) -> Iterator[Edit | Diagnostic]:
    for number in places:
        token = unit.tokens[number]
        if defines_cuda_name(unit.lexed, number):
            text = f"{token.text} is defined here by means of HIP and left alone"
            yield unit.diagnose(DEFINED_HERE, token, text)
        else:
            yield Edit(token.start, token.end, target, token.text)


def _own_variables(unit: Unit, places: list[int]) -> frozenset[int]:
    """Return the uses of a function's name that are parameters and variables of a plain type.

    They hide the function where they are declared; a member keeps to its struct's declaration.
    """
    if not any(n and unit.tokens[n - 1].text in _PLAIN_TYPES for n in places):
        return frozenset()
    around = {n: unit.functions.around(n) for n in places}
    hiding = [n for n in places if unit.tokens[n - 1].text in _PLAIN_TYPES]
    scopes = [around[n] for n in hiding if around[n] and unit.tokens[n + 1].text in _AFTER_VARIABLE]
    return frozenset(
        n
        for n in places
        if around[n] in scopes
        and unit.tokens[n - 1].text not in (".", "->", "::")
        and unit.tokens[n + 1].text != "("
    )


def _needs_a_person(name: Name) -> bool:
    """Whether a name has a counterpart that no family fits the call to: AMD SMI for NVML."""
    return name.library == "nvml" and name.action is Action.ARGUMENTS


def is_cudas(name: Name) -> bool:
    """Whether an identifier the tables know as unsupported can be nobody's but CUDA's by its form.

    Include guards and helper macros of CUDA's headers with common names are left out.
    """
    text = name.name
    return name.kind in _USED_AS_IS or looks_like_cuda(text) or text.startswith("__")


def _is_declared(unit: Unit, text: str) -> bool:
    if text in unit.project.declared:
        return True
    return any(declares(unit.lexed, number) for number in unit.where(text))


def _without_target(unit: Unit, name: Name, places: list[int]) -> Iterator[Diagnostic]:
    if not _is_declared(unit, name.name):
        yield from (_unsupported(unit, name, number) for number in places)
    elif looks_like_cuda(name.name) or name.name.startswith("__"):
        yield from (_own(unit, name, number) for number in places)


def _own(unit: Unit, name: Name, number: int) -> Diagnostic:
    token = unit.tokens[number]
    text = f"{name.name} is declared by the tree and left alone; HIP has no such name"
    return unit.diagnose(OWN, token, text, edits=[unit.hold(token)])


def _unsupported(unit: Unit, name: Name, number: int) -> Diagnostic:
    token = unit.tokens[number]
    before = unit.tokens[number - 1].text if number else ""
    if before in (".", "->"):
        text = f"member {name.name} keeps its name: {name.reason}"
        return unit.diagnose(MEMBER, token, text, edits=[unit.hold(token)])
    text = f"no HIP name for {name.name}: {name.reason}"
    if name.target is not None:
        text = f"{name.name} does not become {name.target} by its name alone: {name.reason}"
    return unit.diagnose(UNSUPPORTED, token, text, help=name.help, edits=[unit.hold(token)])


def _not_in_tables(unit: Unit, text: str, places: list[int]) -> Iterator[Edit | Diagnostic]:
    foreign = [n for n in places if not (n and unit.tokens[n - 1].text in (".", "->", "::"))]
    if not foreign or _is_declared(unit, text):
        return
    message = f"{text} looks like a CUDA name, is in no table and not declared in the tree"
    origin = _origin(unit, places)
    for number in foreign:
        token = unit.tokens[number]
        yield unit.diagnose(
            UNKNOWN,
            token,
            message + origin,
            help="rename it by hand if it is CUDA's; declare or include it if it is not",
            severity=Severity.NOTE if origin else None,
            edits=[unit.hold(token)],
        )


def _origin(unit: Unit, places: list[int]) -> str:
    """Say where a name comes from if it is not CUDA's; empty when nothing tells."""
    directives = {unit.tokens[number].directive for number in places} - {-1}
    if any(unit.lexed.directives[at].name in _CONDITIONS for at in directives):
        return "; a condition asks for it, so it is most likely a macro of the build"
    missing = _missing_headers(unit)
    if missing:
        return f"; the tree lacks {', '.join(missing[:_SHOWN])}, which may declare it"
    return ""


def _missing_headers(unit: Unit) -> list[str]:
    """Return the headers in quotes that are the tree's by their form, and that it does not hold."""
    return [
        header.path
        for header in unit.headers
        if header.is_include
        and header.quoted
        and unit.project.beside(unit.source.path, header.path) is None
        and unit.project.by_suffix(header.path) is None
        and unit.names.header(header.path) is None
        and not header.path.startswith(_LIBRARY_FOLDERS)
    ]
