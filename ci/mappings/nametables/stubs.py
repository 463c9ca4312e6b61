"""Read AMD's Cython stubs (.pxd): what an API declares, and which CUDA names alias it."""

from __future__ import annotations

import re

from nametables.declarations import Declaration

_EXTERN = re.compile(r'cdef extern from "([^"]+)"')
_TAGGED = re.compile(r"(?:cdef|ctypedef) (enum|struct|union) ?(\w*):")
_FUNCTION = re.compile(r"cdef [\w ]*?[\w*]?[ *]*\b(\w+)\((.*)\)(?: (?:except|noexcept|nogil).*)?$")
_POINTER = re.compile(r"\( ?\* ?(\w+)\)\(")
_CONSTANT = re.compile(r"cdef (?:const )?[\w ]+?(?:\* ?)*\b(\w+)$")
_ALIAS = re.compile(r"ctypedef .*?\b(\w+)(?:\[[^\]]*\])?$")
_ANONYMOUS = re.compile(r"_(?:union|struct)_\d+.*$")
_IMPORTED = re.compile(r"from (\S+) cimport (\w+) as (\w+)")


def declarations(text: str) -> list[tuple[Declaration, str]]:
    """Return what a .pxd declares, each with the C header the stub names for it."""
    found: list[tuple[Declaration, str]] = []
    header = ""
    tag = ("", "", -1)
    for line in text.splitlines():
        body = line.split("#")[0].strip()
        indent = len(line) - len(line.lstrip())
        if not body:
            continue
        extern = _EXTERN.match(body)
        if extern:
            header, tag = extern.group(1), ("", "", -1)
            continue
        if tag[0] and indent > tag[2]:
            member = _member(body, tag[0], tag[1])
            found += [(member, header)] if member else []
            continue
        tag = ("", "", -1)
        tagged = _TAGGED.match(body)
        if tagged:
            name = _ANONYMOUS.sub("", tagged.group(2))
            tag = (tagged.group(1), name, indent)
            if name:
                found.append((Declaration(name, "type"), header))
            continue
        plain = _plain(body)
        found += [(plain, header)] if plain else []
    return found


def aliases(text: str) -> list[tuple[str, str]]:
    """Return (CUDA name, HIP name) for each `from x cimport HIP as CUDA` of an interop stub."""
    pairs = (_IMPORTED.match(line) for line in text.splitlines())
    return [(match.group(3), match.group(2)) for match in pairs if match]


def _member(body: str, kind: str, owner: str) -> Declaration | None:
    if body == "pass":
        return None
    if kind == "enum":
        return Declaration(body.partition("=")[0].strip(), "enumerator", owner)
    pointer = _POINTER.search(body)
    name = pointer.group(1) if pointer else re.sub(r"\[[^\]]*\]", "", body).split()[-1].lstrip("*")
    return Declaration(name, "field", owner)


def _plain(body: str) -> Declaration | None:
    """Return what a line outside of enum, struct and union bodies declares."""
    if body.startswith("ctypedef"):
        pointer = _POINTER.search(body)
        alias = pointer or _ALIAS.match(body)
        return Declaration(alias.group(1), "type") if alias else None
    function = _FUNCTION.match(body)
    if function:
        return Declaration(function.group(1), "function", "", (_parameters(function.group(2)),))
    constant = _CONSTANT.match(body)
    return Declaration(constant.group(1), "macro") if constant else None


def _parameters(inside: str) -> int:
    if not inside.strip():
        return 0
    depth = 0
    count = 1
    for char in inside:
        depth += (char in "([") - (char in ")]")
        count += char == "," and depth == 0
    return count
