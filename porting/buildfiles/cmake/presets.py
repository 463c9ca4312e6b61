"""Files that give CMake its variables: presets, and scikit-build's tables in pyproject.toml."""

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from porting.buildfiles.cmake_variables import CMAKE_VARIABLE, SAME_FOR_HIP
from porting.buildfiles.codes import ALREADY_PORTED, LEFT_ALONE, SETTING_DROPPED, flag_code
from porting.buildfiles.flags import translate
from porting.buildfiles.model import BuildContext, rewritten, unreadable
from porting.config import Mode
from porting.diagnostics import Diagnostic, Severity, by_place
from porting.edits import Edit
from porting.hipify import Hipified
from porting.source import SourceFile

_JSON = frozenset(("CMakePresets.json", "CMakeUserPresets.json"))
_TOML = "pyproject.toml"
_NAME = rf"{CMAKE_VARIABLE}|CUDA_NVCC_FLAGS\w*|CUDACXX|CUDAHOSTCXX|CUDAFLAGS|CUDAARCHS"
_TEXT = r'(?:[^"\\\n]|\\.)*'
_MEMBER = re.compile(
    rf'"(?P<name>{_NAME})"\s*:\s*(?:"(?P<value>{_TEXT})"'
    rf'|\{{[^{{}}]*?"value"\s*:\s*"(?P<typed>{_TEXT})"[^{{}}]*\}})'
)
_KEY = re.compile(rf'(?:[\w-]+\.)*"?(?P<name>{_NAME})"?[ \t]*=[ \t]*"(?P<value>{_TEXT})"')
_OPTION = re.compile(rf'"-D(?P<name>{_NAME})(?::\w+)?=(?P<value>{_TEXT})"')
_ROCM = re.compile(r"CMAKE_HIP_|HIPCXX|ROCM_PATH|\bhipcc\b")
# Variables that mean the same for HIP.
_SAME = frozenset(f"CMAKE_CUDA_{name}" for name in SAME_FOR_HIP)


@dataclass(frozen=True)
class _Definition:
    """A variable that a file sets: all of it, its name, its value; offsets in the file."""

    whole: tuple[int, int]
    named: tuple[int, int]
    valued: tuple[int, int]
    name: str
    value: str


def handles(path: str) -> bool:
    """Whether a file may give CMake its variables, by its name."""
    return PurePosixPath(path).name in (*_JSON, _TOML)


def convert(source: SourceFile, context: BuildContext) -> Hipified | None:
    """Return a file with HIP's variables in the place of CUDA's, in compat mode beside them.

    None for a file that sets none of CUDA's.
    """
    found = list(_definitions(source))
    fault = _fault(source)
    if fault is not None and re.search(_NAME, source.text):
        return rewritten(source, (), (unreadable(source, *fault),))
    if fault is not None or not found:
        return None
    if _ROCM.search(source.text):
        text = f"{source.path} sets variables of HIP's already and stays as it is"
        return rewritten(source, (), (ALREADY_PORTED.at(source.path, text),))
    edits: list[Edit] = []
    told: list[Diagnostic] = []
    for definition in found:
        new = _for_rocm(source, context, definition, told)
        edit = _edit(source, context.mode, definition, new)
        if edit is not None:
            edits.append(edit)
    edits.sort(key=lambda edit: edit.start)
    failed = any(one.severity is Severity.ERROR for one in told)
    return rewritten(source, () if failed else edits, by_place(told))


def _fault(source: SourceFile) -> tuple[int, str] | None:
    """Return where a file cannot be read, and why; None when it can."""
    text = source.data.decode("utf-8", "replace").removeprefix("\ufeff")
    try:
        if source.path.endswith(".json"):
            json.loads(text)
        else:
            tomllib.loads(text)
    except json.JSONDecodeError as error:
        return _offset(source, error.lineno), f"no JSON ({error.msg})"
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        return _offset(source, int(line[1]) if line else source.line_count), f"no TOML ({error})"
    return None


def _offset(source: SourceFile, line: int) -> int:
    return source.line_starts[min(max(line, 1), len(source.line_starts)) - 1]


def _definitions(source: SourceFile) -> Iterator[_Definition]:
    is_json = source.path.endswith(".json")
    if not is_json and "scikit-build" not in source.text:
        return
    for pattern in (_MEMBER,) if is_json else (_KEY, _OPTION):
        for match in pattern.finditer(source.text):
            group = "typed" if is_json and match["value"] is None else "value"
            yield _Definition(
                match.span(), match.span("name"), match.span(group), match["name"], match[group]
            )


def _for_rocm(
    source: SourceFile, context: BuildContext, definition: _Definition, told: list[Diagnostic]
) -> tuple[str, str] | None:
    """Return the name and value for HIP, None where it has no such variable; adds what to say."""
    name = definition.name
    line, column = source.position(definition.whole[0])
    if name == "CMAKE_CUDA_ARCHITECTURES":
        return "CMAKE_HIP_ARCHITECTURES", ";".join(context.target.archs)
    if "FLAGS" in name:
        done = translate(definition.value.split())
        for note in done.notes:
            code = LEFT_ALONE if note.severity is Severity.ERROR else flag_code(note.severity)
            text = f"{note.flag}: {note.text}"
            told.append(code.at(source.path, text, line=line, column=column))
        new = name.replace("CUDA_NVCC_FLAGS", "CMAKE_HIP_FLAGS").replace("CUDA", "HIP")
        return new, " ".join(done.flags)
    if name in _SAME:
        return name.replace("CUDA", "HIP"), definition.value
    message = f"{name} says nothing to a ROCm build, which finds clang by hipconfig on PATH"
    if context.mode is Mode.COMPAT and name in ("CMAKE_CUDA_COMPILER", "CUDACXX"):
        message = f"{name} chooses CUDA where GPU_PLATFORM does not say otherwise"
    help_text = "a ROCm elsewhere is chosen by CMAKE_HIP_COMPILER and ROCM_PATH"
    told.append(SETTING_DROPPED.at(source.path, message, help_text, line=line, column=column))
    return None


def _edit(
    source: SourceFile, mode: Mode, definition: _Definition, new: tuple[str, str] | None
) -> Edit | None:
    text, (start, end) = source.text, definition.whole
    if new is None:
        return None if mode is Mode.COMPAT else _removal(text, start, end)
    name, value = new
    (a, b), (c, d) = definition.named, definition.valued
    made = text[start:a] + name + text[b:c] + value + text[d:end]
    if mode is Mode.RENAME:
        return Edit(start, end, made)
    line = text.rfind("\n", 0, start) + 1
    alone = not text[line:start].strip()
    is_key = not source.path.endswith(".json") and not text.startswith('"-D', start)
    comma = "" if alone and is_key else ","
    gap = f"{source.newline}{text[line:start]}" if alone else " "
    return Edit(start, start, f"{made}{comma}{gap}")


def _removal(text: str, start: int, end: int) -> Edit:
    """Return the edit that takes an element out, with its comma, and its line where it is alone."""
    after = re.compile(r"[ \t]*,?[ \t]*").match(text, end)
    stop = after.end() if after else end
    has_comma = "," in text[end:stop]
    line = text.rfind("\n", 0, start) + 1
    newline = re.compile(r"\r?\n").match(text, stop)
    if not text[line:start].strip() and newline:
        start, stop = line, newline.end()
    if not has_comma and (before := re.search(r",\s*$", text[:start])):
        gap = text[before.start() + 1 : start]
        return Edit(before.start(), stop, gap if "\n" in gap else "")
    return Edit(start, stop, "")
