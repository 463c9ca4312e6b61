"""What the findings of a port come to when no source is rewritten."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from porting.diagnostics import Diagnostic, Severity
from porting.edits import Edit
from porting.headers.codes import NEEDS_REWRITE
from porting.headers.generate import INCLUDE, Headers
from porting.headers.guards import arch_guards, counted_in_wavefronts, lines_left_out
from porting.headers.joining import passed_on
from porting.headers.parts import part_names
from porting.headers.prototypes import prototypes
from porting.headers.torch_warps import torch_warps
from porting.headers.uses import FINDERS
from porting.mapping import Names, Status
from porting.rules import Unit, libraries
from porting.rules.cooperative.definitions import LABELED_PARTITION
from porting.rules.cooperative.provided import PARTITION
from porting.rules.macros.compiler import check_compiler

_ADVICE: Final = (
    "guard it, with the portable form in #else: #if defined(__CUDA_ARCH__) in device code,"
    " #if !defined(__HIP_PLATFORM_AMD__) elsewhere; or port with --mode rename"
)
# Families whose questions do not arise: a warp has 32 lanes and handles are integers.
_NOT_ASKED: Final = ("WRP", "WSZ", "HND")
# What the force-included header, or its being included first, does by itself.
_DONE: Final = frozenset(("INC006", "LAU001", "MAC005", "MAC011", "MAC012", "NAM005", "API006"))
# What it does where it provides the name in question.
_BY_NAME: Final = frozenset(
    (
        "NAM001",
        "API001",
        "API002",
        "API004",
        "API009",
        "DEV001",
        "DEV003",
        "DEV004",
        "DEV005",
        "DEV012",
        "DEV018",
        "DEV019",
        "STR006",
    )
)
# A condition on the architecture is answered by `arch_guards`.
_GUARDS: Final = frozenset(("MAC003", "MAC004"))
# Structures of the driver API with addresses among their members, and those members.
_WITH_ADDRESSES: Final = frozenset(
    (
        *("CUDA_MEMCPY2D", "CUDA_MEMCPY2D_v2", "CUDA_MEMCPY3D", "CUDA_MEMCPY3D_v2"),
        *("CUDA_MEMCPY3D_PEER", "CUDA_MEMSET_NODE_PARAMS", "CUDA_RESOURCE_DESC"),
        "CUDA_MEM_ALLOC_NODE_PARAMS",
    )
)
_ADDRESSES: Final = ("srcDevice", "dstDevice", "devPtr", "dptr")
_STAYS: Final = frozenset(("INC003", "LIB006", "STR008", "COG006"))


def compat_findings(
    found: Sequence[Diagnostic], unit: Unit, headers: Headers, names: Names
) -> Iterator[Diagnostic]:
    """Yield what is left of one file's findings, and what only a compat tree has to be told."""
    skipped = lines_left_out(unit)
    answers = _Answers(headers, names, unit)
    for finding in found:
        if finding.code in _GUARDS:
            continue
        if finding.line in skipped:
            if not finding.edits:
                yield replace(finding, severity=Severity.NOTE)
        elif answers.is_answered(finding):
            continue
        elif finding.edits and finding.code not in _STAYS:
            yield _needs_rewrite(finding)
        else:
            yield replace(finding, edits=())
    yield from arch_guards(unit)
    yield from counted_in_wavefronts(unit, headers.provided | part_names() | {"warpSize"})
    yield from _handle_members(unit, headers)
    yield from answers.silent_rewrites()
    yield from torch_warps(unit, headers.uses)
    yield from passed_on(unit, headers.provided)


def _handle_members(unit: Unit, headers: Headers) -> Iterator[Diagnostic]:
    """Yield where an address, an integer here, is put into a member that is a pointer in HIP."""
    if headers.uses.names.keys().isdisjoint(_WITH_ADDRESSES):
        return
    for name in _ADDRESSES:
        for number in unit.where(name):
            around = [unit.tokens[number - 1].text, unit.tokens[number + 1].text]
            if around[0] not in (".", "->") or around[1] != "=":
                continue
            text = f"member {name} is a pointer in HIP's structure, and CUdeviceptr an integer here"
            yield unit.diagnose(
                NEEDS_REWRITE,
                unit.tokens[number],
                text,
                help="cast what is assigned to the type of the member (decltype), which holds on"
                " both platforms; or port with --mode rename",
            )


