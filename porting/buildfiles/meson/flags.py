"""Options of nvcc in Meson files as options of clang."""

from collections.abc import Sequence

from porting.buildfiles.codes import flag_code
from porting.buildfiles.flags import translate
from porting.buildfiles.meson.project import Project
from porting.buildfiles.meson.syntax import MesonFile
from porting.diagnostics import Severity


def translated(project: Project, file: MesonFile, number: int, words: Sequence[str]) -> list[str]:
    """Return options of nvcc as quoted options for clang, and tell what became of them."""
    done = translate(words)
    for note in done.notes:
        if note.severity is Severity.ERROR:
            project.refuse(file, number, f"{note.flag}: {note.text}")
        else:
            project.tell(flag_code(note.severity), file, number, f"{note.flag}: {note.text}")
    return [f"'{flag}'" for flag in done.flags]
