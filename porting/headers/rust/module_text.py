"""The text of the generated module: CUDA's names, and HIP's declarations under them."""

from collections.abc import Iterator

from porting.headers.rust.api import PRIMITIVES, mentioned
from porting.headers.rust.enums import Enumeration, enumeration_lines
from porting.headers.rust.formatting import imports, ordering
from porting.headers.rust.module import INDENT, Module
from porting.headers.rust.style import Bindings

_PAD = " " * INDENT
_USE = "#[allow(unused_imports)]\npub use self::cuda_names::*;\n"
# bindgen's text asks for the same exceptions: the names are C's.
_ALLOW_NAMES = (
    "#[allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]\n"
    "#[allow(clippy::all, dead_code, missing_docs, unused_imports, unused_unsafe)]\n"
)
_ALLOW_HIP = (
    "#[allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]\n"
    "#[allow(clippy::all, dead_code, missing_docs)]\n"
)


def module_text(module: Module) -> str:
    """Return the two modules, without the head of the file."""
    enums = dict(_enumerations(module))
    outer = "".join(f"{line}\n" for line in _names(module, enums))
    inner = "".join(f"{line}\n" for line in _hip_lines(module))
    return f"{_USE}\n{_ALLOW_NAMES}mod cuda_names {{\n{outer}}}\n\n{inner}"


def _enumerations(module: Module) -> Iterator[tuple[str, list[str]]]:
    hip = module.shapes.hip
    for name, members in module.members.items():
        target = hip.end(module.hip_of(name))
        values = hip.enums[target]
        taken = {values.values[t] for t in members.values() if t in values.values}
        others = [n for n, v in values.values.items() if v not in taken]
        inside = {c: t for c, t in members.items() if t in values.values}
        enum = Enumeration(name, module.hip_of(name), values.repr, inside, values.values, others)
        paths = {t: module.path(t) for t in members.values()}
        kind = PRIMITIVES.get(values.repr, values.repr)
        shown = Enumeration(enum.name, enum.hip, kind, inside, enum.values, others)
        yield name, list(enumeration_lines(shown, module.style.enums, paths, INDENT))


def _names(module: Module, enums: dict[str, list[str]]) -> Iterator[str]:
    """Yield the lines of CUDA's names, indented."""
    yield f"{_PAD}use super::hip_sys;"
    words = _primitives(module)
    if words:
        yield imports("std::os::raw", words, INDENT)
    key = ordering(module.style.edition)
    short = [lines for _, lines in sorted(module.types.items()) if len(lines) == 1]
    long = [lines for n, lines in sorted({**module.types, **enums}.items()) if len(lines) > 1]
    groups: list[list[str]] = [
        [line for lines in short for line in lines],
        *long,
        [line for _, line in sorted(module.constants.items())],
        [
            f"{_PAD}pub use super::hip_sys::{hip};"
            if hip == cuda
            else f"{_PAD}pub use super::hip_sys::{hip} as {cuda};"
            for hip, cuda in sorted(module.renamed, key=lambda pair: (key(pair[0]), key(pair[1])))
        ],
        *([text] for _, text in sorted(module.wrappers.items())),
    ]
    for group in groups:
        if group:
            yield ""
            yield from group


def _primitives(module: Module) -> list[str]:
    text = "\n".join(
        [*(line for lines in module.types.values() for line in lines), *module.wrappers.values()]
    )
    return sorted(set(mentioned(text)) & ({*PRIMITIVES, "c_void"}))


def _hip_lines(module: Module) -> Iterator[str]:
    yield _ALLOW_HIP + "pub mod hip_sys {"
    if module.style.bindings is Bindings.BINDGEN:
        yield f'{_PAD}include!(concat!(env!("OUT_DIR"), "/hip_sys.rs"));'
    else:
        extern = "unsafe extern" if module.style.edition >= "2024" else "extern"
        yield from module.hip.lines(extern)
    yield "}"
