"""What a front does not emulate: exports that say so, and names that other spellings go by.

A program links against all that its vendor's library exports.  Each function of the vendor's
headers that the front's objects do not define becomes one that says once on standard error that it
is not emulated, and returns the vendor's "not supported".
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from porting.elf import read_binary
from porting.toolkits.compiling import run_compiler
from porting.toolkits.declarations import Function, functions

_THREAD = re.compile(r"_pt[ds][sz]$")
# What the scanner of declarations does not expect after "extern".
_DEPRECATED = re.compile(r"\bextern\s+__attribute__\s*\(\(deprecated\)\)")
_VERSIONED = re.compile(r"_v\d$")
_PROTOTYPE = re.compile(r"\bPFN_(?P<name>\w+?)_v(?P<release>\d+)(?P<thread>_pt[ds][sz])?\)\s*\(")
_PREAMBLE = r"""
#include <stddef.h>
#include <stdio.h>

static void eclosion_tell(char *is_told, const char *name, const char *answer) {
  if (__atomic_exchange_n(is_told, 1, __ATOMIC_RELAXED)) return;
  fprintf(stderr,
          "emulator: %s is not emulated and returned %s; a GPU is needed for what calls it\n",
          name, answer);
}
"""


@dataclass(frozen=True)
class Exports:
    """A front's library: the headers that declare its functions, and how it answers.

    `names` is a pattern of what it exports, `status` the type of an answer and the one that says
    "not supported".  `flags` define macros, as -DNAME=1, before the headers.  `remember` is a
    function of the front that an answer is passed through.  `threads` is one that marks the
    calls which follow as ones for the thread's default stream, made at a place; null ends it.
    `entries` names the table of entry points, whose releases `prototypes` (a header) tells.
    """

    headers: tuple[str, ...]
    names: str
    status: tuple[str, str]
    flags: tuple[str, ...] = ()
    remember: str = ""
    threads: str = ""
    entries: str = ""
    prototypes: str = ""


EXPORTS = {
    "libcuda.so.1": Exports(
        ("cuda.h", "cudaProfiler.h"),
        r"cu[A-Z]\w*",
        ("CUresult", "CUDA_ERROR_NOT_SUPPORTED"),
        # The declarations of all versions of a function, under the names of their symbols.
        ("-D__CUDA_API_VERSION_INTERNAL=1",),
        threads="eclosion_cuda_thread_stream",
        entries="eclosion_cuda_entries",
        prototypes="cudaTypedefs.h",
    ),
    "libcudart.so.13": Exports(
        ("cuda_runtime_api.h", "cuda_profiler_api.h"),
        r"cuda[A-Z]\w*|__cuda[A-Z]\w*",
        ("cudaError_t", "cudaErrorNotSupported"),
        ("-D__CUDA_API_VERSION_INTERNAL=1",),
        remember="eclosion_cuda_remember",
        threads="eclosion_cuda_thread_stream",
    ),
    "libamdhip64.so.7": Exports(
        ("hip/hip_runtime_api.h",),
        r"hip[A-Z]\w*",
        ("hipError_t", "hipErrorNotSupported"),
        ("-D__HIP_PLATFORM_AMD__=1",),
        remember="eclosion_hip_remember",
    ),
}


def write(
    soname: str,
    objects: Iterable[Path],
    compiler: Sequence[str | Path],
    output: Path,
    real: Path | None = None,
) -> None:
    """Write the C source of what `objects` leave out of a library.

    `compiler`: the command of a C compiler that finds the vendor's headers.  `real`: the vendor's
    own library, where it is there, whose exports count besides.  Raises ToolchainError and
    ElfError.
    """
    exports = EXPORTS[soname]
    defined = {name for path in objects for name in _defined(path)}
    header = _preprocess(exports, exports.headers, compiler, output)
    prototypes = ""
    if exports.prototypes:
        prototypes = _preprocess(exports, (*exports.headers, exports.prototypes), compiler, output)
    others = _defined(real) if real else frozenset[str]()
    output.write_text(source(exports, header, defined, others, prototypes), encoding="utf-8")


def source(
    exports: Exports,
    header: str,
    defined: Collection[str],
    others: Collection[str] = (),
    prototypes: str = "",
) -> str:
    """Return the C source for a preprocessed header.

    `defined`: what the front defines itself.  `others`: names to export that no header declares.
    """
    text = _DEPRECATED.sub("extern", header)
    declared = {f.name: f for f in functions(text) if re.fullmatch(exports.names, f.name)}
    left = [function for name, function in declared.items() if name not in defined]
    unknown = {name for name in others if re.fullmatch(exports.names, name)}
    unknown -= {*declared, *defined}
    names = [re.sub("^-D|=1$", "", flag) for flag in exports.flags]
    lines = [f"#ifndef {name}\n#define {name} 1\n#endif" for name in names]
    lines += [f"#include <{name}>" for name in exports.headers]
    lines += [_PREAMBLE, *_helpers(exports)]
    lines += [_definition(exports, function, defined) for function in left]
    lines += [_answer(exports, Function("int", name, "void")) for name in sorted(unknown)]
    if exports.entries:
        lines += _entries(exports, declared, prototypes)
    return "\n".join([*lines, ""])


def _defined(path: Path) -> frozenset[str]:
    names = (member.defined for member in read_binary(path).members)
    return frozenset(name.partition("@")[0] for name in frozenset().union(*names))


def _preprocess(
    exports: Exports, headers: Sequence[str], compiler: Sequence[str | Path], output: Path
) -> str:
    included = [word for name in headers for word in ("-include", name)]
    return run_compiler([*compiler, *exports.flags, "-E", "-P", *included, "-"], "", output)


def _helpers(exports: Exports) -> Iterator[str]:
    if exports.remember:
        yield f"{exports.status[0]} {exports.remember}({exports.status[0]});"
    if exports.threads:
        yield f"void {exports.threads}(const void *site);"


def _definition(exports: Exports, function: Function, defined: Collection[str]) -> str:
    base = _THREAD.sub("", function.name)
    is_forwarded = exports.threads and base != function.name and base in defined
    return _forwarder(exports, function, base) if is_forwarded else _answer(exports, function)


def _forwarder(exports: Exports, function: Function, base: str) -> str:
    """Call the function of another name, in which a null stream is then the thread's own."""
    arguments = ", ".join(function.parameter_names) if function.parameters != "void" else ""
    return (
        f"{_head(function)} {{ {exports.threads}(__builtin_return_address(0)); "
        f"{function.result} result = ({base})({arguments}); "
        f"{exports.threads}(NULL); return result; }}"
    )


