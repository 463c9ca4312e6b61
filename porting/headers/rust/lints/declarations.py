"""What a crate writes by hand about CUDA: structs, constants, signatures, its own functions."""

from collections.abc import Iterator
from typing import Final

from porting.diagnostics import Diagnostic
from porting.headers.rust.api import mentioned
from porting.headers.rust.codes import OTHER_NUMBER, OWN_LAYOUT, OWN_SIGNATURE, RAW_NUMBERS
from porting.headers.rust.crates import RustFile
from porting.headers.rust.items import Constant, Function, Record
from porting.headers.rust.lexer import number_value
from porting.headers.rust.numbers import differing_fields, numbers
from porting.headers.rust.shapes import Form, Shapes
from porting.headers.rust.uses import Uses

# The folder of the generated files is the tree's, so how far up it is depends on the crate.
_TAKE: Final = (
    "take the type and its constants from the generated module where cfg(gpu_rocm) holds:"
    ' #[cfg(gpu_rocm)] #[path = "../eclosion/rocm_compat.rs"] mod rocm_compat; then'
    " #[cfg(gpu_rocm)] use rocm_compat::{name}; and #[cfg(not(gpu_rocm))] before this one"
)


def check_declarations(uses: Uses, shapes: Shapes) -> Iterator[Diagnostic]:
    """Yield findings at hand-written declarations that HIP, or CUDA itself, has otherwise."""
    if not uses.declared:
        return
    for file in uses.crate.files:
        for record in file.items.records:
            if not _is_left_out(record, uses):
                yield from _record(file, record, shapes)
        for constant in file.items.constants:
            yield from _constant(file, constant, shapes)
        for block in file.items.blocks:
            for function in block.functions:
                yield from _function(file, function, uses, shapes)


def _is_left_out(record: Record, uses: Uses) -> bool:
    """Whether ROCm builds have the generated module's type instead of a hand-written one."""
    if not uses.crate.takes_generated:
        return False
    has_condition = any(attribute.name == "cfg" for attribute in record.attributes)
    return record.name.name in uses.taken or ("*" in uses.taken and has_condition)


def _record(file: RustFile, record: Record, shapes: Shapes) -> Iterator[Diagnostic]:
    name = record.name.name
    shape = shapes.get(name)
    if shape is None or shape.form is Form.PLAIN or shapes.names.get(name) is None:
        return
    numbered = differing_fields(shapes, name)
    if shape.form is Form.DIFFERENT:
        ours = shapes.cuda.records[shapes.cuda.end(name)].size
        theirs = shapes.hip.records[shapes.hip.end(shape.hip)].size
        why = f"{ours} bytes in CUDA, {theirs} in HIP" if ours != theirs else "other fields"
        message = f"{name} is laid out otherwise in HIP ({shape.hip}: {why})"
    elif numbered:
        message = f"{', '.join(numbered)} of {name} has other numbers in HIP, and is not translated"
    else:
        return
    yield OWN_LAYOUT.at(
        file.path,
        message,
        _TAKE.format(name=name),
        line=record.name.line,
        column=record.name.column,
        symbol=name,
    )


def _constant(file: RustFile, constant: Constant, shapes: Shapes) -> Iterator[Diagnostic]:
    """Compare a hand-written number with CUDA's, and a flag's with HIP's: flags are handed on."""
    name = constant.name.name
    given = number_value(constant.value[0]) if len(constant.value) == 1 else None
    cuda = shapes.cuda.value(name)
    if given is None or cuda is None:
        return
    record = shapes.names.get(name)
    hip = shapes.hip.value(record.target) if record and record.target else None
    is_flag = name not in shapes.cuda.enum_of
    if given != cuda:
        message = f"{name} is {cuda} in CUDA's headers, not {given}"
    elif is_flag and hip is not None and hip != given:
        message = f"{name} is {given} in CUDA and {hip} in HIP, and is handed on as it is"
    else:
        return
    yield OTHER_NUMBER.at(
        file.path,
        message,
        "take the constant from the headers or from rocm_compat",
        line=constant.name.line,
        column=constant.name.column,
        symbol=name,
    )


def _function(
    file: RustFile, function: Function, uses: Uses, shapes: Shapes
) -> Iterator[Diagnostic]:
    name = function.symbol
    declared = shapes.cuda.function_name(name) if name in uses.declared else None
    where = {"line": function.name.line, "column": function.name.column}
    if declared is not None:
        wanted = len(shapes.cuda.functions[declared].parameters)
        if wanted != len(function.parameters):
            yield OWN_SIGNATURE.at(
                file.path,
                f"{name} has {len(function.parameters)} parameters here and {wanted} in CUDA",
                "write the declaration as the headers have it",
                symbol=name,
                **where,
            )
    elif name not in uses.declared:
        kinds = [function.result, *(p.type for p in function.parameters)]
        words = {word for kind in kinds for word in mentioned(kind)}
        for word in sorted(words):
            yield from _raw(file, name, word, shapes, where)


def _raw(
    file: RustFile, function: str, word: str, shapes: Shapes, where: dict[str, int]
) -> Iterator[Diagnostic]:
    enum = shapes.cuda.end(word)
    if enum in shapes.cuda.enums and not numbers(shapes, enum).same:
        yield RAW_NUMBERS.at(
            file.path,
            f"{function} is a function of your own that passes a {word}: HIP's numbers, in a ROCm"
            " build",
            "pass a number of your own, or take the constants from rocm_compat",
            symbol=word,
            **where,
        )
