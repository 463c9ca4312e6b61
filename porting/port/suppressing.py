"""Take out the findings that comments of the input answer for, where hipify did not see them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from porting.diagnostics import Diagnostic
from porting.source import SourceFile
from porting.suppress import Suppressions
from porting.syntax import tokenize


@dataclass
class Suppressed:
    """Findings less those that a comment of the input answers for.

    `answered`: (file, line) of the comments that did, which hipify took for unused.
    """

    kept: list[Diagnostic] = field(default_factory=list)
    taken_out: list[Diagnostic] = field(default_factory=list)
    answered: set[tuple[str, int]] = field(default_factory=set)


def suppress(found: Sequence[Diagnostic], sources: Sequence[SourceFile]) -> Suppressed:
    """Take out the findings that an ignore comment of their file names."""
    texts = {source.path: source for source in sources}
    result = Suppressed()
    comments: dict[str, Suppressions] = {}
    for finding in found:
        source = texts.get(finding.file)
        if source is None or source.is_binary:
            result.kept.append(finding)
            continue
        if finding.file not in comments:
            comments[finding.file] = Suppressions.read(source, tokenize(source.text).comments)
        covered = comments[finding.file].covers(finding)
        (result.taken_out if covered else result.kept).append(finding)
    for path, read in comments.items():
        used = (ignore for ignore in read.ignores if ignore.used)
        result.answered |= {(path, texts[path].line_of(ignore.offset)) for ignore in used}
    return result
