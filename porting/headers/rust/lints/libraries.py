"""CUDA libraries that are opened by their file names or named in #[link]."""

import re
from collections.abc import Iterator

from porting.config import Target
from porting.diagnostics import Diagnostic
from porting.headers.rust.codes import LIBRARY_NAME, LINK_ATTRIBUTE
from porting.headers.rust.lexer import Kind, string_value
from porting.headers.rust.uses import Uses
from porting.rules.strings import sonames


def check_libraries(uses: Uses, target: Target) -> Iterator[Diagnostic]:
    """Yield a finding at each name of a CUDA library in a string or a #[link] attribute."""
    for file in uses.crate.files:
        for token in file.code:
            if token.kind in (Kind.STRING, Kind.RAW_STRING):
                match = sonames.LIBRARY_NAME.search(string_value(token))
                if match is not None:
                    yield LIBRARY_NAME.at(
                        file.path,
                        f"{match[0]} is not there on ROCm{_instead(match, target)}",
                        "open ROCm's library in the ROCm build and ask it for HIP's names",
                        line=token.line,
                        column=token.column,
                        symbol=match[0],
                    )
        for block in file.items.blocks:
            for link in block.links:
                name = string_value(link)
                if name.removesuffix("_static") in sonames.DROP_INS:
                    yield LINK_ATTRIBUTE.at(
                        file.path,
                        f'#[link(name = "{name}")] asks for a library that ROCm has not',
                        "leave the linking to the build script",
                        line=link.line,
                        column=link.column,
                        symbol=name,
                    )


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
