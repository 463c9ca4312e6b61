"""Compare a compat header with what its tree uses now.  Needs no compiler and no ROCm."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from porting.diagnostics import Diagnostic
from porting.headers.codes import LACKING, OUTDATED, STALE
from porting.headers.generate import HEADER, INCLUDE, Headers
from porting.headers.parts import part_names
from porting.mapping import Names
from porting.syntax import IDENT, tokenize

_HELP: Final = "run `porting headers TREE -o TREE` and commit what it writes"
_MISSING: Final = re.compile(r"^// (\w+): ", re.MULTILINE)


def check_header(text: str, path: str, wanted: Headers, names: Names) -> Iterator[Diagnostic]:
    """Yield what a header lacks, at the place in the tree that uses it, and what is out of date.

    `text`, `path`: the header that the tree has.  `wanted`: the headers that it would get now.
    """
    before, after = _names_in(text, names), _names_in(wanted.files[HEADER], names)
    for name in sorted(after - before, key=lambda name: (_place(wanted, name), name)):
        place = wanted.uses.place(name)
        if place is not None:
            yield LACKING.at(
                place.file,
                f"{name} is used here and {path} lacks it",
                _HELP,
                line=place.line,
                column=place.column,
                symbol=name,
            )
    for name in sorted(before - after):
        yield STALE.at(path, f"{name} is provided and no longer used", _HELP, symbol=name)
    if before == after and text != wanted.files[HEADER]:
        yield OUTDATED.at(path, f"{path} is not what this release writes for the tree", _HELP)


def check_forwarding(held: Mapping[str, str], wanted: Headers) -> Iterator[Diagnostic]:
    """Yield the CUDA headers that the tree includes and that none of the `held` ones stands for.

    `held`: the headers that the tree has, name -> text; one with another text is out of date.
    """
    for path in sorted(wanted.files):
        header = path.removeprefix(f"{INCLUDE}/")
        place = wanted.uses.headers.get(header)
        if place is not None and header not in held:
            yield LACKING.at(
                place.file,
                f"<{header}> is included here and {path} is not there",
                _HELP,
                line=place.line,
                column=place.column,
                symbol=header,
            )
        elif place is not None and held[header] != wanted.files[path]:
            yield OUTDATED.at(path, f"{path} is not what this release writes for the tree", _HELP)


def _place(wanted: Headers, name: str) -> tuple[str, int]:
    place = wanted.uses.place(name)
    return (place.file, place.line) if place is not None else ("", 0)


def _names_in(text: str, names: Names) -> frozenset[str]:
    """Return the CUDA names that a header provides, translates, or says it cannot provide."""
    lexed = tokenize(text)
    found = {token.text for token in lexed.tokens if token.kind == IDENT}
    found |= {token.text.strip('"') for token in lexed.tokens if token.text.startswith('"')}
    found |= set(_MISSING.findall(text))
    own = part_names() | {"warpSize", "__CUDACC__"}
    return frozenset(name for name in found if name in own or _is_cudas(name, names))


def _is_cudas(name: str, names: Names) -> bool:
    if name.startswith("lib"):
        return ".so" in name and not name.startswith(("libamd", "libhip", "librccl", "libroc"))
    known = names.get(name)
    return known is not None and known.target != name
