"""Rewrite one Makefile: for ROCm, or with variables of gpu.mk where the vendors differ."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from porting.buildfiles.codes import LEFT_ALONE, VERSION_DECISION, flag_code
from porting.buildfiles.flags import offload_arch
from porting.buildfiles.implied import implied_libraries
from porting.buildfiles.make.appending import is_for_targets, repeated
from porting.buildfiles.make.model import Makefile, renamed
from porting.buildfiles.make.pieces import Change, Rocm, architecture_variables, changes
from porting.buildfiles.make.removal import removal
from porting.buildfiles.make.syntax import Kind, Line
from porting.buildfiles.make.vendor import Told, runs_tool, talks, told_of, without
from porting.buildfiles.make.words import Word
from porting.buildfiles.model import BuildContext
from porting.config import Mode
from porting.diagnostics import Code, Diagnostic, Severity
from porting.edits import Edit
from porting.rules.strings.machine import CUDA_FOLDER, ROCM_VARIABLE

_CUDA = re.compile(
    rf"(?i)(?<![\w-])nvcc(?![\w-])|cudart|-gencode|\bsm_\d|compute_\d|{CUDA_FOLDER}|-lcu|-lnv|"
    r"nvidia|--expt-|-Xcompiler|-Xptxas|(?<![\w-])cuda(?:rt)?-(?:\d|\$[({]\w*VER)"
)
_ASKS_VERSION = re.compile(r"nvcc\S*\s+(?:--version|-V)\b|\$[({]NVCC[)}]\s+(?:--version|-V)\b")
_OPTION = re.compile(r"-gencode|-arch=|--generate-code|-lcudart|-Xcompiler")
_EVAL = re.compile(r"\$\(eval\s+([\w.-]+)\s*\+=\s*(?:-gencode|--generate-code|-arch)\b")
_SHELL_WORDS = frozenset(("if", "then", "elif", "else", "do", "while", "until", "!", "{", "exec"))
_CUDA_FILE = re.compile(r"[\w./%*$(){}-]+\.cuh?")


@dataclass(frozen=True)
class Difference:
    """A variable of gpu.mk: what it is in a CUDA build and in a ROCm build."""

    name: str
    cuda: str
    rocm: str


@dataclass
class Rewriting:
    """What is collected about one file; `taken`: names of gpu.mk's variables so far.

    `repeated`: where lines start whose architectures their variable has already.
    """

    makefile: Makefile
    context: BuildContext
    taken: dict[str, int]
    edits: list[Edit] = field(default_factory=list)
    found: list[Diagnostic] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    repeated: frozenset[int] = frozenset()

    @property
    def compat(self) -> bool:
        """Whether the file builds for both vendors."""
        return self.context.mode is Mode.COMPAT

    def tell(self, code: Code, offset: int, message: str, help_text: str = "") -> None:
        """Add a finding at an offset."""
        source = self.makefile.source
        line, column = source.position(offset)
        self.found.append(code.at(source.path, message, help_text, line=line, column=column))

    def variable(self, base: str) -> str:
        """Return a new name for a variable of gpu.mk."""
        name = "GPU_" + re.sub(r"\W+", "_", base).strip("_").upper()
        self.taken[name] = self.taken.get(name, 0) + 1
        count = self.taken[name]
        return name if count == 1 else f"{name}_{count}"


def told_alone(makefile: Makefile, context: BuildContext) -> Rewriting:
    """Return the findings about a file that has nothing to rewrite."""
    work = Rewriting(makefile, context, {})
    for line in makefile.lines:
        _tell(work, told_of(makefile, line))
    return work


def rewrite(makefile: Makefile, context: BuildContext, taken: dict[str, int]) -> Rewriting:
    """Return the rewriting of a file; an error among its findings means: leave it alone."""
    work = Rewriting(makefile, context, taken)
    variables = architecture_variables(makefile)
    rocm = _spelling(work, variables)
    work.repeated = repeated(makefile)
    for line in makefile.lines:
        told = told_of(makefile, line)
        _tell(work, told)
        if line.kind is Kind.ASSIGNMENT and line.name in (*variables, *makefile.homes()):
            # A CUDA build goes on reading it, and a ROCm tree has it under its new name.
            if line.name in rocm.variables:
                work.edits.append(Edit(line.value, line.stop, " ".join(context.target.archs)))
        else:
            _line(work, line, rocm, told)
        if _ASKS_VERSION.search(_text(makefile, line)):
            message = "a decision by the version of nvcc, which a ROCm build does not have"
            work.tell(VERSION_DECISION, line.start, message, "decide by GPU_PLATFORM instead")
    if not work.compat:
        _rename(work)
    return work


def _line(work: Rewriting, line: Line, rocm: Rocm, told: Sequence[Told]) -> None:
    if line.kind in (Kind.ASSIGNMENT, Kind.RECIPE):
        for words in _commands(work.makefile.words(line), line):
            if not runs_tool(words, told):
                _words(work, line, words, rocm, told)
    elif line.kind is Kind.DIRECTIVE:
        _directive(work, line, rocm)
    elif line.kind is Kind.DEFINE and _CUDA.search(
        without(_text(work.makefile, line), line.value, told)
    ):
        _refuse(work, line.start, "a define block with commands for CUDA")


def _directive(work: Rewriting, line: Line, rocm: Rocm) -> None:
    """Rewrite `$(foreach sm,...,$(eval NAME += -gencode ...))`; refuse other code with options."""
    text = _text(work.makefile, line)
    if not _OPTION.search(text):
        return
    found = _EVAL.search(text)
    if found is None or not text.startswith("$("):
        _refuse(work, line.value, "options of nvcc in a line that is no assignment and no command")
        return
    new = f"$(eval {found[1]} += {rocm.architectures})"
    if work.compat:
        variable = work.variable(found[1])
        work.differences.append(Difference(variable, _flat(text), new))
        new = f"$({variable})"
    work.edits.append(Edit(line.value, line.stop, new))


def _spelling(work: Rewriting, variables: frozenset[str]) -> Rocm:
    archs = work.context.target.archs
    implied = tuple(f"-l{name}" for name in implied_libraries(work.context))
    if work.compat:
        options = "$(addprefix --offload-arch=,$(GPU_ARCHS))"
        compiler = "$(GPU_COMPILER)"
        headers = ("-include $(GPU_FOLDER)cuda_to_hip.h", "-isystem $(GPU_FOLDER)include")
        return Rocm("$(GPU_HOME)", compiler, compiler, options, implied=implied, headers=headers)
    options = " ".join(offload_arch(archs))
    home = f"$({ROCM_VARIABLE})"
    return Rocm(home, f"{home}/bin/hipcc", "hipcc", options, variables, implied)


def _text(makefile: Makefile, line: Line) -> str:
    return makefile.source.text[line.value : line.stop]


def _commands(words: Sequence[Word], line: Line) -> Iterator[list[Word]]:
    """Yield the simple commands of a recipe, without what goes before them; a value is one."""
    command: list[Word] = []
    for word in words:
        if word.operator:
            yield command
            command = []
        elif line.kind is Kind.RECIPE and not command and _goes_before(word.text):
            continue
        else:
            command.append(word)
    yield command


def _goes_before(word: str) -> bool:
    """Whether the shell takes a word for an assignment or a word of its own, before a command."""
    return bool(re.match(r"[@+-]*\w+=", word)) or word.lstrip("@+-") in _SHELL_WORDS


def _tell(work: Rewriting, told: Sequence[Told]) -> None:
    for one in told:
        work.tell(one.found.code, one.start, one.found.message, one.found.help)


def _words(
    work: Rewriting, line: Line, words: list[Word], rocm: Rocm, told: Sequence[Told]
) -> None:
    variable = line.name if line.kind is Kind.ASSIGNMENT else ""
    if line.start in work.repeated:
        rocm = replace(rocm, architectures="", variables=frozenset())
    found = list(changes(work.makefile, words, rocm, variable=variable, target=line.target))
    changed = {n for change in found for n in range(change.first, change.end)}
    talk = line.kind is Kind.RECIPE and talks(work.makefile.source.text, words)
    for number, word in enumerate(words if not talk else ()):
        rest = without(word.text, word.start, told)
        if number not in changed and _is_left(rest, work.makefile.homes()):
            _refuse(work, word.start, f"'{word.text}' has no certain counterpart for ROCm")
    for change in found:
        for note in change.notes:
            code = flag_code(note.severity)
            if note.severity is Severity.ERROR:
                _refuse(work, words[change.first].start, f"{note.flag}: {note.text}")
            else:
                work.tell(code, words[change.first].start, f"{note.flag}: {note.text}")
    if not work.compat and _vanishes(work.makefile, line, words, found):
        work.edits.append(Edit(line.start, line.end, ""))
        return
    for group in _groups(sorted(found, key=lambda c: (c.first, c.end)), joined=work.compat):
        _apply(work, line, words, group)


def _vanishes(
    makefile: Makefile, line: Line, words: Sequence[Word], found: Sequence[Change]
) -> bool:
    """Whether a line that appends to a variable would append nothing."""
    text = makefile.source.text
    gone = {n for change in found if not change.text for n in range(change.first, change.end)}
    return (
        line.operator == "+="
        and bool(words)
        and len(gone) == len(words)
        and not text[line.stop : line.end].strip()
        and not is_for_targets(text, line)
    )


def _is_left(text: str, homes: tuple[str, ...]) -> bool:
    """Whether a word that no rule changes still names something of CUDA's."""
    if text.startswith("$(shell") or _CUDA_FILE.fullmatch(text):
        return False
    return bool(_CUDA.search(re.sub(r"\$[({][\w.-]+[)}]", "", renamed(text, homes))))


