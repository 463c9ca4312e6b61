"""Write gpu_detect.sh of a tree: the detection rule for Make and Meson, from the one table."""

import re
from collections.abc import Iterable
from importlib import resources

from porting.buildfiles.model import BuildContext
from porting.toolkits import platforms
from porting.toolkits.platforms import CHOICES, PLATFORMS, SELECTOR, Platform, Question

NAME = "gpu_detect.sh"


def gpu_detect(context: BuildContext) -> str:
    """Return the script's text: the same for each build system that calls it."""
    banner = context.banner(("the places and messages of porting.toolkits.platforms",))
    text = resources.files("porting.buildfiles.shell").joinpath("gpu_detect.sh.in").read_text()
    filled = {
        "UNKNOWN_CHOICE": _message(platforms.UNKNOWN_CHOICE, value="$asked"),
        "BOTH_FOUND": _message(platforms.BOTH_FOUND, rocm="$rocm", cuda="$cuda"),
        "NO_FOLDER": _message(platforms.NO_FOLDER, path="$2"),
        "SAYS": _quoted(platforms.SAYS, command="$shown", said="$line"),
        "NO_END": _quoted(platforms.NO_END, command="$shown", seconds="$patience"),
        "NO_ANSWER": _quoted(platforms.NO_ANSWER, command="$shown", code="$code", words="$words"),
        "NO_WORDS": platforms.NO_WORDS,
        "MOST_WORDS": str(platforms.MOST_WORDS),
        "NO_HOME_THERE": platforms.NO_HOME_THERE,
        "INCOMPLETE": _message(platforms.INCOMPLETE, path="$2", missing="$missing"),
        "PLATFORMS": "\n".join(map(_platform, PLATFORMS)),
        "CHOICES": "|".join(CHOICES),
        "SELECTOR": SELECTOR,
    }
    for name, value in filled.items():
        text = text.replace(f"@{name}@", value)
    return f"#!/bin/sh\n{banner}{text}"


def _message(message: str, **values: str) -> str:
    known = {"selector": SELECTOR, "choices": ", ".join(CHOICES), **values}
    return re.sub(r"\{(\w+)\}", lambda match: known[match[1]], message)


def _quoted(message: str, **values: str) -> str:
    """Return a message whose back quotes the shell leaves alone."""
    return _message(message, **values).replace("`", r"\`")


def _platform(platform: Platform) -> str:
    """Return the functions of one platform: its places, what makes one usable, its error."""
    name = platform.name
    places = [f'consider {name} {v} "${{{v}-}}"' for v in platform.variables]
    places.append(f"consider_compiler {name} {platform.compiler}")
    places += [f"consider {name} {path} {path}" for path in platform.defaults]
    unset = [f'[ -n "${{{v}-}}" ] || note "{v} is not set"' for v in platform.variables]
    error = _message(
        platforms.NOT_FOUND,
        value=name,
        title=platform.title,
        looked="$looked",
        variable=platform.variables[0],
    )
    asked = f"patience={platform.patience:g}"
    checks = [
        f'has "$1" {_words(platform.headers)} || lack {platform.headers[0]}',
        f'has "$1" {_words(platform.libraries)} || lack {platform.libraries[0]}',
    ]
    blocks = (
        _function(f"places_of_{name}", places),
        _function(f"contents_of_{name}", checks),
        _function(f"version_of_{name}", _version(platform)),
        _function(f"questions_of_{name}", [asked, *map(_question, platform.questions)]),
        _function(f"refuse_{name}", [*unset, f'stop "{error}"']),
        _function(f"refuse_compiler_of_{name}", [f'stop "{_silent(platform)}"']),
    )
    return "\n".join(blocks)


def _question(question: Question) -> str:
    """Return the call that asks a program, with its arguments as one word."""
    prefixes = _words(f"'{prefix}'" for prefix in question.prefixes)
    return f"question {question.program} '{_words(question.arguments)}' {prefixes}"


def _silent(platform: Platform) -> str:
    variable = platform.variables[0]
    help_ = _message(platforms.SILENT_HELP, variable=variable, program="$compiler")
    values = {"program": "$compiler", "title": platform.title, "reason": "$fault"}
    return _message(platforms.SILENT, **values, help=help_)


def _words(items: Iterable[str]) -> str:
    return " ".join(items)


def _function(name: str, lines: Iterable[str]) -> str:
    body = "".join(f"  {line}\n" for line in lines)
    return f"{name}() {{\n{body}}}\n"


def _version(platform: Platform) -> list[str]:
    """Return the check of a folder's version; none where every version will do."""
    if platform.oldest == (0, 0):
        return [":"]
    message = _message(
        platforms.TOO_OLD,
        name=platform.name,
        version="$version",
        path="$1",
        oldest=".".join(map(str, platform.oldest)),
        variable=platform.variables[0],
    )
    (info, _), (header, _) = platform.version_files
    major, minor = platform.oldest
    return [
        f'version=$(numbers "$1/{info}")',
        f'[ -n "$version" ] || version=$(macros "$1/{header}")',
        f'older "$version" {major} {minor} && echo "{message}"',
    ]
