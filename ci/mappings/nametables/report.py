"""Count what a run found, per library, beside torch's table; and list what must not be."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nametables.build import Built


def existing_in_torch(built: Built) -> Counter[str]:
    """Count, per library, the targets of torch's table that some header or stub declares."""
    found: Counter[str] = Counter()
    for name, target in built.sources.torch.items():
        cuda = built.cuda.names.get(name)
        if cuda is not None and built.sources.hip.has(target):
            found[cuda.library] += 1
    return found


def counts(built: Built) -> str:
    """Return the table of counts as text."""
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for record in built.records:
        state = "unsupported"
        if record.target:
            mine, theirs = record.name, record.target
            if record.kind == "field":  # a member is compared by itself
                mine, theirs = mine.rpartition("::")[2], theirs.rpartition("::")[2]
            state = "unchanged" if mine == theirs else "mapped"
        table[record.library][state] += 1
    torch = existing_in_torch(built)
    lines = [f"{'library':20}{'mapped':>8}{'unchanged':>11}{'unsupported':>13}{'torch has':>11}"]
    for library, row in sorted(table.items()):
        lines.append(
            f"{library:20}{row['mapped']:8}{row['unchanged']:11}{row['unsupported']:13}"
            f"{torch[library]:11}"
        )
    return "\n".join(lines) + "\n"


def failures(built: Built) -> list[str]:
    """Return what makes a run invalid: fewer targets than torch, or a record without a reason."""
    ours: Counter[str] = Counter(r.library for r in built.records if r.target)
    problems = [
        f"{library}: {ours[library]} existing targets, torch's table has {count}"
        for library, count in sorted(existing_in_torch(built).items())
        if ours[library] < count
    ]
    problems += [
        f"{record.name}: unsupported without a reason, or without the files searched"
        for record in built.records
        if not record.target and not (record.reason and record.cite)
    ]
    return problems
