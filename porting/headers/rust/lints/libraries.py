"""CUDA libraries that are opened by their file names or named in #[link]."""

import re
from collections.abc import Iterator

from porting.config import Target
from porting.diagnostics import Diagnostic
from porting.headers.rust.codes import LIBRARY_NAME, LINK_ATTRIBUTE, LINKED_LIBRARY
from porting.headers.rust.crates import CFG
from porting.headers.rust.lexer import Kind, Token, string_value
from porting.headers.rust.uses import Uses
from porting.rules.strings import sonames


def check_libraries(uses: Uses, target: Target) -> Iterator[Diagnostic]:
    """Yield a finding at each name of a CUDA library in a string or a #[link] attribute."""
    for file in uses.crate.files:
        for token in file.code:
            if token.kind in (Kind.STRING, Kind.RAW_STRING):
                yield from _opened(file.path, token, target)
        for block in file.items.blocks:
            for link in block.links if not block.depends_on(CFG) else ():
                yield from _linked(file.path, link)


def _opened(path: str, token: Token, target: Target) -> Iterator[Diagnostic]:
    match = sonames.LIBRARY_NAME.search(string_value(token))
    if match is not None:
        yield LIBRARY_NAME.at(
            path,
            f"{match[0]} is not there on ROCm{_instead(match, target)}",
            "open ROCm's library in the ROCm build and ask it for HIP's names",
            line=token.line,
            column=token.column,
            symbol=match[0],
        )


def _linked(path: str, link: Token) -> Iterator[Diagnostic]:
    name = string_value(link)
    library = name.removesuffix("_static")
    message = f'#[link(name = "{name}")] asks for a library that ROCm has not'
    place = {"line": link.line, "column": link.column}
    if library in sonames.DROP_INS:
        advice = "leave the linking to the build script"
        yield LINK_ATTRIBUTE.at(path, message, advice, **place, symbol=name)
    elif library in sonames.NO_DROP_INS:
        advice = f"{sonames.NO_DROP_INS[library]}, and link this one for CUDA alone"
        guard = f'#[cfg_attr(not({CFG}), link(name = "{name}"))]'
        yield LINKED_LIBRARY.at(path, message, f"{advice}: {guard}", **place, symbol=name)


def _instead(match: re.Match[str], target: Target) -> str:
    """Say what is there in a library's place."""
    if match["linux"] is None:
        found = sonames.windows_file(match["windows"], target.release)
    else:
        found = sonames.drop_in_file(match["linux"], match["version"] or "", target.release)
    if found is None:
        hint = sonames.NO_DROP_INS.get(match["linux"] or "")
        return f"; {hint}" if hint else ""
    return f"; its counterpart is {found}"
