"""Records of header paths and namespaces, and the table of known ROCm releases."""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING, Any

from nametables.decide import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nametables.cuda_names import Inventory
    from nametables.decide import Sources
    from nametables.sources import Wheel


def headers(cuda: Inventory, sources: Sources) -> list[Record]:
    """Return a record for every CUDA header, by the first curated rule whose pattern it fits."""
    rules = sources.curated.headers
    spelled = {rule["match"] for rule in rules if "*" not in rule["match"]}
    known = {path: library for path, (library, _) in cuda.headers.items()}
    paths = sorted(set(known) | spelled)
    found = [(path, _first(rules, path)) for path in paths]
    return [_record(path, known.get(path, ""), "header", rule) for path, rule in found if rule]


def namespaces(sources: Sources) -> list[Record]:
    """Return a record for every curated namespace."""
    rules = sources.curated.namespaces
    return [
        _record(rule["match"], rule["library"], "namespace", rule)
        for rule in sorted(rules, key=lambda r: str(r["match"]))
    ]


def releases(names: tuple[str, ...], wheels: Sequence[Wheel]) -> str:
    """Return `releases.tsv`: each release, how far names are checked, and by which wheels."""
    lines = ["# ROCm releases that the tables know, and the wheels that say what each has", ""]
    for name in names:
        used = [w for w in wheels if w.role.startswith("rocm") and w.release == name]
        level = "headers" if any(w.role == "rocm-headers" for w in used) else "stubs"
        lines.append(f"{name}\t{level}\t{', '.join(f'{w.name} {w.version}' for w in used)}")
    return "\n".join(lines) + "\n"


def _first(rules: list[dict[str, Any]], path: str) -> dict[str, Any] | None:
    for rule in rules:
        if fnmatch.fnmatchcase(path, rule["match"]):
            return rule
    return None


def _record(name: str, library: str, kind: str, rule: dict[str, Any]) -> Record:
    target = str(rule.get("target", ""))
    if "*" in rule["match"] and "*" in target:
        target = target.replace("*", name[rule["match"].index("*") :])
    action = "none" if target in ("", name) else kind
    return Record(
        name,
        str(rule.get("library", library)),
        kind,
        "",
        target,
        action,
        str(rule.get("first", "6.2")) if target else "",
        str(rule.get("last", "")),
        str(rule.get("reason", "")),
        str(rule.get("help", "")),
        str(rule.get("source", "")),
        "curated",
    )
