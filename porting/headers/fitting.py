"""What a call of a CUDA function becomes in HIP, told by the rules that rewrite such calls."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from porting.config import Target
from porting.diagnostics import Diagnostic, Severity
from porting.edits import Edit, EditSet, apply_edits
from porting.headers.prototypes import Parameter
from porting.mapping import Names
from porting.rules import RULES, Unit
from porting.rules.api.changes import DropNull, OnlyNull
from porting.rules.api.signatures import SIGNATURES
from porting.rules.handles.types import HANDLES
from porting.source import SourceFile

# Integer handles that stay integers under their CUDA names.  Texture and surface objects do not:
# device functions take them, and nobody calculates with them.
INTEGERS: Final = {
    name: hip
    for name, hip in HANDLES.items()
    if name.startswith(("CUdeviceptr", "CUmemGenericAllocationHandle"))
}
_STAND_IN: Final = "EclosionHandle"


@dataclass(frozen=True)
class Fitted:
    """A call written in HIP.

    `body`: the expression.  `parameters`: declarations, with HIP's types except for integer
    handles.  `must_be_null`: parameters that HIP has no place for.  `reason`: why there is no such
    call; the rest is empty then.
    """

    returns: str = ""
    parameters: tuple[str, ...] = ()
    body: str = ""
    must_be_null: tuple[str, ...] = ()
    reason: str = ""
    help: str = ""

    def is_plain(self, parameters: Sequence[Parameter]) -> bool:
        """Whether the call passes its arguments on as they are, so that a name is enough."""
        callee, _, rest = self.body.partition("(")
        passed = ", ".join(parameter.name for parameter in parameters)
        return callee.isidentifier() and rest == f"{passed})"

    @property
    def callee(self) -> str:
        """The HIP function."""
        return self.body.partition("(")[0]


def fit(  # noqa: PLR0913 - a prototype and what it is for
    name: str,
    returns: str,
    parameters: Sequence[Parameter],
    target: Target,
    names: Names,
    *,
    suffix: str = ".c",
    device: bool = False,
) -> Fitted:
    """Return what a function `name` with these parameters calls in HIP.

    `suffix`: the language whose casts are written, `.c` or `.cpp`.  `device`: the call is in device
    code.
    """
    null = _dropped(name, len(parameters), target)
    # What has to be null may be of a type that HIP lacks.
    parameters = [
        Parameter("const void*", p.name) if number in null else p
        for number, p in enumerate(parameters)
    ]
    arguments = [
        "nullptr" if number in null else _argument(p) for number, p in enumerate(parameters)
    ]
    declared = ", ".join(_without_handles(_declared(p)) for p in parameters) or "void"
    mark = "__device__ " if device else ""
    text = f"{mark}{returns} wrapper({declared}) {{\n  return {name}({', '.join(arguments)});\n}}\n"
    ported, errors = _ported(text, suffix, target, names)
    if errors:
        return Fitted(reason=errors[0].message, help=errors[0].help)
    head, _, rest = ported.partition(" wrapper(")
    shown, _, rest = rest.partition(") {\n  return ")
    body = rest.removesuffix(";\n}\n")
    return Fitted(
        head,
        tuple(_with_handles(text) for text in shown.split(", ")) if parameters else (),
        body.replace("nullptr", "NULL") if suffix == ".c" else body,
        tuple(parameters[number].name for number in sorted(null)),
    )


def has_integer(parameter: Parameter) -> bool:
    """Whether a parameter is an integer handle or points to one."""
    return any(word in INTEGERS for word in parameter.type.replace("*", " ").split())


def _declared(parameter: Parameter) -> str:
    type_ = parameter.type.replace(" *", "*").replace("*const", "* const")
    return f"{type_} {parameter.name}"


def _argument(parameter: Parameter) -> str:
    """Return the argument; an integer handle is cast to what HIP takes."""
    if not has_integer(parameter):
        return parameter.name
    words = parameter.type.replace("*", " * ").split()
    type_ = " ".join(INTEGERS.get(word, word) for word in words).replace(" *", "*")
    return f"({type_}){parameter.name}"


def _without_handles(text: str) -> str:
    """Put a word that no rule knows in the place of each integer handle's type."""
    for number, name in enumerate(sorted(INTEGERS, key=len, reverse=True)):
        text = text.replace(name, f"{_STAND_IN}{number}")
    return text


def _with_handles(text: str) -> str:
    for number, name in enumerate(sorted(INTEGERS, key=len, reverse=True)):
        text = text.replace(f"{_STAND_IN}{number}", name)
    return text


def _dropped(name: str, count: int, target: Target) -> frozenset[int]:
    """Return the arguments that HIP has no place for in the form with `count` arguments."""
    for form in SIGNATURES.get(name, ()):
        if form.covers(count, target.release) and form.null < 0:
            kinds = (DropNull, OnlyNull)
            return frozenset(c.argument for c in form.changes if isinstance(c, kinds))
    return frozenset()


def _ported(
    text: str, suffix: str, target: Target, names: Names
) -> tuple[str, Sequence[Diagnostic]]:
    """Return a text with the edits of every rule, and the errors among the findings."""
    unit = Unit(SourceFile(f"wrapper{suffix}", text.encode()), target, names)
    accepted = EditSet()
    errors: list[Diagnostic] = []
    for rule in RULES:
        for finding in rule(unit):
            if isinstance(finding, Edit):
                accepted.add([finding])
            elif accepted.add(finding.edits) and finding.severity is Severity.ERROR:
                errors.append(finding)
    return apply_edits(text, accepted.sorted()), errors
