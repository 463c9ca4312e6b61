"""Read torch's own CUDA-to-HIP table, without importing torch.  It is the lowest-ranked source."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_TABLES = ("CUDA_TYPE_NAME_MAP", "CUDA_IDENTIFIER_MAP", "CUDA_INCLUDE_MAP", "CUDA_SPECIAL_MAP")


def pairs(path: Path) -> dict[str, str]:
    """Return CUDA name -> HIP name of the tables that speak of CUDA (not of torch's own names)."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: dict[str, str] = {}
    for node in tree.body:
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        name = node.targets[0]
        if isinstance(name, ast.Name) and name.id in _TABLES:
            for pair in _literal_pairs(node.value):
                found.setdefault(*pair)
    return found


def _literal_pairs(call: ast.Call) -> list[tuple[str, str]]:
    """Return the (str, str) pairs of `OrderedDict([...])`; a pair built at run time is skipped."""
    rows = call.args[0].elts if call.args and isinstance(call.args[0], ast.List) else []
    found = []
    for row in rows:
        if isinstance(row, ast.Tuple) and len(row.elts) == 2:  # noqa: PLR2004 - key and value
            left, right = row.elts
            target = right.elts[0] if isinstance(right, ast.Tuple) and right.elts else right
            if isinstance(left, ast.Constant) and isinstance(target, ast.Constant):
                found.append((str(left.value), str(target.value)))
    return found
