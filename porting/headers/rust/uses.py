"""The CUDA names that a crate uses, and where: paths, `use` lists, declarations, allow-lists."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final

from porting.headers.rust.api import Api, cuda_api
from porting.headers.rust.bindgen import Bindgen, bindgen_of
from porting.headers.rust.crates import Crate, RustFile
from porting.headers.rust.enums import EnumStyle
from porting.headers.rust.lexer import Kind, Token, string_value
from porting.headers.rust.module import Wanted
from porting.headers.rust.spelling import bracketed
from porting.mapping import Names, Status
from porting.rules.strings.sonames import ANY_NAME, LIBRARY_NAME

# Crates of the public registry that bind or open CUDA's libraries.
CUDA_CRATES: Final = frozenset(
    (
        *("cuda_sys", "cuda_driver_sys", "cuda_runtime_sys", "cudart_sys", "cuda", "cudarc"),
        *("cust", "cust_raw", "rustacuda", "rustacuda_core", "nccl_sys", "nvml_wrapper"),
        *("nvrtc_sys", "cublas_sys", "cudnn_sys", "cudnn", "cublas", "cuda_std"),
    )
)

# The libraries whose interfaces are C, which Rust can speak to; the rest is device code.
_LIBRARIES = frozenset(
    (
        *("runtime", "driver", "nvrtc", "nccl", "nvml", "nvtx", "cublas", "cublaslt", "cudnn"),
        *("cufft", "curand", "cusolver", "cusparse", "cusparselt"),
    )
)
_LIKE_CUDA = re.compile(
    r"_*(?:cu[A-Z]|cu(?:da|blas|dnn|fft|rand|solver|sparse)|CU|nv|NV|nccl|NCCL)"
)
_ALLOW = re.compile(r"(?:allow|white)list(?:ed)?_(function|type|var|item)|whitelist_recursively")


class How(StrEnum):
    """How a name comes into a crate."""

    DECLARED = "declared in an extern block"
    MENTIONED = "used"
    ALLOWED = "allowed by name in the build script"
    PATTERN = "allowed by a pattern in the build script"


@dataclass(frozen=True, slots=True)
class Use:
    """One use of a CUDA name: what the module must give, and the place in the input."""

    wanted: Wanted
    how: How
    file: str
    line: int
    column: int


@dataclass(frozen=True)
class Uses:
    """All uses in a crate, and how its bindings are written.

    `bad_patterns`: allow-lists that cannot be read.
    """

    crate: Crate
    found: tuple[Use, ...]
    bindgen: Bindgen
    bad_patterns: tuple[tuple[Token, str], ...] = ()

    @property
    def declared(self) -> frozenset[str]:
        """The CUDA functions that the crate declares itself."""
        return frozenset(u.wanted.cuda for u in self.found if u.how is How.DECLARED)

    @cached_property
    def own_names(self) -> frozenset[str]:
        """The types and constants that the crate defines itself."""
        return frozenset(
            item.name.name
            for file in self.crate.files
            for table in (
                file.items.aliases,
                file.items.constants,
                file.items.records,
                file.items.enumerations,
            )
            for item in table
        )

    @cached_property
    def taken(self) -> frozenset[str]:
        """The names that the crate takes from the generated module; `*` for all."""
        return frozenset(
            use.path[-1].text
            for file in self.crate.files
            for use in file.items.uses
            if any(part.name == "rocm_compat" for part in use.path[:-1])
        )

    @property
    def opens_cuda(self) -> bool:
        """Whether the crate opens or depends on CUDA without naming its interface."""
        if self.crate.dependencies & CUDA_CRATES or any(map(_links_cuda, self.crate.files)):
            return True
        return any(
            token.kind in (Kind.STRING, Kind.RAW_STRING) and LIBRARY_NAME.search(token.text)
            for file in self.crate.files
            for token in file.code
        )


def _links_cuda(file: RustFile) -> bool:
    """Whether a #[link] attribute names a library of CUDA's."""
    names = (string_value(link) for block in file.items.blocks for link in block.links)
    return any(re.fullmatch(rf"(?:{ANY_NAME})(?:_static)?", name) for name in names)


def is_cuda(name: str, names: Names) -> bool:
    """Whether a word is a name of CUDA's C interfaces."""
    if not _LIKE_CUDA.match(name) and name != "dim3":
        return False
    found = names.get(name)
    return found is not None and found.library in _LIBRARIES and found.kind != "field"


def crate_uses(crate: Crate, names: Names) -> Uses:
    """Return what a crate uses of CUDA."""
    bindgen = bindgen_of(crate)
    found: list[Use] = []
    for file in crate.files:
        found += _in_file(file, names)
    bad: list[tuple[Token, str]] = []
    if crate.script is not None:
        found += _allowed(crate.script, names, bindgen, bad)
    return Uses(crate, tuple(found), bindgen, tuple(bad))


