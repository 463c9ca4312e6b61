"""What a ROCm tree holds and where each header came from: written with the tree, read back."""

import json
from collections import Counter
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from porting.errors import ToolchainError

MANIFEST = "sysroot.json"
SCHEMA_VERSION = 1


class Origin(StrEnum):
    """How a header came into the tree.

    core: AMD's header of this release; overlay: AMD's header of another release; generated:
    declared from AMD's API stubs.
    """

    CORE = "core"
    OVERLAY = "overlay"
    GENERATED = "generated"


@dataclass(frozen=True)
class Header:
    """Where a header came from: its kind, the ROCm release that it is of, and the wheel."""

    origin: Origin
    rocm: str
    source: str

    def foreign_to(self, rocm: str) -> bool:
        """Whether this header is of another release than the tree."""
        return self.rocm != rocm


@dataclass(frozen=True)
class Sysroot:
    """A ROCm tree: `path` for --rocm-path, `include` for -isystem, and where headers came from.

    `version` is HIP's (major.minor.patch), `rocm` the release (major.minor).  `headers` maps the
    path below `include`, with forward slashes, to its provenance; of an installed ROCm it is empty.
    """

    path: Path
    rocm: str
    version: str
    headers: dict[str, Header]
    wheels: tuple[str, ...] = ()

    @property
    def include(self) -> Path:
        """The folder to give to the compiler with -isystem."""
        return self.path / "include"

    @property
    def bitcode(self) -> Path:
        """The folder with AMD's device libraries."""
        return self.path / "amdgcn/bitcode"

    @property
    def lib(self) -> Path:
        """The folder with libamdhip64 and the CMake packages."""
        return self.path / "lib"

    @property
    def origins(self) -> dict[str, int]:
        """How many headers came in each way, those that none did left out."""
        counts = Counter(header.origin for header in self.headers.values())
        return {origin.value: counts[origin] for origin in Origin if counts[origin]}

    def to_json(self) -> dict[str, Any]:
        """Return what `porting sysroot create --format json` prints."""
        return {
            "schema_version": SCHEMA_VERSION,
            "path": str(self.path),
            "include": str(self.include),
            "version": self.version,
            "rocm": self.rocm,
            "wheels": list(self.wheels),
            "headers": self.origins,
        }


def write_manifest(sysroot: Sysroot) -> None:
    """Write the manifest of a tree into it."""
    content = {
        "schema_version": SCHEMA_VERSION,
        "rocm": sysroot.rocm,
        "version": sysroot.version,
        "wheels": sysroot.wheels,
        "headers": {name: asdict(header) for name, header in sorted(sysroot.headers.items())},
    }
    (sysroot.path / MANIFEST).write_text(json.dumps(content, indent=1) + "\n")


def read_manifest(path: Path) -> Sysroot:
    """Return the tree at `path`; raise ToolchainError when it has no readable manifest."""
    try:
        content = json.loads((path / MANIFEST).read_text())
        headers = {
            name: Header(Origin(record["origin"]), record["rocm"], record["source"])
            for name, record in content["headers"].items()
        }
        wheels = tuple(content["wheels"])
        return Sysroot(path, content["rocm"], content["version"], headers, wheels)
    except (OSError, ValueError, KeyError, TypeError) as error:
        message = f"{path} is no complete ROCm tree ({error}); remove it and create it again"
        raise ToolchainError(message) from error