def _refuse(work: Rewriting, offset: int, message: str) -> None:
    help_text = "write the ROCm side by hand; the file stays as it is until then"
    work.tell(LEFT_ALONE, offset, message, help_text)


def _groups(found: Sequence[Change], *, joined: bool) -> Iterator[list[Change]]:
    """Yield changes, those that follow each other directly together when `joined` or removed."""
    group: list[Change] = []
    for change in found:
        adjacent = bool(group) and group[-1].end == change.first
        gone = adjacent and not group[-1].text and not change.text
        if group and not (adjacent and (joined or gone)):
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _apply(work: Rewriting, line: Line, words: Sequence[Word], group: Sequence[Change]) -> None:
    """Put ROCm's words in place, or a variable that holds either vendor's."""
    text = work.makefile.source.text
    first, end = group[0].first, group[-1].end
    rocm = " ".join(change.text for change in group if change.text)
    if work.compat:
        old = _flat(text[words[first].start : words[end - 1].end]) if end > first else ""
        variable = work.variable(line.name or f"{line.target.split()[0]}_flags")
        work.differences.append(Difference(variable, old, rocm))
        rocm = f"$({variable})"
    if end == first:
        last = first == len(words)
        at = words[-1].end if last else words[first].start
        work.edits.append(Edit(at, at, f" {rocm}" if last else f"{rocm} "))
        return
    start, stop = words[first].start, words[end - 1].end
    edit = Edit(start, stop, rocm) if rocm else removal(text, line, start, stop)
    # What was put before the first of them stays.
    least = max((one.end for one in work.edits if one.start <= start), default=0)
    work.edits.append(Edit(max(edit.start, min(least, start)), edit.end, edit.replacement))


def _flat(text: str) -> str:
    return re.sub(r"\s*\\\r?\n\s*", " ", text)


def _rename(work: Rewriting) -> None:
    """Rename CUDA's folder and nvcc in everything between the changes."""
    text, homes = work.makefile.source.text, work.makefile.homes()
    at = 0
    gaps = []
    for edit in sorted(work.edits, key=lambda e: (e.start, e.end)):
        gaps.append((at, edit.start))
        at = edit.end
    gaps.append((at, len(text)))
    head = work.makefile.head  # something may be put there
    gaps = [
        part for a, b in gaps for part in (((a, head), (head, b)) if a < head < b else ((a, b),))
    ]
    for start, end in gaps:
        new = renamed(text[start:end], homes)
        if new != text[start:end]:
            work.edits.append(Edit(start, end, new))
