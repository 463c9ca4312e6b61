"""Rust text as rustfmt would leave it, for the few forms that the generated files have."""

import re
from collections.abc import Callable, Sequence

from porting.headers.rust.spelling import split_text

WIDTH = 100
# rustfmt's limit for the arguments of one call on one line (use_small_heuristics = Default).
_CALL_WIDTH = 60
_SHORT = 10  # arguments that are no longer share lines
_CALLBACK = re.compile(r'(?P<head>unsafe extern "C" fn)\((?P<inside>.*)\)(?P<result>(?: -> .+)?)')


def statement(head: str, value: str, indent: int) -> str:
    """Write `head = value;`, broken after the `=` where it is too long."""
    pad = " " * indent
    line = f"{pad}{head} = {value};"
    if len(line) <= WIDTH:
        return line
    if value.startswith("Option<"):
        return f"{pad}{head} = {optional(value, indent)};"
    name, _, kind = head.partition(": ")
    if len(pad) + len(head) + 2 <= WIDTH or not kind:
        return f"{pad}{head} =\n{pad}    {value};"
    rest = f"{pad}    {kind} = {value};"
    if len(rest) > WIDTH:
        rest = f"{pad}    {kind} =\n{pad}    {value};"
    return f"{pad}{name}:\n{rest}"


def member(name: str, kind: str, indent: int) -> str:
    """Write `pub name: kind,`."""
    pad = " " * indent
    line = f"{pad}pub {name}: {kind},"
    if len(line) <= WIDTH:
        return line
    if kind.startswith("Option<"):
        return f"{pad}pub {name}: {optional(kind, indent)},"
    return f"{pad}pub {name}:\n{pad}    {kind},"


def optional(kind: str, indent: int) -> str:
    """Write a long `Option<callback>` over several lines."""
    pad = " " * (indent + 4)
    inside = kind.removeprefix("Option<").removesuffix(">")
    match = _CALLBACK.fullmatch(inside)
    if match and len(pad) + len(inside) + 1 > WIDTH:
        parameters = split_text(match["inside"])
        inside = signature(match["head"], parameters, match["result"][4:], "", indent + 4).lstrip()
    return f"Option<\n{pad}{inside},\n{' ' * indent}>"


def signature(head: str, parameters: Sequence[str], result: str, tail: str, indent: int) -> str:
    """Write `head(parameters) -> result` and `tail`, a parameter a line where it is too long."""
    pad = " " * indent
    arrow = f" -> {result}" if result else ""
    line = f"{pad}{head}({', '.join(parameters)}){arrow}{tail}"
    room = WIDTH - 2 * (tail == ";")  # rustfmt leaves room for the brace of a body
    if len(line) <= room or not parameters:
        return line
    if len(line) <= WIDTH and arrow:
        return f"{pad}{head}({', '.join(parameters)})\n{pad}   {arrow}{tail}"
    inside = "".join(f"{pad}    {_parameter(p, indent + 4)},\n" for p in parameters)
    return f"{pad}{head}(\n{inside}{pad}){arrow}{tail}"


def _parameter(text: str, indent: int) -> str:
    name, _, kind = text.partition(": ")
    long = indent + len(text) + 1 > WIDTH and kind.startswith("Option<")
    return f"{name}: {optional(kind, indent)}" if long else text


def call(function: str, arguments: Sequence[str], indent: int, room: int = 0) -> str:
    """Write a call; `room`: what else stands on its line."""
    inside = ", ".join(arguments)
    if len(inside) <= _CALL_WIDTH and indent + room + len(function) + len(inside) + 2 <= WIDTH:
        return f"{function}({inside})"
    pad = " " * (indent + 4)
    if all(len(a) <= _SHORT and "(" not in a for a in arguments):
        return f"{function}(\n{_filled(arguments, indent + 4, WIDTH - 1)}\n{' ' * indent})"
    lines = "".join(f"{pad}{a},\n" for a in arguments)
    return f"{function}(\n{lines}{' ' * indent})"


def imports(path: str, names: Sequence[str], indent: int) -> str:
    """Write `use path::{names};`."""
    pad = " " * indent
    if len(names) == 1:
        return f"{pad}use {path}::{names[0]};"
    line = f"{pad}use {path}::{{{', '.join(names)}}};"
    return (
        line
        if len(line) <= WIDTH
        else f"{pad}use {path}::{{\n{_filled(names, indent + 4)}\n{pad}}};"
    )


def _filled(words: Sequence[str], indent: int, width: int = WIDTH) -> str:
    """Write words with commas, as many to a line as fit."""
    lines = [" " * indent]
    for word in words:
        gap = " " if lines[-1].strip() else ""
        if len(lines[-1]) + len(gap) + len(word) + 1 > width:
            lines.append(" " * indent)
            gap = ""
        lines[-1] += f"{gap}{word},"
    return "\n".join(lines)


def let(name: str, function: str, arguments: Sequence[str], indent: int) -> str:
    """Write `let name = function(arguments);`."""
    pad = " " * indent
    text = call(function, arguments, indent, len(f"let {name} = ;"))
    if "\n" in text:
        below = call(function, arguments, indent + 4, 1)
        text = f"\n{pad}    {below}" if "\n" not in below else f" {text}"
    else:
        text = f" {text}"
    return f"{pad}let {name} ={text};"


def ordering(edition: str) -> Callable[[str], tuple[object, ...]]:
    """Return the key by which rustfmt sorts the paths of an edition's `use` lines."""
    return _version_key if edition >= "2024" else lambda path: (path,)


def _version_key(path: str) -> tuple[object, ...]:
    """Digits count as numbers, from the style of the 2024 edition on."""
    parts = re.findall(r"\d+|\D", path)
    return tuple((0, int(p), p) if p.isdigit() else (1, 0, p) for p in parts)
