"""K1: names that macros join from pieces follow together, or are reported together."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Final

from porting.diagnostics import Diagnostic
from porting.edits import Edit
from porting.mapping import Names, Status
from porting.rules.macros.codes import PASTED, PASTED_OPEN
from porting.rules.pasting import Joint, Paste, bare_parameters
from porting.rules.unit import Unit
from porting.syntax import Call, Directive, Token, call_at

_SHOWN: Final = 6


@dataclass(frozen=True)
class Plan:
    """What is done about one joint.

    `literals`: the new text of each piece that is no parameter, None for the others.
    `arguments`: per joined CUDA name, the new text of each piece that is an argument, None for the
    others.  `missing`: joined CUDA names that get no right HIP name.
    """

    literals: tuple[str | None, ...]
    arguments: Mapping[tuple[str, ...], tuple[str | None, ...]]
    missing: tuple[str, ...]


def joined_renames(
    names: Names,
    pastes: Sequence[Paste],
    present: AbstractSet[str],
    own: AbstractSet[str] = frozenset(),
) -> dict[str, str]:
    """Return the identifiers of a file that the tree joins from CUDA names, and their new names.

    `cuMemCreate_`, made by `name##_` from cuMemCreate, becomes hipMemCreate_ wherever it stands.
    `present`: the file's identifiers.  `own`: names that the tree declares, though CUDA has them
    too (PFN_cuMemCreate).
    """
    renames: dict[str, str] = {}
    for paste in pastes:
        if paste.joint.is_string:
            continue
        for old in paste.by_name.keys() & present:
            known = names.get(old)
            if known is not None and not (known.target is None and old in own):
                continue
            for texts in paste.by_name[old]:
                new = "".join(_renamed(names, text) for text in texts)
                if new != old:
                    renames[old] = new
    return renames


def check_pasting(unit: Unit) -> Iterator[Edit | Diagnostic]:
    """Yield what becomes of joined names: the identifiers, the macros and their arguments."""
    if not unit.project.pastes:
        return
    yield from _identifiers(unit)
    by_macro: dict[str, list[Paste]] = {}
    for paste in unit.project.pastes:
        if paste.macro.name in unit.index:
            by_macro.setdefault(paste.macro.name, []).append(paste)
    for name, pastes in by_macro.items():
        plans = plan_macro(unit.names, pastes, unit.project.declared)
        for number in unit.where(name):
            yield from _mention(unit, number, pastes, plans)


def _mention(
    unit: Unit, number: int, pastes: Sequence[Paste], plans: Sequence[Plan | None]
) -> Iterator[Diagnostic]:
    """Yield the rewrite of a macro's definition or call."""
    at = unit.tokens[number].directive
    directive = unit.lexed.directives[at] if at >= 0 else None
    is_definition = (
        directive is not None and directive.name == "define" and number == directive.first
    )
    for paste, plan in zip(pastes, plans, strict=True):
        if plan is None:
            continue
        if is_definition and directive is not None:
            yield from _definition(unit, directive, paste, plan)
        elif plan.arguments:
            yield from _call(unit, number, paste, plan)
            return  # the plans of the other joints want the same argument


def _identifiers(unit: Unit) -> Iterator[Edit]:
    present = unit.index.keys()
    renames = joined_renames(unit.names, unit.project.pastes, present, unit.project.declared)
    for name, new in renames.items():
        for number in unit.where(name):
            token = unit.tokens[number]
            yield Edit(token.start, token.end, new, name)


def _renamed(names: Names, text: str) -> str:
    name = names.get(text)
    return name.target if name is not None and name.target is not None else text


def plan_macro(
    names: Names, pastes: Sequence[Paste], own: AbstractSet[str] = frozenset()
) -> list[Plan | None]:
    """Return what is to be done about each joint of one macro.

    Whole names are passed as arguments only where no other part of the macro uses the argument.
    """
    plans = [plan_for(names, paste, own) for paste in pastes]
    if not any(plan and plan.arguments for plan in plans):
        return plans
    joints = {paste.joint for paste in pastes}
    for paste, plan in zip(pastes, plans, strict=True):
        if plan is None or not plan.arguments:
            continue
        used = {p.parameter for p in paste.joint.pieces if p.parameter >= 0}
        macro = paste.macro
        rest = [j for j in macro.joints if any(p.parameter in used for p in j.pieces)]
        is_alone = used.isdisjoint(bare_parameters(macro)) and joints.issuperset(rest)
        if not is_alone or any(plan and not plan.arguments for plan in plans):
            return [plan_for(names, replace(paste, is_direct=False), own) for paste in pastes]
    return plans


