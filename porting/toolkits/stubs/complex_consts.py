"""Give complex parameters the const that some stubs lost, as the function for real numbers has it.

The bindings of ROCm 6.2 say `const float * x` for hipblasSaxpy and `hipblasComplex * x` for
hipblasCaxpy.  Those of 7.1 have every const, and show that the functions for real and complex
numbers never differ in one.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from porting.toolkits.stubs.pxd import Declaration, Prototype

_COMPLEX: Final = re.compile(
    r"(?<!const )\b(?:float2|double2|hip(?:blas)?(?:Float|Double)?Complex) ?\*"
)
# The prefix of the library, the letters for the types, the rest.
_NAMES: Final = tuple(
    re.compile(rf"(hip(?:blas|sparse|solver(?:Dn|Rf|Sp)?)(?:I|X|Xcsr)?)({letters})([a-z]\w*)")
    for letters in ("Cs|Zd|Sc|Dz", "[CZcz]")
)
_REAL: Final = dict(
    zip(
        ("C", "Z", "c", "z", "Cs", "Zd", "Sc", "Dz"),
        ("S", "D", "s", "d", "S", "D", "S", "D"),
        strict=True,
    )
)
# Functions for complex numbers whose counterparts have another name.
_RENAMED: Final = (
    (r"^(ger|dot)[cu]", r"\1"),
    (r"^he(?=[a-z])", "sy"),
    (r"^h([bp])", r"s\1"),
    (r"^un", "or"),
)


def with_consts(declarations: Sequence[Declaration]) -> Iterator[Declaration]:
    """Yield the declarations; prototypes that lack a const of their counterpart have it."""
    known = {d.name: d for d in declarations if isinstance(d, Prototype)}
    for declaration in declarations:
        if isinstance(declaration, Prototype) and _COMPLEX.search(declaration.parameters):
            yield replace(declaration, parameters=_parameters(declaration, known))
        else:
            yield declaration


def _parameters(function: Prototype, known: Mapping[str, Prototype]) -> str:
    own = function.parameters.split(",")
    for name in _counterparts(function.name):
        real = known[name].parameters.split(",") if name in known else []
        if len(real) == len(own):
            return ",".join(map(_parameter, own, real))
    return function.parameters


def _parameter(own: str, real: str) -> str:
    if not real.lstrip().startswith("const "):
        return own
    return _COMPLEX.sub(lambda found: f"const {found[0]}", own, count=1)


def _counterparts(name: str) -> Iterator[str]:
    """Yield the names that the function for real numbers may have, the likeliest first."""
    plain = name.replace("_v2", "")
    for match in filter(None, (pattern.fullmatch(plain) for pattern in _NAMES)):
        stem, real, rest = match[1], _REAL[match[2]], match[3]
        yield f"{stem}{real}{rest}"
        for pattern, new in _RENAMED:
            if re.search(pattern, rest):
                yield f"{stem}{real}{re.sub(pattern, new, rest)}"
