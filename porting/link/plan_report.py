"""A link plan as text and as JSON."""

from collections.abc import Mapping
from typing import Any, Final

from porting.link.libraries import Interface
from porting.link.plan import LinkPlan
from porting.link.uses import Use

SCHEMA_VERSION: Final = 1


def to_json(plan: LinkPlan, signs: Mapping[str, Use], text: str | None) -> dict[str, Any]:
    """Return a plan as plain values; `signs` tell why a library is in it, `text` is a fragment."""
    fields = plan.to_json()
    for item in fields["libraries"]:
        use = signs.get(item["library"])
        item["used_in"] = {"file": use.file, "name": use.name} if use else None
    return {"schema_version": SCHEMA_VERSION, **fields, "fragment": text}


def to_text(plan: LinkPlan, signs: Mapping[str, Use]) -> str:
    """Return a plan as people read it: one library a line."""
    title = f"ROCm {plan.rocm}" if plan.platform == "rocm" else "CUDA"
    lines = [f"{title}: how programs are linked"]
    for item in plan.libraries:
        place = item.soname or item.name
        sign = signs.get(item.library.id)
        notes = [item.target] if item.target else []
        if plan.platform == "rocm" and item.library.interface is Interface.OWN:
            notes.append("an interface of its own")
        if sign:
            notes.append(f"{sign.name} in {sign.file}")
        row = f"  {item.library.id:11} {item.how.value:8} {place:22} {', '.join(notes)}"
        lines.append(row.rstrip())
    lines += [f"  {name:11} missing  {advice}" for name, advice in plan.missing]
    if plan.system:
        lines.append(f"system:  {' '.join(plan.system)}")
    if plan.runpath:
        lines.append(f"RUNPATH: {':'.join(f'<{plan.platform}>/{f}' for f in plan.runpath)}")
    if plan.archs:
        lines.append(f"archs:   {' '.join(plan.archs)}")
    return "".join(f"{line}\n" for line in lines)