def plan_for(names: Names, paste: Paste, own: AbstractSet[str] = frozenset()) -> Plan | None:
    """Return what is to be done about a joint, None when the renames of its pieces are enough."""
    wanted, missing = _wanted(names, paste, own)
    changed = {
        texts: target
        for texts, target in wanted.items()
        if target != _whole(paste.joint, tuple(_renamed(names, text) for text in texts))
    }
    keeps = tuple(None for _ in paste.joint.pieces)
    if not changed:
        return Plan(keeps, {}, missing) if missing else None
    literals = _common_literals(names, paste.joint, wanted)
    if literals is not None:
        return Plan(literals, {}, missing)
    if paste.is_direct:
        arguments = _new_arguments(paste.joint, wanted)
        if arguments is not None:
            dropped = tuple("" if piece.parameter < 0 else None for piece in paste.joint.pieces)
            return Plan(dropped, arguments, missing)
    odd = tuple(_whole(paste.joint, texts) for texts in changed)
    return Plan(keeps, {}, (*missing, *odd))


def _new_arguments(
    joint: Joint, wanted: Mapping[tuple[str, ...], str]
) -> dict[tuple[str, ...], tuple[str | None, ...]] | None:
    """Return the arguments that make the wanted names, None when the joint is of another form.

    A joint of one parameter is given the whole name and its literals go; of two parameters and
    nothing else (`CAT(cuda, Malloc)`), the first becomes what stands in front of the second.
    """
    is_parameter = [piece.parameter >= 0 for piece in joint.pieces]
    if sum(is_parameter) == 1:
        return {
            texts: tuple(target if is_one else None for is_one in is_parameter)
            for texts, target in wanted.items()
        }
    if is_parameter != [True, True] or joint.is_string:
        return None
    if not all(target.endswith(texts[1]) for texts, target in wanted.items()):
        return None
    return {texts: (target.removesuffix(texts[1]), None) for texts, target in wanted.items()}


def _wanted(
    names: Names, paste: Paste, own: AbstractSet[str]
) -> tuple[dict[tuple[str, ...], str], tuple[str, ...]]:
    """Return the HIP names of what is joined, and the joined CUDA names that have none."""
    wanted: dict[tuple[str, ...], str] = {}
    missing: list[str] = []
    for texts in paste.formed:
        whole = _whole(paste.joint, texts)
        name = names.get(whole)
        if name is not None and name.status is not Status.UNCHANGED:
            if name.target is None and whole not in own:
                missing.append(whole)
            elif name.target is None:
                continue
            else:
                wanted[texts] = name.target
    return wanted, tuple(missing)


def _whole(joint: Joint, texts: Sequence[str]) -> str:
    """Return the name that is joined; a string may go on behind it with something else."""
    whole = "".join(texts)
    if joint.is_string:
        end = 0
        while end < len(whole) and (whole[end].isalnum() or whole[end] == "_"):
            end += 1
        return whole[:end]
    return whole


def _common_literals(
    names: Names, joint: Joint, wanted: Mapping[tuple[str, ...], str]
) -> tuple[str | None, ...] | None:
    """Return new texts of the literal pieces that make every wanted name, None if none do.

    Tried are: the first piece takes the place of a prefix; a last piece (`_v2`) falls away.
    """
    found: set[tuple[str | None, ...]] = set()
    for texts, target in wanted.items():
        pairs = zip(joint.pieces, texts, strict=True)
        new = [_renamed(names, t) if piece.parameter >= 0 else t for piece, t in pairs]
        candidate = _fit(joint, new, target)
        if candidate is None:
            return None
        found.add(candidate)
    return found.pop() if len(found) == 1 else None


def _fit(joint: Joint, new: Sequence[str], target: str) -> tuple[str | None, ...] | None:
    first_is_literal = joint.pieces[0].parameter < 0
    last_is_literal = joint.pieces[-1].parameter < 0
    inner = "".join(new[1:]) if first_is_literal else "".join(new)
    tail = new[-1] if last_is_literal and not joint.is_string else ""
    body = inner.removesuffix(tail) if tail else inner
    pairs = zip(joint.pieces, new, strict=True)
    keep: list[str | None] = [None if piece.parameter >= 0 else t for piece, t in pairs]
    if joint.is_string:
        body = _word_start(body)
    for suffix in (tail, ""):
        rest = body + suffix
        if target.endswith(rest) and rest:
            front = target.removesuffix(rest)
            if not first_is_literal and front:
                continue
            if first_is_literal:
                keep[0] = front
            if tail and last_is_literal:
                keep[-1] = suffix
            return tuple(keep)
    return None