def _in_file(file: RustFile, names: Names) -> Iterator[Use]:
    blocks = file.items.blocks
    declared = {f.name.start: f for block in blocks for f in block.functions}
    code = file.code
    for at, token in enumerate(code):
        if token.kind is not Kind.IDENT:
            continue
        function = declared.get(token.start)
        word = function.symbol if function else token.name
        wanted = _wanted(word, code, at, names)
        if wanted is not None:
            how = How.DECLARED if function else How.MENTIONED
            yield Use(wanted, how, file.path, token.line, token.column)


def _wanted(word: str, code: Sequence[Token], at: int, names: Names) -> Wanted | None:
    """Return what a word asks for: a name, or an enumerator by prefix or path."""
    cuda = cuda_api()
    if is_cuda(word, names):
        enum = _path_enum(code, at, cuda) if word in cuda.enum_of else ""
        return Wanted(word, word, enum, member=bool(enum))
    if not _LIKE_CUDA.match(word):
        return None
    enum = _prefix(word, cuda)
    if enum:
        return Wanted(word, word.removeprefix(f"{enum}_"), enum)
    is_type = word in cuda.types or word in cuda.records or word in cuda.enums
    return Wanted(word, word) if is_type else None


def _path_enum(code: Sequence[Token], at: int, cuda: Api) -> str:
    """Return the enumeration in `cudaError::cudaSuccess`, empty for another path or none."""
    if at >= 2 and code[at - 1].text == "::":  # noqa: PLR2004 - a name and its ::
        base = cuda.end(code[at - 2].name)
        return base if base in cuda.enums else ""
    return ""


def _prefix(word: str, cuda: Api) -> str:
    """Return the enumeration of `cudaError_cudaSuccess`."""
    for match in re.finditer("_", word):
        enum = word[: match.start()]
        if enum in cuda.enums and word[match.end() :] in cuda.enums[enum].values:
            return enum
    return ""


# Build scripts


def _allowed(
    script: RustFile, names: Names, bindgen: Bindgen, bad: list[tuple[Token, str]]
) -> Iterator[Use]:
    """Yield the names that bindgen's allow-lists let through."""
    code = script.code
    for at, token in enumerate(code[:-1]):
        match = _ALLOW.fullmatch(token.name)
        if match is None or match[1] is None or code[at + 1].text != "(":
            continue
        for literal in code[at + 2 : bracketed(code, at + 1)]:
            if literal.kind in (Kind.STRING, Kind.RAW_STRING):
                yield from _matching(literal, match[1], script, names, bindgen, bad)


def _matching(  # noqa: PLR0913, PLR0917 - what a pattern is read with
    literal: Token,
    what: str,
    script: RustFile,
    names: Names,
    bindgen: Bindgen,
    bad: list[tuple[Token, str]],
) -> Iterator[Use]:
    text = string_value(literal)
    exact = re.fullmatch(r"\w+", text) is not None
    if exact:
        candidates = [text] if is_cuda(text, names) else []
    else:
        try:
            pattern = re.compile(text)
        except re.error as error:
            bad.append((literal, str(error)))
            return
        candidates = _resolve(pattern, what, names)
    how = How.ALLOWED if exact else How.PATTERN
    for name in candidates:
        for wanted in _spellings(name, bindgen):
            yield Use(wanted, how, script.path, literal.line, literal.column)


def _resolve(pattern: re.Pattern[str], what: str, names: Names) -> list[str]:
    """Return the declared names of a kind that a pattern matches and HIP has."""
    cuda = cuda_api()
    kinds = {
        "function": (cuda.functions,),
        "type": (cuda.types, cuda.enums, cuda.records),
        "var": (cuda.constants,),
        "item": (cuda.functions, cuda.types, cuda.enums, cuda.records, cuda.constants),
    }[what]
    found = []
    for name in sorted({n for table in kinds for n in table if pattern.fullmatch(n)}):
        record = names.get(name)
        if record is not None and record.status is not Status.UNSUPPORTED:
            found.append(name)
    return found


def _spellings(name: str, bindgen: Bindgen) -> Iterator[Wanted]:
    """Yield a name, and an enumeration's enumerators as bindgen would spell them."""
    cuda = cuda_api()
    yield Wanted(name, name)
    enum = cuda.end(name)
    for value in cuda.enums[enum].values if enum in cuda.enums else ():
        if bindgen.enums is EnumStyle.CONSTS and bindgen.prefixed:
            yield Wanted(f"{enum}_{value}", value, enum)
        elif bindgen.enums is EnumStyle.CONSTS:
            yield Wanted(value, value)
        else:
            yield Wanted(value, value, enum, member=True)
