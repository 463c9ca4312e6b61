"""Whether the folders that a run names are where they can be used, seen from its input."""

import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from porting.errors import ConfigError, InputError, UsageError
from porting.generated import is_generated
from porting.output.staging import check_replaceable
from porting.settings import Settings
from porting.tree import stat_input


def check_include_dirs(source: Path, settings: Settings) -> None:
    """Raise ConfigError for a folder of include-dirs that the input, if a folder, has not."""
    for name in settings.include_dirs:
        folder = source / name
        if source.is_dir() and not folder.is_dir():
            raise ConfigError(
                f"[tool.porting] include-dirs names {name}, and there is no folder {folder}; "
                "mend it, or say --no-verify"
            )


def check_generated(root: Path, added: Iterable[str]) -> None:
    """Raise InputError when a file of the tree at `root` would be lost to a generated one."""
    for path in added:
        for place in (root / path, *(root / parent for parent in PurePosixPath(path).parents)):
            if os.path.lexists(place) and not _may_be_replaced(place, root / path):
                raise InputError(
                    f"{place} is not of this tool's making, and {path} has to be written there; "
                    "give it another name"
                )


def _may_be_replaced(place: Path, path: Path) -> bool:
    return is_generated(place) if place == path else place.is_dir()


def check_places(source: Path, output: Path, *, force: bool = False) -> None:
    """Raise an error when `source` is not there or `output` is no place for its port."""
    stat_input(source)
    real, target = Path(os.path.realpath(source)), Path(os.path.realpath(output))
    if real == target:
        raise UsageError(
            f"{output} is the input itself; choose another output, "
            "or use `porting hipify --in-place`"
        )
    if not real.is_dir():
        if target.is_dir():
            raise UsageError(
                f"{output} is a folder; the output of a file is a file; "
                f"name one, like {output / source.name}"
            )
        return
    if target.is_relative_to(real):
        raise UsageError(f"{output} is inside the input {source}; choose a folder outside of it")
    if real.is_relative_to(target):
        raise UsageError(f"the input {source} is inside {output}; choose a folder beside it")
    check_replaceable(output, force=force)
