"""The options of hipify_torch's hipify_cli.py: what a run is asked for, and the dump it leaves."""

import argparse
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from porting.errors import ConfigError, UsageError
from porting.hipify_torch.hipify_python import HipifyFinalResult, hipify
from porting.hipify_torch.json_file import read_object
from porting.output.replacing import write_file

CMAKE_DIR = Path(__file__).parent / "cmake"
_DUMP = "hipify_output_dict_dump.txt"
_PATHS = ("project_directory", "output_directory", "custom_map_json")
_LISTS = ("includes", "ignores", "header_include_dirs")
_ALL: dict[str, Any] = {
    **dict.fromkeys(_PATHS, ""),
    "includes": ["*"],
    "ignores": [],
    "header_include_dirs": [],
    "extra_files": [],
    "hipify_extra_files_only": False,
}


@dataclass(frozen=True)
class Asked:
    """What the command line asks for: arguments of `hipify`, and where its result is dumped.

    `cmake_file`: gets the result in CMake's language.
    """

    arguments: dict[str, Any]
    dump: Path
    cmake_file: Path | None = None


def parse(words: Sequence[str]) -> Asked:
    """Read a command line.  Raises UsageError, InputError and ConfigError."""
    given = _parser().parse_args(words)
    values = _from_json(Path(given.config_json)) if given.config_json else _from_options(given)
    project = values.pop("project_directory")
    custom_map = values.pop("custom_map_json")
    output = values.pop("output_directory") or project
    arguments = {
        **values,
        "project_directory": project,
        "output_directory": output,
        "custom_map_list": custom_map,
        "is_pytorch_extension": True,
        "show_detailed": True,
    }
    cmake_file = Path(given.cmake_file) if given.cmake_file else None
    return Asked(arguments, Path(given.dump_dict_file), cmake_file)


def run(asked: Asked) -> HipifyFinalResult:
    """Hipify, and write the result for those who ask for it later.  Raises PortingError."""
    result = hipify(**asked.arguments)
    dump = {path: outcome.asdict() for path, outcome in result.items()}
    write_file(asked.dump, json.dumps(dump, indent=1).encode())
    if asked.cmake_file is not None:
        folders = [asked.arguments[f"{which}_directory"] for which in ("project", "output")]
        text = _as_cmake(result, *map(os.path.abspath, folders))
        write_file(asked.cmake_file, os.fsencode(text))
    return result


def _as_cmake(result: HipifyFinalResult, project: str, output: str) -> str:
    """Return CMake code that knows each file's new place, and configures anew when one is edited.

    A file of the project and its copy in the output folder have the same new place.
    """
    lines = ["# Written by porting.hipify_torch for Hipify.cmake, anew by each hipify()."]
    for path, outcome in result.items():
        original = path
        if path.startswith(f"{output}/"):
            original = project + path.removeprefix(output)
        if Path(original).exists():
            where = "DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS"
            lines.append(f"set_property({where} {_quoted(original)})")
        if outcome.hipified_path is not None:
            new = _quoted(outcome.hipified_path)
            for source in dict.fromkeys((path, original)):
                name = _quoted(f"HIPIFIED_AS {source}")
                lines.append(f"set_property(GLOBAL PROPERTY {name} {new})")
    return "".join(f"{line}\n" for line in lines)


def _quoted(text: str) -> str:
    """Return a CMake bracket argument that is longer than any in the text."""
    fence = "="
    while f"]{fence}]" in text:
        fence += "="
    return f"[{fence}[{text}]{fence}]"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m porting.hipify_torch",
        description="Hipify a project in hipify_torch's layout; the options are hipify_cli.py's.",
    )
    add = parser.add_argument
    add("--project-directory", metavar="DIR", help="the root of the project")
    add("--output-directory", metavar="DIR", help="where files are put (default: the project)")
    add("--includes", metavar="PATTERNS", default="*", help="files to hipify, separated by ';'")
    add("--ignores", metavar="PATTERNS", default="", help="files to leave, separated by ';'")
    add("--header-include-dirs", metavar="DIRS", default="", help="folders of headers, by ';'")
    add("--custom-map-json", metavar="FILE", default="", help='{"custom_map": {CUDA: HIP}}')
    add("--config-json", metavar="FILE", help="a file with these options; they are not read then")
    add("--dump-dict-file", metavar="FILE", default=_DUMP, help="what became of each file, as JSON")
    add("--cmake-file", metavar="FILE", help="what became of each file, for Hipify.cmake")
    add("--cmake-dir", action="version", version=str(CMAKE_DIR), help="where Hipify.cmake is")
    return parser


def _from_options(given: argparse.Namespace) -> dict[str, Any]:
    if not given.project_directory:
        raise UsageError("no project to hipify; say --project-directory DIR or --config-json FILE")
    lists = {key: _split(getattr(given, key)) for key in _LISTS}
    paths = {key: getattr(given, key) or "" for key in _PATHS}
    return {**paths, **lists}


def _split(text: str) -> list[str]:
    """Return the parts of a CMake list, which hipify_cli.py takes in brackets."""
    if text.startswith("[") and text.endswith("]"):
        text = text[1:-1]
    return [part for part in text.split(";") if part]


def _from_json(path: Path) -> dict[str, Any]:
    """Return the options of a file; its paths are seen from its folder."""
    document = read_object(path)
    if not document.get("project_directory"):
        raise ConfigError(f"{path} has no project_directory; give it, seen from the file's folder")
    for key in document.keys() - _ALL.keys() - {"dump_dict_file"}:
        near = get_close_matches(key, list(_ALL), 1)
        if near:
            raise ConfigError(f"{path} has a key '{key}' that nothing reads; is it '{near[0]}'?")
    values: dict[str, Any] = {key: _checked(path, key, document.get(key)) for key in _ALL}
    for key in ("project_directory", "output_directory"):
        if values[key]:
            values[key] = os.path.join(path.parent, values[key])  # noqa: PTH118 - a str is wanted
    beside = path.parent / values["custom_map_json"]
    if beside.is_file():
        values["custom_map_json"] = str(beside)
    return values


def _checked(path: Path, key: str, value: object) -> object:
    """Return a value of the file, its default for null.  Raises ConfigError."""
    default = _ALL[key]
    if value is None:
        return default
    is_fitting = isinstance(value, type(default))
    if not is_fitting or (isinstance(value, list) and not all(isinstance(x, str) for x in value)):
        raise ConfigError(f"{path}: {key} is {value!r}; {_KINDS[type(default)]} is needed")
    return value


_KINDS: dict[type, str] = {str: "a text", list: "a list of texts", bool: "true or false"}
