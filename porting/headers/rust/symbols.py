"""The generated file of symbols: what the linker finds for the CUDA functions a crate declares."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from porting.headers.rust.api import PRIMITIVES, Signature
from porting.headers.rust.conversions import Canonical
from porting.headers.rust.formatting import WIDTH, call, imports, let, signature
from porting.headers.rust.module import undeclared
from porting.headers.rust.numbers import NO_VALUE, Numbers, numbers
from porting.headers.rust.shapes import Shapes

_C_TYPES = frozenset((*PRIMITIVES.values(), "c_void", "usize", "bool"))


@dataclass
class Symbols:
    """Forwarders from CUDA's symbols to HIP's functions, which `targets` lists.

    `missing`: name -> why there is none.  `same`: functions that libraries of ROCm's have under
    these names too.
    """

    shapes: Shapes
    missing: dict[str, str] = field(default_factory=dict)
    functions: dict[str, str] = field(default_factory=dict)
    targets: set[str] = field(default_factory=set)
    same: set[str] = field(default_factory=set)
    translations: dict[tuple[str, str], Numbers] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Compare types as C does: an enumeration is an integer."""
        self.canonical = Canonical(self.shapes)

    def provide(self, names: Iterable[str]) -> None:
        """Take in functions.  One that has its own name in HIP too needs no forwarder."""
        for name in sorted(names):
            record = self.shapes.names.get(name)
            if record is None or record.kind != "function":
                continue
            if record.target == name:
                self.same.add(name)
                continue
            if record.target is None:
                self.missing[name] = record.reason or "HIP has no counterpart"
                continue
            declared = self.shapes.cuda.function_name(name)
            target = self.shapes.hip.function_name(record.target)
            text = self._forwarder(name, declared, target) if declared and target else None
            if not declared or not target:
                self.missing[name] = undeclared(record)
            elif text is None:
                self.missing[name] = record.reason or f"{record.target} takes other arguments"
            else:
                self.functions[name] = text
                self.targets.add(target or "")

    def _forwarder(self, name: str, declared: str, target: str) -> str | None:
        ours = self.shapes.cuda.functions[declared]
        theirs = self.shapes.hip.functions[target]
        if len(ours.parameters) != len(theirs.parameters):
            return None
        inputs: list[str] = []
        arguments: list[str] = []
        after: list[str] = []
        for (own, mine), (_, other) in zip(ours.parameters, theirs.parameters, strict=True):
            shown = self._shown(mine)
            value = self._argument(own, mine, other)
            if shown is None or value is None:
                return None
            inputs.append(f"{own}: {shown}")
            arguments.append(value)
            after += self._written_back(own, mine)
        result = self._shown(ours.result) if ours.result else ""
        if result is None:
            return None
        lines = _body(f"hip_sys::{target}", arguments, after, self._result(ours, theirs))
        inputs = [re.sub(r"\bi8$", "c_char", one) for one in inputs]  # its sign is the target's
        result = re.sub(r"\bi8$", "c_char", result)
        head = signature(f'pub unsafe extern "C" fn {name}', inputs, result, " {", 0)
        return "\n".join(["#[no_mangle]", head, *lines, "}"])

    def _shown(self, kind: str) -> str | None:
        """Write a type for the C interface: what HIP cannot name is c_void behind a pointer."""
        if self.shapes.cuda.end(kind) in self.shapes.cuda.enums:
            return self.shapes.cuda.canonical(kind)
        text = self.canonical.cuda(kind)
        if text.startswith("*"):
            pointers = re.match(r"(?:\*(?:const|mut) )+", text)
            depth = pointers[0] if pointers else ""
            inner = text.removeprefix(depth)
            return f"{depth}{inner if inner in _C_TYPES else 'c_void'}"
        if text in _C_TYPES:
            return text
        if text.startswith("Option<"):
            return 'Option<unsafe extern "C" fn()>'
        return f"hip_sys::{text}" if text in self.shapes.hip.records else None

    def _argument(self, own: str, mine: str, other: str) -> str | None:
        enum = self.shapes.cuda.end(mine)
        if enum in self.shapes.cuda.enums and self._translates(enum, "to_hip"):
            return f"{enum}_to_hip({own})"
        have, want = self._shown(mine), self.shapes.hip.canonical(other)
        if have is None:
            return None
        if have.startswith("Option<"):
            return f"std::mem::transmute({own})" if want.startswith("Option<") else None
        same = have.removeprefix("hip_sys::") == want
        return own if same else self.canonical.convert(own, have, want)

    def _translates(self, enum: str, way: str) -> bool:
        """Whether an enumeration's numbers change on a way; it is then remembered."""
        found = numbers(self.shapes, enum)
        if found.to_hip if way == "to_hip" else found.to_cuda:
            self.translations[enum, way] = found
            return True
        return False

    def _written_back(self, own: str, mine: str) -> Iterator[str]:
        """Translate what HIP writes through a pointer to an enumeration."""
        enum = self.shapes.cuda.end(mine.removeprefix("*mut "))
        if not mine.startswith("*mut ") or enum not in self.shapes.cuda.enums:
            return
        if self._translates(enum, "from_hip"):
            yield f"    if !{own}.is_null() {{"
            found = self.translations[enum, "from_hip"]
            cast = "" if found.cuda_type == found.hip_type else " as _"
            yield f"        *{own} = {enum}_from_hip(*{own}){cast};"
            yield "    }"

    def _result(self, ours: Signature, theirs: Signature) -> str:
        """Return what becomes of `result`; empty for a function without one."""
        if not ours.result:
            return ""
        enum = self.shapes.cuda.end(ours.result)
        if enum in self.shapes.cuda.enums and self._translates(enum, "from_hip"):
            return f"{enum}_from_hip(result)"
        have, want = self.shapes.hip.canonical(theirs.result), self._shown(ours.result) or ""
        return (
            "result" if have == want else self.canonical.convert("result", have, want) or "result"
        )

    def text(self) -> str:
        """Return the file without its head."""
        if not self.functions:
            return "// ROCm's libraries have the declared functions under their own names.\n"
        parts = ["#![allow(non_snake_case)]", '#[path = "rocm_compat.rs"]\nmod rocm_compat;']
        text = "\n".join(self.functions.values())
        words = [word for word in ("c_char", "c_void") if word in text]
        uses = ["use rocm_compat::hip_sys;"]
        uses += [imports("std::os::raw", words, 0)] if words else []
        parts.append("\n".join(uses))
        parts += (_translation(e, way, n) for (e, way), n in sorted(self.translations.items()))
        parts += (text for _, text in sorted(self.functions.items()))
        return "\n\n".join(parts) + "\n"


