"""Put the parts together: inventories, decisions, and the text of every table."""

from __future__ import annotations

import fnmatch
import re
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nametables import (
    cuda_names,
    curated,
    decide,
    hip_names,
    libraries,
    members,
    paths,
    stubs,
    torch_table,
    write,
)
from nametables.declarations import Declaration

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from nametables.cuda_names import Inventory
    from nametables.decide import Record, Sources
    from nametables.hip_names import HipInventory
    from nametables.libraries import Library
    from nametables.sources import Wheel

RELEASES = ("6.2", "6.4", "7.0", "7.1", "7.2", "10.0")
_VENDOR = re.compile(
    r"(cu[A-Z]|CU|cuda|cublas|cufft|curand|cusparse|cusolver|cudnn|cuuint|nv[A-Zmtr]|NV|__nv|__NV|"
    r"p?nccl|NCCL|__cuda|__CUDA|__cu|PFN_|surf|tex|make_|atomic|csr(qr|lu|chol)Info|"
    r"(syev|gesvd)jInfo|libraryPropertyType|(u?long|u?longlong|double)4_(16|32)a)"
)
_GUARD = re.compile(r"_*[A-Z]\w*_(H|HPP|H_INCLUDED)_*$")
_WORKINGS = "a CUDA header declares it for its own use, or under a name that anyone may use"
_PRIVATE = "Names of CUDA's headers that say nothing about a user's code"
_HEADERS = "CUDA headers"
_NAMESPACES = "CUDA namespaces"
_TORCH_TABLE = "torch/utils/hipify/cuda_to_hip_mappings.py"


@dataclass(frozen=True, slots=True)
class Built:
    """Everything that a run produces; `files` is what is written to porting/mappings.

    records: names that user code can mean CUDA by; private: the workings of CUDA's headers.
    """

    cuda: Inventory
    sources: Sources
    records: list[Record]
    private: list[Record]
    files: dict[str, str]


def build(here: Path, wheels: tuple[Wheel, ...], folders: Mapping[str, Path]) -> Built:
    """Read all inputs, decide every name, and return the tables."""
    placed = [(wheel, folders[wheel.folder]) for wheel in wheels]
    known = libraries.load(here / "libraries.toml")
    facts = curated.load(here / "curated")
    cuda = cuda_names.collect([(w.release, f) for w, f in placed if w.role == "cuda"], known)
    amd = [(wheel, folder) for wheel, folder in placed if wheel.role.startswith("rocm")]
    hip = hip_names.collect(amd, RELEASES, frozenset(facts.unset))
    for item in facts.declared:
        for name in item.names:
            hip_names.add(hip, item.first, "published", item.file, Declaration(name, item.kind))
    torch = next(f for w, f in placed if w.role == "torch")
    rest = decide.Sources(
        hip,
        facts,
        _interop(placed),
        torch_table.pairs(torch / _TORCH_TABLE),
        {library.name: _searched(library, hip) for library in known},
    )
    _add_legacy(cuda, rest)
    records, private = _decide_all(cuda, rest)
    files = _tables(records)
    files["private.tsv"] = write.table(_PRIVATE, private, name_library=True)
    files["headers.tsv"] = write.table(_HEADERS, paths.headers(cuda, rest), name_library=True)
    files["namespaces.tsv"] = write.table(_NAMESPACES, paths.namespaces(rest), name_library=True)
    files["releases.tsv"] = paths.releases(RELEASES, wheels)
    return Built(cuda, rest, records, private, files)


