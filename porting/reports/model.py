"""What a run found, in the shape that every report format is written from."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from porting.config import Mode, Target
from porting.diagnostics import Code, Diagnostic, Severity

SCHEMA_VERSION = 1
PORT = "port"


class Status(StrEnum):
    """What became of a file."""

    CHANGED = "changed"
    UNCHANGED = "unchanged"  # a source that needed no edit
    COPIED = "copied"
    LINK = "link"


class State(StrEnum):
    """Whether a stage ran."""

    RAN = "ran"
    SKIPPED = "skipped"  # not asked for
    UNAVAILABLE = "unavailable"  # asked for, and what it needs is missing


class Outcome(StrEnum):
    """What a stage said of a unit."""

    VERIFIED = "verified"
    FAILED = "failed"
    NOT_VERIFIED = "not verified"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one stage said of a file for one architecture; `detail` is the reason, if any."""

    stage: str
    arch: str
    outcome: Outcome
    detail: str = ""


@dataclass(frozen=True)
class FileReport:
    """One file: where it went, how much was rewritten, how much is left.

    `automatic` counts rewritten places; `manual` counts lines with a finding of warning or worse.
    """

    path: str
    output: str | None
    status: Status
    lines: int = 0
    automatic: int = 0
    manual: int = 0
    verdicts: tuple[Verdict, ...] = ()


@dataclass(frozen=True)
class Stage:
    """A stage of the run and its counts of units; `suppressed` counts findings taken out.

    `note`: what to know of how it ran.
    Units of the stage `port` are verified when they were ported: only compiling verifies more.
    """

    name: str
    state: State
    reason: str = ""
    verified: int = 0
    failed: int = 0
    not_verified: int = 0
    suppressed: int = 0
    note: str = ""

    def __str__(self) -> str:
        """Return what the stage did, in words."""
        if self.state is not State.RAN:
            return f"{self.state.value}: {self.reason}"
        if self.name == PORT:
            return f"{self.verified} ported, {self.failed} not ported"
        return f"{self.verified} verified, {self.failed} failed, {self.not_verified} not verified"


@dataclass(frozen=True)
class Report:
    """A whole run.

    `source` and `output` are as typed; `root` is the folder that the paths of the findings start
    from.  `files` and findings are sorted by path.  `suppressed` were taken out by comments,
    `ignored` by the configuration.  `excerpts`: path -> line number -> text, around what is left.
    `codes`: every code that the run could have reported; `unported`: those that say of a file that
    it names CUDA and is not ported.  `mode`: how the tree was ported.
    """

    source: str
    output: str | None
    root: str
    target: Target
    stages: tuple[Stage, ...]
    files: tuple[FileReport, ...]
    diagnostics: tuple[Diagnostic, ...]
    suppressed: tuple[Diagnostic, ...] = ()
    ignored: tuple[Diagnostic, ...] = ()
    codes: tuple[Code, ...] = ()
    unported: tuple[str, ...] = ()
    mode: Mode = Mode.RENAME
    excerpts: Mapping[str, Mapping[int, str]] = field(default_factory=dict)

    @property
    def exit_code(self) -> int:
        """2 when a stage was unavailable, 1 when a warning or error is left, else 0."""
        if any(stage.state is State.UNAVAILABLE for stage in self.stages):
            return 2
        return int(any(d.severity is not Severity.NOTE for d in self.diagnostics))

    @property
    def was_ported(self) -> bool:
        """Whether the run ported something, and did not only compile."""
        return any(s.name == PORT and s.state is State.RAN for s in self.stages)

    @property
    def severities(self) -> Mapping[Severity, int]:
        """Findings per severity, from error to note."""
        counts = Counter(d.severity for d in self.diagnostics)
        return {severity: counts[severity] for severity in reversed(Severity)}

    @property
    def automatic(self) -> int:
        """Places that were rewritten."""
        return sum(f.automatic for f in self.files)

    @property
    def manual(self) -> int:
        """Lines that a person must look at."""
        return sum(f.manual for f in self.files)

    @property
    def unported_files(self) -> tuple[str, ...]:
        """Files that name CUDA and that no stage ports, in the order of the report."""
        found = (d.file for d in self.diagnostics if d.code in self.unported)
        return tuple(dict.fromkeys(found))

    @property
    def is_all_verified(self) -> bool:
        """Whether every stage ran or was left out on purpose, and passed every unit."""
        return not any(
            s.state is State.UNAVAILABLE or s.failed or s.not_verified for s in self.stages
        )

    def by_file(self) -> Mapping[str, Sequence[Diagnostic]]:
        """Return path -> its findings, in the order of the report."""
        found: dict[str, list[Diagnostic]] = {}
        for diagnostic in self.diagnostics:
            found.setdefault(diagnostic.file, []).append(diagnostic)
        return found

    def count(self, status: Status) -> int:
        """Return how many files have a status."""
        return sum(f.status == status for f in self.files)


def manual_lines(diagnostics: Sequence[Diagnostic]) -> Mapping[str, int]:
    """Return path -> number of lines with a finding of warning or worse."""
    places = {(d.file, d.line) for d in diagnostics if d.severity is not Severity.NOTE}
    return Counter(file for file, _ in places)
