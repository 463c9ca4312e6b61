"""The outcome of building as stages, verdicts and located findings."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from porting.building.codes import (
    BUILD_FAILED,
    NO_CLEAN_ANSWER,
    NOT_BUILT,
    NOT_LOADED,
    NOT_TRIED,
    NOTHING_MADE,
    UNUSED_FILE,
)
from porting.building.loading import Loaded
from porting.building.missing import Where, header_in_tree, missing
from porting.building.pipeline import Built, Failed, Outcome, passed
from porting.building.problems import Problem, problems
from porting.building.systems import BUILD_FILES
from porting.diagnostics import Diagnostic, by_place
from porting.errors import says_full_disk
from porting.link.codes import BUILD_FOLDER
from porting.reports import Outcome as Said
from porting.reports import Stage, State, Verdict

Origin = Callable[[str, int], tuple[str, int]]
_TAIL = 3
_LONGEST = 500
_NAMED = 5
_UNUSED_HELP = "where they build code of yours, turn that on by default, or build it by itself"
_NOTHING_HELP = (
    "let the default target build the code; remove what earlier builds left in the tree, or take"
    " the code out with ignore in [tool.porting] where there is nothing to build"
)


@dataclass(frozen=True)
class Building:
    """What building says: stages with counts, verdicts per build file, findings by place."""

    stages: tuple[Stage, ...]
    verdicts: dict[str, tuple[Verdict, ...]]
    diagnostics: tuple[Diagnostic, ...]


def stage_names(platform: str) -> tuple[str, str]:
    """Return the names of the stages of a platform: building, loading."""
    return f"{platform} build", f"{platform} load"


def judge(outcome: Outcome, origin: Origin) -> Building:
    """Return what an outcome says.  `origin` maps a file and line of the output to the input's."""
    names = stage_names(outcome.platform)
    if outcome.unavailable or not outcome.builds:
        known = ", ".join(BUILD_FILES)
        why = outcome.unavailable or f"the tree has no build file that can be run: {known}"
        return Building(tuple(Stage(name, State.UNAVAILABLE, why) for name in names), {}, ())
    verdicts = {each.build.file: tuple(_verdicts(each, outcome)) for each in outcome.builds}
    found = [d for each in outcome.builds for d in _findings(each, outcome, origin)]
    found += _smoke_findings(outcome, origin)
    found = [_without_place(finding, outcome.place) for finding in found]
    stages = tuple(_stage(name, verdicts, outcome.note) for name in names)
    return Building(stages, verdicts, tuple(by_place(found)))


def _without_place(finding: Diagnostic, place: Path) -> Diagnostic:
    """Return a finding that does not speak of the copy, which is gone and has another name next."""
    message, help_text = (
        text.replace(f"{place}/", "").replace(str(place), ".")
        for text in (finding.message, finding.help)
    )
    return replace(finding, message=message, help=help_text)


def _stage(name: str, verdicts: dict[str, tuple[Verdict, ...]], note: str) -> Stage:
    said = [v.outcome for items in verdicts.values() for v in items if v.stage == name]
    return Stage(
        name,
        State.RAN,
        verified=said.count(Said.VERIFIED),
        failed=said.count(Said.FAILED),
        not_verified=said.count(Said.NOT_VERIFIED),
        note=note,
    )


def _verdicts(built: Built, outcome: Outcome) -> Iterator[Verdict]:
    build, loading = stage_names(outcome.platform)
    system = built.build.system.value
    if built.left:
        yield Verdict(build, system, Said.NOT_VERIFIED, f"{built.left} is left to a person")
        return
    if built.missing:
        reason = f"{built.missing} is not installed"
        yield Verdict(build, system, Said.NOT_VERIFIED, reason)
        return
    if built.failed:
        said = Said.NOT_VERIFIED if _lacks(built.failed, outcome) else Said.FAILED
        yield Verdict(build, system, said, f"the {built.failed.step.what} step")
        return
    if built.made.nothing:
        yield Verdict(build, system, Said.NOT_VERIFIED, "it made nothing")
        return
    names = [each.path for each in built.made.products] or list(built.made.others)
    yield Verdict(build, system, Said.VERIFIED, ", ".join(path.name for path in names))
    follows = {Path(a.file.name): f"; follows {a.follows}" for a in built.audited}
    for loaded in built.loaded:
        detail = _detail(loaded, outcome.place) + follows.get(loaded.path, "")
        yield Verdict(loading, system, _said(loaded), detail)


def _said(loaded: Loaded) -> Said:
    if loaded.untried:
        return Said.NOT_VERIFIED
    return Said.FAILED if loaded.refused or loaded.unclean else Said.VERIFIED


def _detail(loaded: Loaded, place: Path) -> str:
    told = loaded.refused or loaded.unclean or loaded.untried or loaded.answer or "loads"
    return f"{loaded.path.name}: {told.replace(f'{place}/', '')}"