def _needs_rewrite(finding: Diagnostic) -> Diagnostic:
    message = f"only --mode rename does this ({finding.code}): {finding.message}"
    return replace(
        finding,
        code=NEEDS_REWRITE.code,
        topic=finding.topic,
        severity=NEEDS_REWRITE.severity,
        message=message,
        help=_ADVICE,
        edits=(),
    )


class _Answers:
    """Whether the header answers a finding."""

    def __init__(self, headers: Headers, names: Names, unit: Unit) -> None:
        self._provided = headers.provided | part_names()
        self._uses = headers.uses
        self._files = headers.files
        self._names = names
        self._unit = unit

    def is_answered(self, finding: Diagnostic) -> bool:
        """Whether nothing is left to be done about a finding."""
        code, symbol = finding.code, finding.symbol
        if code.startswith(_NOT_ASKED) or code in _DONE:
            return True
        if code in _BY_NAME:
            return symbol in self._provided and (code != "API009" or bool(prototypes(symbol)))
        special = self._special.get(code)
        return special is not None and special(finding)

    def silent_rewrites(self) -> Iterator[Diagnostic]:
        """Yield the names that a port replaces without a word and that the header does not give.

        Names that macros of the tree join, as the member cuInit_, are none: they stay at both ends.
        """
        unit = self._unit
        for check in (check_compiler, libraries.check):
            for edit in check(unit):
                if not isinstance(edit, Edit) or self._is_given(edit):
                    continue
                text = f"only --mode rename does this: {edit.symbol} becomes {edit.replacement}"
                yield unit.diagnose(
                    NEEDS_REWRITE, edit.start, text, help=_ADVICE, symbol=edit.symbol
                )

    def _is_given(self, edit: Edit) -> bool:
        """Whether an edit changes nothing, or the header has what it writes under CUDA's name."""
        text = self._unit.source.text[edit.start : edit.end]
        given = self._provided | self._uses.names.keys() | self._uses.namespaces.keys()
        outer = edit.symbol.rpartition("::")[0]
        return text == edit.replacement or edit.symbol in given or outer in self._uses.namespaces

    @property
    def _special(self) -> dict[str, Callable[[Diagnostic], bool]]:
        return {
            "STR001": lambda _: "dlopen" in self._uses.look_ups,
            "STR005": lambda finding: finding.symbol in FINDERS,
            "STR007": lambda finding: finding.symbol in self._provided,
            "LIB001": lambda _: bool(self._uses.cub_warps),
            "LIB002": lambda finding: finding.symbol in self._uses.cub_warps,
            "STR004": lambda _: bool(self._uses.look_ups.keys() - {"dlopen"}),
            "MAC001": lambda finding: finding.symbol in self._uses.names,
            "MAC013": self._is_joined_well,
            "COG001": self._is_defined,
            "COG003": self._is_defined,
            "INC002": self._is_defined,
            "INC007": self._is_base,
            "INC008": self._is_base,
        }

    def _is_joined_well(self, finding: Diagnostic) -> bool:
        """Whether every name that a macro joins exists: then nothing has to follow a prefix."""
        pastes = [p for p in self._unit.project.pastes if p.macro.name == finding.symbol]
        return bool(pastes) and all(self._exists(name) for p in pastes for name in p.by_name)

    def _exists(self, name: str) -> bool:
        known = self._names.get(name)
        return known is None or known.status is Status.UNCHANGED or name in self._provided

    def _is_defined(self, finding: Diagnostic) -> bool:
        """Whether a header of the tree's defines what HIP's cooperative groups lack."""
        path = f"{INCLUDE}/{finding.symbol}"
        if finding.symbol == PARTITION:
            return any(LABELED_PARTITION in text for text in self._files.values())
        return path in self._files

    def _is_base(self, finding: Diagnostic) -> bool:
        known = self._names.header(finding.symbol)
        return known is not None and (known.target or "").startswith("hip/hip_runtime")
