"""CUDA functions in a compat header: a name where signatures agree, a wrapper where they do not."""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Final

from porting.config import Target
from porting.headers.entries import Entry, Group, Missing, Side
from porting.headers.fitting import Fitted, fit, has_integer
from porting.headers.layout import call, comment, define, function
from porting.headers.prototypes import Parameter, Prototype, prototypes
from porting.headers.uses import ENTRY_POINTS, Use
from porting.mapping import Name, Names
from porting.rules.api.changes import Cast, Symbol
from porting.rules.api.signatures import SIGNATURES

_LOCATIONS: Final = frozenset(("cudaMemLocation", "CUmemLocation"))
# Types that HIP's headers keep from C.
CXX_ONLY: Final = ("hipTexRef", "textureReference")
_TOO_MUCH: Final = "hipErrorInvalidValue"
# Template parameters of what CUDA's C++ headers take through a template.
_KERNEL: Final = "const void*"
_POINTERS: Final = "void**"
_ALLOCATE: Final = ("cudaMalloc", "cudaHostAlloc")


@dataclass(frozen=True)
class Form:
    """A way to call a function: its parameters, and what the call becomes."""

    parameters: tuple[Parameter, ...]
    fitted: Fitted


def function_entry(
    use: Use, name: Name, target: Target, names: Names, named: AbstractSet[str]
) -> Entry | Missing:
    """Return what provides a function; `named`: every CUDA name that the tree uses."""
    known = tuple(p for p in prototypes(name.name) if _is_of_tree(p, named))
    if not known and name.target is not None:
        return _without_prototype(use, name, target, names)
    forms = list(forms_of(use, known, target, names)) if known else []
    usable = [form for form in forms if not form.fitted.reason]
    if not usable:
        why = (name.reason, name.help)
        if name.target is not None:
            why = (forms[0].fitted.reason, forms[0].fitted.help)
        return Missing(name.name, name.library, *why)
    return _entry(name, usable, target, names)


def _is_of_tree(prototype: Prototype, named: AbstractSet[str]) -> bool:
    """Whether a tree can call a form: CUDA 13 replaced device numbers by a structure."""
    types = {word for p in prototype.parameters for word in p.type.split()}
    return types.isdisjoint(_LOCATIONS) or not named.isdisjoint(_LOCATIONS)


def _entry(name: Name, usable: Sequence[Form], target: Target, names: Names) -> Entry:
    if name.name in ENTRY_POINTS:
        return _looking_up(name, usable)
    callees = {form.fitted.callee for form in usable}
    templates = [_template(name.name, form, target) for form in usable]
    if all(_is_plain(f) for f in usable) and len(callees) == 1:
        plain = define(name.name, callees.pop())
        if not any(templates):
            return Entry(name.name, name.library, Group.FUNCTIONS, plain)
        text = "\n".join(_typed(name.name, form, target, names) for form in usable)
        return Entry(name.name, name.library, Group.FUNCTIONS, text, c_text=plain)
    text = "\n".join(_typed(name.name, form, target, names) for form in usable)
    if any(word in text for word in CXX_ONLY):
        return Entry(name.name, name.library, Group.FUNCTIONS, text, Side.CXX)
    # C has no overloads: the form with the most parameters, of those the newest.
    first = max(usable, key=lambda form: len(form.parameters))
    c_text = _wrapper(name.name, first)
    return Entry(
        name.name, name.library, Group.FUNCTIONS, text, c_text="" if text == c_text else c_text
    )


def _looking_up(name: Name, usable: Sequence[Form]) -> Entry:
    """Return the wrapper of a function that is given CUDA's name of another one."""
    text = ""
    for form in usable:
        asked = form.parameters[0].name
        body = form.fitted.body.replace(f"({asked},", f"(eclosion_symbol({asked}),", 1)
        text += _wrapper(name.name, replace(form, fitted=replace(form.fitted, body=body)))
    return Entry(name.name, name.library, Group.LOOK_UPS, text)


def forms_of(use: Use, known: Sequence[Prototype], target: Target, names: Names) -> Iterator[Form]:
    """Yield the forms for each number of arguments that the tree passes, the fewest first."""
    counts = set(use.counts)
    if use.is_value or not counts:
        counts.add(len(known[0].parameters))
    found = [parameters for count in sorted(counts) for parameters in _parameters(known, count)]
    for parameters in found or [known[0].parameters]:
        yield Form(parameters, fit(use.name, known[0].returns, parameters, target, names))


def _parameters(known: Sequence[Prototype], count: int) -> list[tuple[Parameter, ...]]:
    """Return the parameters of the forms with so many, else of the newest that has defaults."""
    exact = [p.parameters for p in known if len(p.parameters) == count]
    longer = [p.parameters[:count] for p in known if len(p.parameters) > count]
    return exact or longer[:1]


def _is_plain(form: Form) -> bool:
    """Whether C needs no wrapper: what is cast has the type already."""
    if form.fitted.must_be_null or any(has_integer(p) for p in form.parameters):
        return False
    body = form.fitted.body.replace("HIP_SYMBOL(symbol)", "symbol").replace("&symbol", "symbol")
    for shown, parameter in zip(form.fitted.parameters, form.parameters, strict=True):
        type_ = shown.removesuffix(parameter.name).strip()
        body = body.replace(f"({type_}){parameter.name}", parameter.name)
    return replace(form.fitted, body=body).is_plain(form.parameters)