def _findings(built: Built, outcome: Outcome, origin: Origin) -> Iterator[Diagnostic]:
    file, line = origin(built.build.file, 1)
    if built.left:
        return  # what keeps it is a finding of that file
    if built.missing:
        text = f"not built: {built.missing} is not on PATH"
        yield NOT_BUILT.at(file, text, f"install {built.missing}", line=line)
    elif built.failed:
        yield from _failure(built, built.failed, outcome, origin)
    elif built.made.nothing:
        text = f"{built.build.system} ended well and made nothing: no program, library or object"
        yield NOTHING_MADE.at(file, text, _NOTHING_HELP, line=line)
    if built.unused:
        text = f"not used by {built.build.file}, so not built: {_some(built.unused)}"
        yield UNUSED_FILE.at(file, text, _UNUSED_HELP, line=line)
    for loaded in built.loaded:
        yield from _load_findings(loaded, outcome, file, line)
    installed = {str(p.path) for p in built.made.products if p.is_installed}
    for audited in built.audited:
        for finding in audited.findings:
            if finding.code == BUILD_FOLDER.code and audited.file.name not in installed:
                continue  # a build tree has such folders until it is installed
            message = f"{_name(Path(audited.file.name), outcome)}: {finding.message}"
            yield replace(finding, file=file, line=line, message=message)


def _failure(
    built: Built, failed: Failed, outcome: Outcome, origin: Origin
) -> Iterator[Diagnostic]:
    what = f"{built.build.system} {failed.step.what}"
    if why := _stopped(failed, outcome):
        file, line = origin(built.build.file, 1)
        yield NOT_BUILT.at(file, f"not built: {what} {why[0]}", why[1], line=line)
        return
    ran = f"{what} ran: {' '.join(failed.step.command)}"
    where = _where(failed, outcome)
    for problem in problems(failed.ran.output) or [_last_words(failed)]:
        file, line = origin(*_place(problem, built, outcome.place))
        if absent := missing(problem, where):
            text = _cut(f"not built: {absent.text}")
            yield NOT_BUILT.at(file, text, absent.help or ran, line=line)
        else:
            header = header_in_tree(problem, where.files)
            help_text = (
                f"the tree has {header}: name its folder in the build file" if header else ran
            )
            yield BUILD_FAILED.at(file, _cut(problem.text), help_text, line=line)


def _where(failed: Failed, outcome: Outcome) -> Where:
    return Where(outcome.platform, outcome.files, failed.ran.output)


def _stopped(failed: Failed, outcome: Outcome) -> tuple[str, str] | None:
    """Return what this machine did to a build, and what to do about it; None for nothing."""
    if failed.ran.timed_out:
        return f"did not end in {outcome.timeout:.0f} s", "say --build-timeout SECONDS"
    if failed.ran.code < 0:
        return failed.ran.ending, "find out what ended it; a machine with too little memory does so"
    if says_full_disk(failed.ran.output):
        return "found no space left on the disk", "free some space, or set TMPDIR to another disk"
    return None


def _lacks(failed: Failed, outcome: Outcome) -> bool:
    found = problems(failed.ran.output)
    where = _where(failed, outcome)
    absent = bool(found) and all(missing(problem, where) for problem in found)
    return absent or _stopped(failed, outcome) is not None


def _last_words(failed: Failed) -> Problem:
    lines = [line.strip() for line in failed.ran.output.splitlines() if line.strip()]
    said = " / ".join(lines[-_TAIL:]) or "it said nothing"
    return Problem(_cut(f"{failed.step.program} {failed.ran.ending}: {said}"))


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _cut(text: str) -> str:
    """Return as much of a text as a person reads."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."


def _place(problem: Problem, built: Built, place: Path) -> tuple[str, int]:
    """Return the file of the tree and the line of a problem, the build file for one without."""
    if problem.path:
        for path in (Path(problem.path), place / built.build.folder / problem.path):
            real = Path(os.path.realpath(path)) if path.is_absolute() else path
            if real.is_relative_to(place):
                return real.relative_to(place).as_posix(), max(problem.line, 1)
    return built.build.file, 1


def _load_findings(loaded: Loaded, outcome: Outcome, file: str, line: int) -> Iterator[Diagnostic]:
    name = _name(loaded.path, outcome)
    if loaded.refused:
        yield NOT_LOADED.at(file, f"{name} does not load: {loaded.refused}", line=line)
    if loaded.unclean:
        yield NO_CLEAN_ANSWER.at(file, f"{name}: {loaded.unclean}", line=line)
    if loaded.untried:
        yield NOT_TRIED.at(file, f"{name} was built and not loaded: {loaded.untried}", line=line)


def _name(path: Path, outcome: Outcome) -> str:
    return path.relative_to(outcome.place).as_posix()


def _smoke_findings(outcome: Outcome, origin: Origin) -> Iterator[Diagnostic]:
    for text, ran in outcome.smoke:
        if not passed(ran):
            file, line = origin(outcome.builds[0].build.file, 1)
            said = ran.output.strip().rpartition("\n")[2][:200]
            yield NO_CLEAN_ANSWER.at(
                file, f"`{text}` {ran.ending}{said and f': {said}'}", line=line
            )
