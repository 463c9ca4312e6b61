"""C text laid out as clang-format's Google style lays it out: 80 columns, 2 spaces."""

import textwrap
from collections.abc import Sequence
from typing import Final

WIDTH: Final = 80
_CONTINUED: Final = 4
_DECLARED: Final = 2  # lines that a declaration may take more, so that its parameters align


def comment(text: str) -> str:
    """Return a text as // lines."""
    return "".join(f"// {line}\n" for line in textwrap.wrap(text, WIDTH - len("// ")))


def define(name: str, value: str) -> str:
    """Return a macro; a long one goes on in a second line."""
    line = f"#define {name} {value}".rstrip()
    if len(line) <= WIDTH:
        return f"{line}\n"
    return f"#define {name} \\\n  {value}\n"


def listed(before: str, items: Sequence[str], after: str, indent: int, patience: int = 0) -> str:
    """Return `before` + the items with commas + `after`, broken where a line is full.

    Items stand in a column behind `before`; in lines of their own, indented by four from `indent`,
    where they do not fit there or that saves more than `patience` lines.
    """
    one = f"{before}{', '.join(items)}{after}"
    if len(one) <= WIDTH or not items:
        return one
    column = len(before)
    aligned = _packed(items, after, column)
    apart = _packed(items, after, indent + _CONTINUED)
    saved = (aligned or "").count("\n") - (apart or "").count("\n") - 1
    if aligned is not None and (apart is None or saved <= patience):
        return before + aligned
    return one if apart is None else f"{before}\n{' ' * (indent + _CONTINUED)}{apart}"


def _packed(items: Sequence[str], after: str, column: int) -> str | None:
    """Return the items in lines that start at a column; None when one is wider than a line."""
    lines = [""]
    for number, item in enumerate(items):
        is_last = number == len(items) - 1
        text = item + (after if is_last else ",")
        if column + len(text) > WIDTH:
            return None
        joined = f"{lines[-1]} {text}" if lines[-1] else text
        if column + len(joined) <= WIDTH:
            lines[-1] = joined
        else:
            lines.append(text)
    return f"\n{' ' * column}".join(lines)


def function(head: str, parameters: Sequence[str], body: Sequence[str], template: str = "") -> str:
    """Return a function; `head` is all in front of the parameter list.

    `body`: statements, each laid out already for an indent of two.  A body of one statement stands
    behind the head where there is room.
    """
    lead = listed("template <", template.split(", "), ">\n", 0) if template else ""
    shown = ", ".join(parameters)
    if len(body) == 1 and "\n" not in body[0]:
        line = f"{head}({shown}) {{ {body[0].strip()} }}"
        if len(line) <= WIDTH:
            return f"{lead}{line}\n"
    opening = listed(f"{head}(", parameters, ") {", 0, _DECLARED)
    return lead + opening + "\n" + "".join(f"{line}\n" for line in body) + "}\n"


def call(before: str, callee: str, arguments: Sequence[str], indent: int = 2) -> str:
    """Return the statement `before callee(arguments);` at an indent."""
    return listed(f"{' ' * indent}{before}{callee}(", arguments, ");", indent)
