"""Where a ROCm file tells the loader to look for its libraries."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from porting.config import release_key
from porting.diagnostics import Diagnostic
from porting.link.codes import BUILD_FOLDER, NO_RUNPATH, RPATH, WRONG_RUNPATH
from porting.link.loader import DEFAULT_FOLDERS, expand
from porting.link.subject import Subject
from porting.toolkits.platforms import ROCM

_INSTALLED: Final = re.compile(
    r"/opt/rocm(?:-(?P<release>\d+\.\d+)(?:\.\d+)?)?(?:/[\w.-]+)*/lib(?:64)?/?"
)
_SYSTEM: Final = ("/usr/", "/lib/", "/lib64/", "/opt/")


def check(subject: Subject) -> Iterator[Diagnostic]:
    """Yield what is wrong with RUNPATH or RPATH, of a linked file only."""
    if not subject.is_linked:
        return
    folders = subject.file.rpath if subject.file.runpath is None else subject.file.runpath
    needed = [name for name, _ in subject.needed("rocm")]
    if needed and folders is None:
        yield from _absent(subject, needed)
    if subject.file.rpath is not None and subject.file.runpath is None and needed:
        message = f"RPATH {':'.join(subject.file.rpath)} is set in place of a RUNPATH"
        yield subject.found(RPATH, message, "link with -Wl,--enable-new-dtags")
    if needed and folders is not None:
        yield from _wrong(subject, folders, needed)
    for folder in folders or ():
        yield from _leftover(subject, folder, needed)


def _how_to_link(subject: Subject) -> str:
    folders = subject.question.rocm_folders
    folder = folders[0] if folders else f"{ROCM.defaults[0]}/lib"
    return f"link with {shlex.quote(f'-Wl,--enable-new-dtags,-rpath,{folder}')}"


def _absent(subject: Subject, needed: list[str]) -> Iterator[Diagnostic]:
    """Yield a finding unless the libraries are in folders that the loader knows by itself."""
    if all(any(Path(folder, name).exists() for folder in DEFAULT_FOLDERS) for name in needed):
        return
    message = f"{', '.join(needed)}: needed, and the file has no RUNPATH"
    yield subject.found(NO_RUNPATH, message, _how_to_link(subject))


def _wrong(subject: Subject, folders: tuple[str, ...], needed: list[str]) -> Iterator[Diagnostic]:
    if any(_holds_rocm(subject, folder, needed) for folder in folders):
        return
    other = [release for folder in folders if (release := _other_release(subject, folder))]
    why = f"that is ROCm {other[0]}, the target is {subject.question.rocm}" if other else ""
    message = f"RUNPATH {':'.join(folders)} does not hold {', '.join(needed)}"
    told = f"{message}; {why}" if why else message
    yield subject.found(WRONG_RUNPATH, told, _how_to_link(subject))


def _holds_rocm(subject: Subject, folder: str, needed: list[str]) -> bool:
    """Whether ROCm's libraries are in a folder: it is said or named so, or they are seen there."""
    place = Path(expand(folder, subject.origin))
    if any(
        place == Path(expand(str(known), subject.origin)) for known in subject.question.rocm_folders
    ):
        return True
    if _other_release(subject, folder):
        return False
    return bool(_INSTALLED.fullmatch(str(place))) or any((place / name).exists() for name in needed)


def _other_release(subject: Subject, folder: str) -> str:
    """Return the release in a folder's name when it is not the target's, else ""."""
    match = _INSTALLED.fullmatch(folder)
    release = match["release"] if match else None
    if release is None or release_key(release) == release_key(subject.question.rocm):
        return ""
    return release


def _leftover(subject: Subject, folder: str, needed: list[str]) -> Iterator[Diagnostic]:
    if folder.startswith("$") or f"{folder}/".startswith(_SYSTEM):
        return
    if folder.startswith("/"):
        if _holds_rocm(subject, folder, needed):
            return
        message = f"RUNPATH holds {folder}, a folder of the machine it was built on"
    else:
        shown = f"'{folder}'" if folder else "an empty folder"
        message = f"RUNPATH holds {shown}, which is taken from the folder a user is in"
    advice = "remove it on installing (cmake --install, patchelf --set-rpath) or use $ORIGIN"
    yield subject.found(BUILD_FOLDER, message, advice, folder)
