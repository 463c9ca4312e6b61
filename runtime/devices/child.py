"""The child process of a probe: prints what it knows as JSON lines, the last one counts."""

import json
import os
from dataclasses import asdict

from runtime.devices.gpu_platform import GpuPlatform
from runtime.devices.libraries import LIBRARIES, PLATFORMS
from runtime.devices.platforms import examine
from runtime.devices.probe import open_library, prove
from runtime.devices.record import Finding


def main(name: str) -> None:
    """Probe the named library or platform, then leave without running its exit handlers."""
    report = os.dup(1)
    os.dup2(2, 1)  # what a library prints must not land between our lines
    platform = next((p for p in PLATFORMS if p.name == name), None)
    if platform is not None:
        _tell(report, _examined(platform))
        os._exit(0)
    record = next(library for library in LIBRARIES if library.name == name)
    opened = open_library(record)
    if isinstance(opened, Finding):
        _tell(report, opened)
    else:
        _tell(report, opened.so_far)
        _tell(report, prove(opened))
    os._exit(0)


def _examined(platform: GpuPlatform) -> Finding:
    found = examine(platform)
    works = found.devices > 0
    detail = f"devices: {found.devices}" if works else found.reason
    return Finding(platform.name, platform.purpose, works=works, detail=detail)


def _tell(descriptor: int, finding: Finding) -> None:
    os.write(descriptor, json.dumps(asdict(finding)).encode() + b"\n")