def _answer(exports: Exports, function: Function) -> str:
    """Say that a function is not emulated, and return what says so."""
    kind, value = exports.status
    result = function.result
    told = f'static char is_told; eclosion_tell(&is_told, "{function.name}", "{value}"); '
    if result in {kind, "int"}:
        returned = f"return {exports.remember}({value});"
    elif result == "void":
        returned = ""
    else:
        returned = f"{result} nothing = {{0}}; return nothing;"
    return f"{_head(function)} {{ {told}{returned} }}"


def _head(function: Function) -> str:
    # A macro of the header may have the function's name: parentheses keep it from expanding.
    return f"{function.result} ({function.name})({function.parameters})"


def _entries(exports: Exports, declared: Collection[str], prototypes: str) -> Iterator[str]:
    """Yield the table of entry points: a function's name, the release it came with, its address.

    The vendor's header of prototypes names the releases of each function's versions; they are the
    symbols without, with _v2, _v3 in turn.
    """
    yield "struct eclosion_entry { const char *name; int release; void *function, *of_thread; };"
    yield f"const struct eclosion_entry {exports.entries}[] = {{"
    releases = _releases(prototypes)
    for name, symbols in _versions(declared).items():
        for symbol, release in zip(symbols, sorted(releases.get(name, ())), strict=False):
            thread = next((t for t in (f"{symbol}_ptds", f"{symbol}_ptsz") if t in declared), "")
            other = f"(void *)({thread})" if thread else "NULL"
            yield f'  {{"{name}", {release}, (void *)({symbol}), {other}}},'
    yield "  {NULL, 0, NULL, NULL},"
    yield "};"


def _versions(declared: Collection[str]) -> dict[str, list[str]]:
    """Return the symbols of each function, oldest first, without those of a thread's stream."""
    found: dict[str, list[str]] = {}
    for symbol in sorted(name for name in declared if not _THREAD.search(name)):
        found.setdefault(_VERSIONED.sub("", symbol), []).append(symbol)
    return found


def _releases(prototypes: str) -> dict[str, set[int]]:
    """Return the releases that brought each function's versions."""
    found: dict[str, set[int]] = {}
    for match in _PROTOTYPE.finditer(prototypes):
        if not match["thread"]:
            found.setdefault(match["name"], set()).add(int(match["release"]))
    return found