def _body(function: str, arguments: list[str], after: list[str], back: str) -> list[str]:
    if back in ("", "result") and not after:
        end = "" if back else ";"
        return f"    {call(function, arguments, 4, len(end))}{end}".split("\n")
    return [*let("result", function, arguments, 4).split("\n"), *after, f"    {back}"]


def _translation(enum: str, way: str, found: Numbers) -> str:
    """Write the function that translates an enumeration's numbers."""
    kinds = (found.cuda_type, found.hip_type)
    table, side = found.to_hip, "HIP's number for CUDA's"
    if way == "from_hip":
        table, side, kinds = found.to_cuda, "CUDA's number for HIP's", kinds[::-1]
    arms: dict[int | None, list[int]] = {}
    for have, want in table.items():
        arms.setdefault(want, []).append(have)
    head = f"fn {enum}_{way}(value: {kinds[0]}) -> {kinds[1]} {{"
    lines = [f"/// {side}: `{enum}`.", head, "    match value {"]
    for want, haves in sorted(arms.items(), key=lambda arm: arm[1][0]):
        lines += _arm(haves, f"{kinds[1]}::MAX" if want is NO_VALUE else str(want))
    rest = "other" if kinds[0] == kinds[1] else "other as _"
    return "\n".join([*lines, f"        other => {rest},", "    }", "}"])


def _arm(haves: list[int], want: str) -> Iterator[str]:
    """Write one arm of a match, a range as a range."""
    runs: list[list[int]] = []
    for have in haves:
        if runs and have == runs[-1][-1] + 1:
            runs[-1].append(have)
        else:
            runs.append([have])
    shown = [str(r[0]) if len(r) == 1 else f"{r[0]}..={r[-1]}" for r in runs]
    line = f"        {' | '.join(shown)} => {want},"
    yield line if len(line) <= WIDTH else f"        {f'{chr(10)}        | '.join(shown)} => {want},"