def _template(name: str, form: Form, target: Target) -> dict[int, str]:
    """Return the parameters that C++ takes through a template: index -> declaration's type."""
    found: dict[int, str] = {}
    for signature in SIGNATURES.get(name, ()):
        if not signature.covers(len(form.parameters), target.release):
            continue
        for change in signature.changes:
            if isinstance(change, Symbol):
                found[change.argument] = "const Symbol&"
            elif isinstance(change, Cast) and change.type == _KERNEL:
                found[change.argument] = "Function*"
            elif isinstance(change, Cast) and change.type == _POINTERS:
                found[change.argument] = "Value**"
        break
    return found


def _typed_pointers(name: str, form: Form) -> dict[int, str]:
    """Return the parameters that C++ does not convert by itself: kernels, and where to put memory.

    CUDA's C++ headers have templates for them.
    """
    found: dict[int, str] = {}
    for number, parameter in enumerate(form.parameters):
        type_ = parameter.type.replace(" *", "*")
        if (parameter.name, type_) == ("func", _KERNEL):
            found[number] = "Function*"
        elif number == 0 and type_ == _POINTERS and name.startswith(_ALLOCATE):
            found[number] = "Value**"
    return found


def _typed(name: str, form: Form, target: Target, names: Names) -> str:
    """Return the C++ wrapper of a form, a template where CUDA has one."""
    templates = _typed_pointers(name, form) | _template(name, form, target)
    if not templates:
        return _wrapper(name, form)
    fitted = fit(name, "cudaError_t", form.parameters, target, names, suffix=".cpp")
    shown = [
        f"{templates[number]} {parameter.name}" if number in templates else text
        for number, (text, parameter) in enumerate(
            zip(fitted.parameters, form.parameters, strict=True)
        )
    ]
    kinds = dict.fromkeys(type_.split()[-1].rstrip("&*") for type_ in templates.values())
    template = ", ".join(f"typename {kind}" for kind in kinds)
    return _function(name, replace(fitted, parameters=tuple(shown)), template)


def _wrapper(name: str, form: Form) -> str:
    return _function(name, form.fitted, "")


def _function(called: str, fitted: Fitted, template: str) -> str:
    arguments = _arguments(fitted.body)
    statements = [f"  if ({name} != NULL) return {_TOO_MUCH};" for name in fitted.must_be_null]
    names = [re.split(r"[ *&]", text)[-1] for text in fitted.parameters]
    used = set(re.findall(r"\w+", fitted.body)) | set(fitted.must_be_null)
    statements += [f"  (void){name};" for name in names if name not in used]
    statements.append(call("return ", fitted.callee, arguments))
    head = f"static inline {fitted.returns} {called}"
    note = ""
    if fitted.must_be_null:
        note = comment(f"HIP has no place for {' and '.join(fitted.must_be_null)}.")
    return note + function(head, fitted.parameters or ("void",), statements, template)


def _arguments(body: str) -> list[str]:
    """Split the arguments of a call at the commas that no bracket holds."""
    inner = body.partition("(")[2].rpartition(")")[0]
    depth = 0
    found = [""]
    for character in inner:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            found.append("")
        else:
            found[-1] += character
    return [text.strip() for text in found if text.strip()]


def _without_prototype(use: Use, name: Name, target: Target, names: Names) -> Entry:
    """Return the entry of a function whose prototype is not at hand: a name, or templates."""
    plain = define(name.name, name.target or name.name)
    forms: list[str] = []
    for count in sorted(use.counts):
        parameters = tuple(Parameter(f"Type{n}", f"argument{n}") for n in range(count))
        fitted = fit(name.name, "auto", parameters, target, names, suffix=".cpp")
        if fitted.reason or fitted.is_plain(parameters):
            continue
        template = ", ".join(f"typename {parameter.type}" for parameter in parameters)
        forms.append(_function(name.name, replace(fitted, returns="auto"), template))
    if not forms:
        return Entry(name.name, name.library, Group.FUNCTIONS, plain)
    return Entry(name.name, name.library, Group.FUNCTIONS, "\n".join(forms), c_text=plain)


def intrinsic_entry(use: Use, name: Name, target: Target, names: Names) -> Entry | Missing:
    """Return what provides a device function: its name in HIP, or what calls of it become."""
    if name.target is not None:
        text = define(name.name, name.target)
        return Entry(name.name, name.library, Group.FUNCTIONS, text, Side.DEVICE)
    found: list[str] = []
    for count in sorted(use.counts):
        parameters = tuple(Parameter(f"Type{n}", f"argument{n}") for n in range(count))
        fitted = fit(name.name, "auto", parameters, target, names, suffix=".cu", device=True)
        if fitted.reason or name.name in fitted.body or not fitted.body:
            return Missing(name.name, name.library, name.reason, name.help)
        template = ", ".join(f"typename {parameter.type}" for parameter in parameters)
        head = f"__device__ inline auto {name.name}"
        found.append(
            function(head, fitted.parameters or ("void",), (f"  return {fitted.body};",), template)
        )
    if not found:
        return Missing(name.name, name.library, name.reason, name.help)
    return Entry(name.name, name.library, Group.FUNCTIONS, "\n".join(found), Side.DEVICE)