def _word_start(text: str) -> str:
    end = 0
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    return text[:end]


def _definition(unit: Unit, directive: Directive, paste: Paste, plan: Plan) -> Iterator[Diagnostic]:
    """Yield the rewrite of the joint in its macro's body, and what is missing."""
    tokens = unit.tokens
    span = _find(tokens, directive, paste.joint)
    if span is None:
        return
    token = tokens[span[0]]
    if any(literal is not None for literal in plan.literals):
        edits = _body_edits(tokens, span, paste.joint, plan.literals)
        examples = ", ".join(_whole(paste.joint, texts) for texts in paste.formed[:2])
        text = f"the macro joins names like {examples}; its pieces follow HIP's names"
        if edits:
            yield unit.diagnose(PASTED, token, text, symbol=paste.macro.name, edits=edits)
    if plan.missing:
        shown = ", ".join(plan.missing[:_SHOWN]) + (", ..." if len(plan.missing) > _SHOWN else "")
        text = f"{paste.macro.name} joins names that cannot follow: {shown}"
        help_text = "pass whole HIP names to the macro, or list these by hand"
        yield unit.diagnose(PASTED_OPEN, token, text, help=help_text, symbol=paste.macro.name)


def _find(tokens: Sequence[Token], directive: Directive, joint: Joint) -> tuple[int, int] | None:
    """Return the first and last token of a joint in a macro's body."""
    words: list[str] = []
    for number, piece in enumerate(joint.pieces):
        if joint.is_string:
            words += [f'"{piece.text}"'] if piece.parameter < 0 else ["#", piece.text]
        else:
            words += [piece.text] if number == 0 else ["##", piece.text]
    texts = [token.text for token in tokens[directive.first : directive.last]]
    for at in range(len(texts) - len(words) + 1):
        if texts[at : at + len(words)] == words:
            return directive.first + at, directive.first + at + len(words) - 1
    return None


def _body_edits(
    tokens: Sequence[Token],
    span: tuple[int, int],
    joint: Joint,
    literals: Sequence[str | None],
) -> list[Edit]:
    edits: list[Edit] = []
    at = span[0]
    for number, (piece, new) in enumerate(zip(joint.pieces, literals, strict=True)):
        is_last = number == len(joint.pieces) - 1
        if new is not None and new != piece.text:
            edits.append(_piece_edit(tokens, at, new, joint, is_last=is_last))
        width = 2 if joint.is_string and piece.parameter >= 0 else 1
        at += width if joint.is_string else 2
    return edits


def _piece_edit(tokens: Sequence[Token], at: int, new: str, joint: Joint, *, is_last: bool) -> Edit:
    """Replace a literal piece; an empty one goes together with the ## beside it."""
    token = tokens[at]
    if joint.is_string:
        if new:
            return Edit(token.start, token.end, f'"{new}"', token.text)
        if is_last:
            return Edit(tokens[at - 1].end, token.end, "", token.text)
        return Edit(token.start, tokens[at + 1].start, "", token.text)
    if new:
        return Edit(token.start, token.end, new, token.text)
    if is_last:
        return Edit(tokens[at - 2].end, token.end, "", token.text)
    return Edit(token.start, tokens[at + 2].start, "", token.text)


def _call(unit: Unit, number: int, paste: Paste, plan: Plan) -> Iterator[Diagnostic]:
    """Yield the rewrite of a call's arguments."""
    call = call_at(unit.tokens, number)
    texts: list[str] = []
    places: list[Token | None] = []
    for piece in paste.joint.pieces:
        place = _argument(unit, call, piece.parameter) if piece.parameter >= 0 else None
        places.append(place)
        texts.append(piece.text if piece.parameter < 0 else place.text if place else "")
    new = plan.arguments.get(tuple(texts))
    if new is None:
        return
    edits = [
        Edit(place.start, place.end, text, place.text)
        for place, text in zip(places, new, strict=True)
        if place is not None and text is not None
    ]
    whole = _whole(paste.joint, texts)
    text = f"{paste.macro.name} is given the pieces of the HIP name of {whole}"
    yield unit.diagnose(PASTED, unit.tokens[number], text, symbol=whole, edits=edits)


def _argument(unit: Unit, call: Call | None, number: int) -> Token | None:
    """Return an argument's token, None when there is none or it has several."""
    if call is None or number >= len(call.arguments):
        return None
    argument = call.arguments[number]
    return unit.tokens[argument.first] if argument.last - argument.first == 1 else None
