"""Write the declarations of a stub as a C header that C and C++ compilers accept."""

import re
from collections.abc import Mapping, Sequence

from porting.errors import ToolchainError
from porting.toolkits.stubs.complex_consts import with_consts
from porting.toolkits.stubs.libraries import Library
from porting.toolkits.stubs.pxd import (
    Constant,
    Declaration,
    Enum,
    Prototype,
    Record,
    Typedef,
)
from porting.toolkits.stubs.values import Value

_NOTICE = """\
/* Generated for {rocm} from {source}, {stub}.
 * Declarations for checking that code compiles, written from AMD's API stubs.  AMD's own header,
 * which comes with ROCm, has the last word. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
"""


def render(
    library: Library,
    declarations: Sequence[Declaration],
    values: Mapping[str, Value],
    rocm: str,
    source: str,
) -> str:
    """Return the text of a library's header.

    `values` holds the numbers and strings of enumerators and constants, which stubs do not carry.
    Raises ToolchainError when one is missing.
    """
    parts = [_NOTICE.format(rocm=f"ROCm {rocm}", source=source, stub=library.stub)]
    parts += [f"#include <{name}>" for name in library.includes]
    parts.append(library.before)
    parts.append('#ifdef __cplusplus\nextern "C" {\n#endif\n')
    parts += [
        _declaration(library, declaration, values)
        for declaration in with_consts(declarations)
        if _wanted(library, declaration)
    ]
    parts.append("\n#ifdef __cplusplus\n}\n#endif")
    parts += [library.after, _variant(library, declarations)]
    parts += _initializers(library, declarations)
    return "\n".join(part for part in parts if part) + "\n"


def _wanted(library: Library, declaration: Declaration) -> bool:
    """Whether a declaration is the library's own, not one that other headers have."""
    name = declaration.name
    if isinstance(declaration, Enum) and not name:
        name = declaration.members[0]
    return name not in library.skip and not name.startswith(("__", "FP_", "HIP_"))


def _declaration(library: Library, declaration: Declaration, values: Mapping[str, Value]) -> str:
    match declaration:
        case Constant(name):
            return f"#define {name} {_literal(_value(values, name))}"
        case Enum():
            return _enum(library, declaration, values)
        case Record(kind, name, fields):
            body = " {\n" + "".join(f"  {field};\n" for field in fields) + "}"
            opening = f"typedef {kind} {name} {name};"
            return f"{opening}\n{kind} {name}{body};" if fields else opening
        case Typedef(_, text):
            return f"typedef {text};"
        case Prototype(result, name, parameters):
            return f"{result} {name}({_parameters(library, name, parameters)});"


def _enum(library: Library, enum: Enum, values: Mapping[str, Value]) -> str:
    members = "".join(f"  {name} = {_value(values, name)},\n" for name in enum.members)
    if not enum.name:
        return f"enum {{\n{members}}};"
    text = f"typedef enum {enum.name} {{\n{members}}} {enum.name};"
    if guard := library.guards.get(enum.name):
        return f"#ifndef {guard}\n#define {guard}\n{text}\n#endif"
    return text


def _parameters(library: Library, function: str, parameters: str) -> str:
    for names, old, new in library.parameter_types:
        if re.fullmatch(names, function):
            parameters = re.sub(rf"\b{old}\b", new, parameters)
    return parameters or "void"


def _variant(library: Library, declarations: Sequence[Declaration]) -> str:
    if library.variant is None:
        return ""
    macro, suffix = library.variant
    names = {d.name for d in declarations if isinstance(d, Prototype)}
    other = {name: _with_suffix(name, suffix) for name in sorted(names)}
    defines = "".join(f"#define {old} {new}\n" for old, new in other.items() if new in names)
    return f"#ifdef {macro}\n{defines}#endif\n"


def _with_suffix(name: str, suffix: str) -> str:
    """Return the name of a function's other form; `_64` stays at the end."""
    stem = name.removesuffix("_64")
    return stem + suffix + name[len(stem) :]


def _initializers(library: Library, declarations: Sequence[Declaration]) -> list[str]:
    return [
        f"#define {macro} {{ {_initial_values(declaration, magic)} }}"
        for macro, (pattern, magic) in library.initializers.items()
        for declaration in declarations
        if isinstance(declaration, Record) and re.fullmatch(pattern, declaration.name)
    ]


def _initial_values(record: Record, magic: str) -> str:
    """Return the values of size, magic, version, then `undefined` for each further field."""
    undefined = [
        "NCCL_CONFIG_UNDEF_PTR"
        if "*" in field
        else "NCCL_UNDEF_FLOAT"
        if field.startswith("float ")
        else "NCCL_CONFIG_UNDEF_INT"
        for field in record.fields[3:]
    ]
    return ", ".join([f"sizeof(struct {record.name})", magic, "NCCL_VERSION_CODE", *undefined])


def _value(values: Mapping[str, Value], name: str) -> Value:
    try:
        return values[name]
    except KeyError:
        message = f"no value is known for {name}; regenerate data/stub_values_*.json"
        raise ToolchainError(message) from None


def _literal(value: Value) -> str:
    return f'"{value}"' if isinstance(value, str) else f"({value})"