def _interop(placed: list[tuple[Wheel, Path]]) -> dict[str, tuple[str, ...]]:
    """Return CUDA name -> HIP names of the interop stubs, newest release first."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for _, folder in reversed([(w, f) for w, f in placed if w.role == "interop"]):
        for path in sorted(folder.rglob("c*.pxd")):
            for name, target in stubs.aliases(path.read_text(encoding="utf-8")):
                found[name].setdefault(target)
    return {name: tuple(targets) for name, targets in found.items()}


def _searched(library: Library, hip: HipInventory) -> str:
    """Return which AMD files, of which releases, were searched for a library's names."""
    parts = [
        f"{source} {file} ({', '.join(r for r in RELEASES if r in seen)})"
        for (source, file), seen in sorted(hip.examined.items())
        if any(fnmatch.fnmatchcase(file, pattern) for pattern in library.hip)
    ]
    return f"searched: {'; '.join(parts)}" if parts else ""


def _add_legacy(cuda: Inventory, rest: Sources) -> None:
    """Add names that the pinned headers no longer declare but AMD's or torch's tables know."""
    for name in [*rest.interop, *rest.torch]:
        library = _library_of(name)
        if library and name not in cuda.names:
            cuda.names[name] = cuda_names.CudaName(name, library, "legacy", "")


def _library_of(name: str) -> str:
    """Return the library that a name belongs to by its look, or an empty string."""
    found = (library for library, look in _LOOKS if re.match(look, name))
    return next(found, "") if name.isidentifier() else ""


# First match counts, so the narrower look comes first.
_LOOKS = (
    ("cublaslt", "cublasLt|CUBLASLT_"),
    ("cublas", "cublas|CUBLAS_"),
    ("cusparselt", "cusparseLt|CUSPARSELT_"),
    ("cusparse", "cusparse|CUSPARSE_"),
    ("cusolver", "cusolver|CUSOLVER_"),
    ("curand", "curand|CURAND_"),
    ("cufft", "cufft|CUFFT_"),
    ("cudnn", "cudnn|CUDNN_"),
    ("nvrtc", "nvrtc|NVRTC_"),
    ("nccl", "nccl|NCCL_"),
    ("nvtx", "nvtx"),
    ("nvml", "nvml|NVML_"),
    ("runtime", "cuda[A-Z]|CUDART_|textureReference$|surfaceReference$"),
    ("driver", "cu|CU"),
)


def _decide_all(cuda: Inventory, rest: Sources) -> tuple[list[Record], list[Record]]:
    """Return the records of the names that users see, and of the workings of CUDA's headers."""
    names = [name for name in cuda.names.values() if name.kind != "field"]
    decided = [decide.decide(name, rest) for name in names]
    types = {record.name: record for record in decided if record.kind in ("type", "legacy")}
    public = [record for record in decided if _is_public(record, rest)]
    public += members.decide_all(cuda.names.values(), types, rest)
    shown = {record.name for record in public}
    fields = [name for name in cuda.names.values() if name.kind == "field"]
    others = [*decided, *(decide.member(n.name, n, decide.Verdict(), rest) for n in fields)]
    return public, [_hidden(record) for record in others if record.name not in shown]


def _hidden(record: Record) -> Record:
    return replace(record, reason=_WORKINGS, help="", cite="")


def _is_public(record: Record, rest: Sources) -> bool:
    """Tell whether user code can mean CUDA by a name.

    A CUDA header also declares names of its own workings and names that anyone may use (`w`,
    `payload`, `sgemm_`); without a counterpart those say nothing about a user's code.
    """
    name = record.name
    if name in rest.curated.exact:
        return True
    if any(pattern.fullmatch(name) for pattern in rest.curated.ignored):
        return False
    if record.target:
        return True
    if "::" in name:
        return True
    if _VENDOR.match(name) or (record.kind == "macro" and _GUARD.match(name)):
        return True
    device = record.library in ("device", "fp16", "bf16", "fp8", "wmma")
    return device and record.kind == "intrinsic" and (name.startswith("__") or name[:1] == "h")


def _tables(records: list[Record]) -> dict[str, str]:
    by_library: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        by_library[record.library].append(record)
    return {
        f"{library}.tsv": write.table(f"CUDA names of {library}", rows)
        for library, rows in sorted(by_library.items())
    }
