"""Identifiers that have another name in HIP, or none."""

from collections.abc import Iterator

from porting.diagnostics import Code, Diagnostic, Severity
from porting.edits import Edit
from porting.mapping import Status
from porting.rules.unit import Unit

UNSUPPORTED = Code(
    "NAM001",
    "api-name",
    Severity.ERROR,
    "a CUDA name that HIP lacks in the target release",
    "The name is known and no header or stub of the target ROCm release has a counterpart.",
)
CODES = (UNSUPPORTED,)


def check(unit: Unit) -> Iterator[Edit | Diagnostic]:
    """Rename every mapped identifier; report every one that has no HIP name."""
    for text, places in unit.index.items():
        name = unit.names.get(text)
        if name is None or name.status is Status.UNCHANGED or text in unit.project.declared:
            continue
        for number in places:
            token = unit.tokens[number]
            if name.target is not None:
                yield Edit(token.start, token.end, name.target, text)
            else:
                yield unit.diagnose(UNSUPPORTED, token, name.reason, help=name.help)
