"""Branches for one platform: left as they are, with one note each that says so."""

from collections.abc import Iterator

from porting.diagnostics import Diagnostic
from porting.mapping import Status
from porting.rules.macros.codes import DUAL
from porting.rules.unit import Unit
from porting.syntax import IDENT, Branch, Side


def check_dual(unit: Unit) -> Iterator[Diagnostic]:
    """Yield a note for every branch of one platform, or its condition, that has CUDA names."""
    for branch in unit.conditionals.one_sided():
        name = _first_cuda_name(unit, branch)
        if name:
            which = "CUDA" if branch.side is Side.CUDA else "ROCm"
            directive = unit.lexed.directives[branch.directive]
            text = f"this branch is for {which} builds and left as it is; it uses {name}"
            end = max(branch.end - 1, directive.start)
            yield unit.diagnose(DUAL, directive.start, text, symbol=name, end=end)
    for number in sorted(unit.conditionals.platform_directives):
        directive = unit.lexed.directives[number]
        if not unit.is_live(directive.start):
            continue
        for token in unit.tokens[directive.first : directive.last]:
            if token.kind == IDENT and _is_cudas(unit, token.text):
                text = f"the condition tells the platforms apart and is left; it names {token.text}"
                yield unit.diagnose(DUAL, token, text)


def _first_cuda_name(unit: Unit, branch: Branch) -> str:
    """Return a CUDA name of the branch or its condition that HIP calls otherwise, or nothing."""
    directive = unit.lexed.directives[branch.directive]
    for header in unit.all_headers:
        if branch.start <= header.start < branch.end:
            known = unit.names.header(header.path)
            if known is not None and known.status is not Status.UNCHANGED:
                return header.path
    inside = unit.tokens_in(directive.start, branch.end)
    place = slice(inside.start, inside.stop)
    for kind, word in zip(unit.tokens.kinds[place], unit.tokens.words[place], strict=True):
        if kind == IDENT and _is_cudas(unit, word):
            return word
    return ""


def _is_cudas(unit: Unit, text: str) -> bool:
    name = unit.names.get(text)
    return name is not None and name.status is not Status.UNCHANGED and len(text) > 3  # noqa: PLR2004
