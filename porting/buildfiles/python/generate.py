"""Write the gpu_build.py of a tree: the modules of `script` with their tables as literals."""

import ast
import pprint
import re
import textwrap
from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Any

from porting.buildfiles.python.script import tables

NAME = "gpu_build.py"
_PACKAGE = "porting.buildfiles.python.script"
_PARTS = ("detection", "platform", "options", "extensions")
# Options that a list of flags may hold although no string of the script is their name alone.
_ALWAYS = ("-x", "-gencode", "--generate-code", "-arch", "--gpu-architecture", "-Xcompiler")
_WIDTH = 100


def gpu_build(about: str, changed: Mapping[str, Any], texts: Iterable[str]) -> str:
    """Return the module's text.

    `about`: the generator and its inputs, one paragraph.  `changed`: tables of this tree in place
    of the default ones.  `texts`: the scripts that use it; options that none of them names are left
    out.
    """
    modules = [ast.parse(_text(part)) for part in _PARTS]
    values = {**_table_names(modules), **changed}
    values["OPTIONS"] = _named(values["OPTIONS"], "\n".join(texts))
    head = [
        '"""Flags, libraries and folders of the GPU platform, for the build scripts of this tree.'
    ]
    head += ["", about, '"""', "", "from __future__ import annotations", "", *_imports(modules)]
    head += ["", ""]
    literals = [f"{name} = {_literal(value, len(name) + 3)}" for name, value in values.items()]
    bodies = [_body(part, module) for part, module in zip(_PARTS, modules, strict=True)]
    return "\n".join(head) + "\n".join(literals) + "\n\n\n" + "\n\n\n".join(bodies) + "\n"


def _text(part: str) -> str:
    return resources.files(_PACKAGE).joinpath(f"{part}.py").read_text("utf-8")


def _table_names(modules: Iterable[ast.Module]) -> dict[str, Any]:
    """Return the tables that the modules import, in the order in which `tables` has them."""
    wanted = {
        alias.name
        for module in modules
        for node in module.body
        if isinstance(node, ast.ImportFrom) and node.module == f"{_PACKAGE}.tables"
        for alias in node.names
    }
    return {name: value for name, value in vars(tables).items() if name in wanted}


def _named(options: Mapping[str, Any], text: str) -> dict[str, Any]:
    """Return the options that stand in a text as a word of their own, or begin one."""
    words = set(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", text))
    short = {word[:2] for word in words}
    return {n: rows for n, rows in options.items() if n in words or n in _ALWAYS or n in short}


def _imports(modules: Iterable[ast.Module]) -> list[str]:
    plain: set[str] = set()
    names: dict[str, set[str]] = {}
    for module in modules:
        for node in module.body:
            if isinstance(node, ast.Import):
                plain |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not _is_internal(node.module):
                names.setdefault(str(node.module), set()).update(a.name for a in node.names)
    names.pop("__future__", None)
    froms = (f"from {name} import {', '.join(sorted(what))}" for name, what in names.items())
    return [*(f"import {name}" for name in sorted(plain)), *sorted(froms)]


def _is_internal(module: str | None) -> bool:
    return str(module).startswith(_PACKAGE)


def _body(part: str, module: ast.Module) -> str:
    """Return a module's text after its imports."""
    lines = _text(part).splitlines()
    last = max(
        n.end_lineno or 0 for n in module.body if isinstance(n, (ast.Import, ast.ImportFrom))
    )
    return "\n".join(lines[last:]).strip()


def _literal(value: object, indent: int) -> str:
    """Return a value as the formatter of ruff writes it."""
    flat = _flat(value)
    return flat if len(flat) + indent <= _WIDTH else _spread(value, 0)


def _flat(value: object) -> str:
    match value:
        case str():
            return _quoted(value)
        case tuple():
            inner = ", ".join(map(_flat, value))
            return f"({inner},)" if len(value) == 1 else f"({inner})"
        case dict():
            return "{" + ", ".join(f"{_flat(k)}: {_flat(v)}" for k, v in value.items()) + "}"
        case _:
            return pprint.pformat(value)


def _quoted(text: str) -> str:
    single = repr(text)
    return single if '"' in text or single[0] == '"' else f'"{single[1:-1]}"'


def _spread(value: object, depth: int) -> str:
    """Return a value with an item per line where it does not fit on one."""
    pad = "    " * (depth + 1)
    match value:
        case dict():
            items = [(f"{_flat(key)}: ", item) for key, item in value.items()]
            opening, closing = "{", "}"
        case tuple():
            items = [("", item) for item in value]
            opening, closing = "(", ")"
        case str():
            return _broken(value, pad) if len(value) > _WIDTH and "|" not in value else _flat(value)
        case _:
            return _flat(value)
    lines = []
    for prefix, item in items:
        flat = _flat(item)
        fits = len(pad) + len(prefix) + len(flat) + 1 <= _WIDTH
        lines.append(f"{pad}{prefix}{flat if fits else _spread(item, depth + 1)},")
    return "\n".join([opening, *lines, "    " * depth + closing])


def _broken(text: str, pad: str) -> str:
    """Return a long sentence as pieces that fit, in parentheses."""
    pieces = textwrap.wrap(text, _WIDTH - len(pad) - 2, drop_whitespace=False)
    return "\n".join(["(", *(f"{pad}{_quoted(piece)}" for piece in pieces), pad[4:] + ")"])
