"""Write the gpu_build.rs of a tree: the detection rule for build scripts, from the one table."""

import re
import textwrap
from collections.abc import Iterable
from importlib import resources

from porting.headers.rust import CFG
from porting.toolkits import platforms
from porting.toolkits.platforms import CHOICES, PLATFORMS, SELECTOR, Platform, Question

NAME = "gpu_build.rs"
# What the answer depends on, and the compiler that scripts take: cargo asks again when one changes.
WATCHED = (SELECTOR, *(v for p in PLATFORMS for v in p.variables), "PATH", "HIPCC")


def gpu_build(banner: str) -> str:
    """Return the file's text below its banner."""
    text = resources.files("porting.buildfiles.cargo").joinpath("gpu_build.rs.in").read_text()
    messages = {
        "UNKNOWN_CHOICE": (platforms.UNKNOWN_CHOICE, {"value": "asked"}),
        "BOTH_FOUND": (platforms.BOTH_FOUND, {}),
        "NOT_FOUND": (platforms.NOT_FOUND, {}),
        "TOO_OLD": (platforms.TOO_OLD, {}),
        "NO_FOLDER": (platforms.NO_FOLDER, {}),
        "INCOMPLETE": (platforms.INCOMPLETE, {}),
        "SAYS": (platforms.SAYS, {"said": "line"}),
        "NO_END": (platforms.NO_END, {"seconds": "patience"}),
        "NO_ANSWER": (platforms.NO_ANSWER, {}),
        "NO_WORDS": (platforms.NO_WORDS, {}),
        "NO_HOME_THERE": (platforms.NO_HOME_THERE, {}),
        "SILENT": (platforms.SILENT, {}),
        "SILENT_HELP": (platforms.SILENT_HELP, {}),
    }
    for name, (message, renamed) in messages.items():
        text = _formatted(text, name, message, renamed)
    text = (
        text.replace("@CFG@", CFG).replace("@SELECTOR@", SELECTOR).replace("@PLATFORMS@", _table())
    )
    text = text.replace("@MOST_WORDS@", str(platforms.MOST_WORDS))
    text = text.replace("@WATCHED@", _texts(WATCHED).removeprefix("&"))
    return banner + text


def _formatted(text: str, name: str, message: str, renamed: dict[str, str]) -> str:
    """Put a message where a format macro takes it, broken where rustfmt breaks it."""
    filled = message.replace("{selector}", SELECTOR).replace("{choices}", ", ".join(CHOICES))
    filled = re.sub(r"\{(\w+)\}", lambda m: "{" + renamed.get(m[1], m[1]) + "}", filled)
    return text.replace(f"@{name}@", f'"{filled}"')


def _table() -> str:
    return "    const PLATFORMS: &[Platform] = &[\n" + "".join(map(_row, PLATFORMS)) + "    ];"


def _row(platform: Platform) -> str:
    lines = [
        f'name: "{platform.name}"',
        f'title: "{platform.title}"',
        f"variables: {_texts(platform.variables)}",
        f'compiler: "{platform.compiler}"',
        f"defaults: {_texts(platform.defaults)}",
        f"headers: {_texts(platform.headers)}",
        f"libraries: {_texts(platform.libraries)}",
        f"questions: {_questions(platform)}",
        f"patience: {platform.patience:g}",
        f"oldest: ({platform.oldest[0]}, {platform.oldest[1]})",
    ]
    body = "".join(f"            {line},\n" for line in lines)
    return f"        Platform {{\n{body}        }},\n"


def _questions(platform: Platform) -> str:
    """Return the rows of an array, one of them on the lines of its brackets, as rustfmt has it."""
    rows = [_question(question) for question in platform.questions]
    pad = " " * 12
    if len(rows) == 1:
        return f"&[{textwrap.indent(rows[0], pad).lstrip()}]"
    inner = textwrap.indent("".join(f"{row},\n" for row in rows), f"{pad}    ")
    return f"&[\n{inner}{pad}]"


def _question(question: Question) -> str:
    lines = (
        f'program: "{question.program}"',
        f"arguments: {_texts(question.arguments)}",
        f"prefixes: {_texts(question.prefixes)}",
    )
    return "Question {\n" + "".join(f"    {line},\n" for line in lines) + "}"


def _texts(items: Iterable[str]) -> str:
    quoted = [f'"{item}"' for item in items]
    flat = f"&[{', '.join(quoted)}]"
    if len(flat) <= 60:  # noqa: PLR2004 - rustfmt's width of an array
        return flat
    return "&[\n" + "".join(f"                {item},\n" for item in quoted) + "            ]"
