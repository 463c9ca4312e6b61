"""Numbers that must fit the target's release: SONAMEs and symbol versions."""

import re
from collections.abc import Iterator
from typing import Final

from porting.config import release_key
from porting.diagnostics import Diagnostic
from porting.link.codes import NEWER_VERSION, NO_SUCH_MAJOR
from porting.link.libraries import NEWEST_KNOWN, vendor_file, version_releases
from porting.link.subject import Subject

_VERSION: Final = re.compile(r"hip_(\d+)\.(\d+)")
_SHOWN: Final = 3


def check(subject: Subject) -> Iterator[Diagnostic]:
    """Yield what the target's release does not have."""
    if subject.follows.has_rocm:
        yield from _majors(subject)
        yield from _versions(subject)


def _majors(subject: Subject) -> Iterator[Diagnostic]:
    rocm = subject.question.rocm
    for name, found in subject.needed("rocm"):
        wanted = found.library.major(rocm)
        if wanted and found.major and found.major != wanted:
            has = found.library.soname(rocm)
            message = f"{name} is needed; ROCm {rocm} has {has}"
            yield subject.found(NO_SUCH_MAJOR, message, f"build against ROCm {rocm}", name)


def _versions(subject: Subject) -> Iterator[Diagnostic]:
    rocm = subject.question.rocm
    for library, versions in subject.file.version_needs.items():
        known = vendor_file(library)
        if known is None or known.platform != "rocm":
            continue
        for version in versions:
            since = _since(version)
            if since is None or since <= release_key(rocm):
                continue
            users = [s.name for s in subject.file.undefined if s.version == version]
            shown = ", ".join(users[:_SHOWN]) + (", ..." if len(users) > _SHOWN else "")
            first = ".".join(map(str, since))
            message = f"version {version} of {library} is needed (by {shown or 'no symbol'})"
            message += f"; it exists from ROCm {first} on, the target is {rocm}"
            advice = f"build against ROCm {rocm}, or look these functions up with dlsym"
            yield subject.found(NEWER_VERSION, message, advice, version)


def _since(version: str) -> tuple[int, int] | None:
    """Return the first release with a version; of an unknown, newer one, the number in its name."""
    if known := version_releases().get(version):
        return known
    match = _VERSION.fullmatch(version)
    if match is None:
        return None
    number = int(match[1]), int(match[2])
    return number if number > NEWEST_KNOWN else None
