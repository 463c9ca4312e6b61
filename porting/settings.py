"""`[tool.porting]` of a pyproject.toml: read, checked, and laid under the command line's values."""

import os
import posixpath
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from porting.config import Mode
from porting.errors import ConfigError, reason
from porting.patterns import PathPatterns
from porting.tree import VCS_NAMES

_NAME = "pyproject.toml"
# Of a time limit, in seconds: a year.
LONGEST = 366 * 24 * 3600
# For each command of a build where nobody says another, in seconds.
BUILD_TIMEOUT = 1800


@dataclass(frozen=True)
class Settings:
    """The keys of `[tool.porting]`; None and empty values mean "not said".

    `exclude`: left out of the output.  `verbatim`: copied without being ported.  `ignore`: codes
    taken out of the report everywhere; `per_path_ignore`: in the files a pattern names.
    `platform_macros`: macros that the project's ROCm builds define.  `mode`: that of a port.
    `hipify_launches`: as in Target.  `include_dirs` are for the compiler of the verify stage,
    `defines` for it and for rules that ask whether the build defines a macro.  `smoke`: commands
    to run in a tree that was built.  `build_timeout`: seconds for each command of a build.
    `below`: the folder of the input, seen from that of the pyproject.toml, where patterns start.
    """

    rocm: str | None = None
    arch: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    verbatim: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    platform_macros: tuple[str, ...] = ()
    hipify_launches: bool = False
    mode: Mode | None = None
    ignore: tuple[str, ...] = ()
    per_path_ignore: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    jobs: int | None = None
    smoke: tuple[str, ...] = ()
    build_timeout: int | None = None
    below: str = "."

    def ignores(self, code: str, path: str) -> bool:
        """Whether findings with this code are taken out of the report of this file."""
        if code in self.ignore:
            return True
        place = posixpath.normpath(posixpath.join(self.below, path))
        return any(
            code in codes and PathPatterns((pattern,)).match(place)
            for pattern, codes in self.per_path_ignore.items()
        )

    def check_codes(self, known: frozenset[str]) -> None:
        """Raise ConfigError for an ignored code that does not exist."""
        for code in (*self.ignore, *(c for codes in self.per_path_ignore.values() for c in codes)):
            if code not in known:
                raise ConfigError(
                    f"[tool.porting] ignores {code}, which is no code of this release"
                    f"{_did_you_mean(code, known)}; `porting explain --codes` lists them"
                )


def load_settings(source: Path) -> Settings:
    """Read the settings of an input; those of a release without `[tool.porting]` say nothing.

    A folder's are in its own pyproject.toml.  A file's are in the nearest one above it that has the
    table; the search ends at the root of the repository that holds the file.
    Raises ConfigError with the file and the key.
    """
    if source.is_dir():
        table = _read_table(source / _NAME)
        return Settings() if table is None else parse_settings(table, source / _NAME)
    file = Path(os.path.abspath(source))  # noqa: PTH100 - a link keeps the name that was typed
    for folder in file.parents:
        table = _read_table(folder / _NAME)
        if table is not None:
            below = file.parent.relative_to(folder).as_posix()
            return replace(parse_settings(table, folder / _NAME), below=below)
        if any((folder / name).exists() for name in VCS_NAMES):
            break
    return Settings()


def _read_table(path: Path) -> object | None:
    """Return `[tool.porting]` of a file, None when there is none.  Raises ConfigError."""
    try:
        table = tomllib.loads(path.read_bytes().decode())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(
            f"{path} cannot be read: {reason(error)}; make it readable or move it away"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is no valid TOML: {error}") from error
    tool = table.get("tool", {})
    return tool.get("porting") if isinstance(tool, dict) else None


def parse_settings(table: object, path: Path) -> Settings:
    """Return the settings of a `[tool.porting]` table.  Raises ConfigError."""
    if not isinstance(table, dict):
        raise ConfigError(f"{path}: tool.porting is no table")
    values: dict[str, Any] = {}
    for key, value in table.items():
        read = _KEYS.get(key)
        if read is None:
            raise ConfigError(
                f"{path}: [tool.porting] has no key '{key}'{_did_you_mean(key, _KEYS)}; "
                f"known keys: {', '.join(sorted(_KEYS))}"
            )
        values[key.replace("-", "_")] = read(value, f"{path}: [tool.porting] {key}")
    return Settings(**values)


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise ConfigError(f"{where} is {_shown(value)}; a string is needed")
    return value


def _texts(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigError(f"{where} is {_shown(value)}; a list of strings is needed")
    return tuple(value)


def _count(value: object, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ConfigError(f"{where} is {_shown(value)}; a whole number from 1 is needed")
    return value


def _seconds(value: object, where: str) -> int:
    seconds = _count(value, where)
    if seconds > LONGEST:
        raise ConfigError(f"{where} is {seconds}; a number of seconds to {LONGEST} is needed")
    return seconds


def _flag(value: object, where: str) -> bool:
    if not isinstance(value, bool):
        raise ConfigError(f"{where} is {_shown(value)}; true or false is needed")
    return value


def _mode(value: object, where: str) -> Mode:
    try:
        return Mode(_text(value, where))
    except ValueError as error:
        raise ConfigError(f"{where} is {_shown(value)}; 'rename' or 'compat' is needed") from error


def _texts_by_pattern(value: object, where: str) -> Mapping[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise ConfigError(f"{where} is {_shown(value)}; a table of pattern = [codes] is needed")
    return {pattern: _texts(codes, f"{where}.{pattern!r}") for pattern, codes in value.items()}


_KEYS = {
    "rocm": _text,
    "arch": _texts,
    "exclude": _texts,
    "verbatim": _texts,
    "include-dirs": _texts,
    "smoke": _texts,
    "defines": _texts,
    "platform-macros": _texts,
    "hipify-launches": _flag,
    "mode": _mode,
    "ignore": _texts,
    "per-path-ignore": _texts_by_pattern,
    "jobs": _count,
    "build-timeout": _seconds,
}


def _shown(value: object) -> str:
    return f"{value!r} ({type(value).__name__})"


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    near = get_close_matches(word, list(known), 1)
    return f" (did you mean '{near[0]}'?)" if near else ""
