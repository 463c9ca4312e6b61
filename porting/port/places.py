"""Whether the folders that a run names are where they can be used, seen from its input."""

import os
from pathlib import Path

from porting.errors import ConfigError, UsageError
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
