"""A probe inside this process: opening, sharing, and symbols that are missing."""

from dataclasses import replace
from pathlib import Path

from runtime.core import Library
from runtime.devices import Evidence, VendorLibrary, probe
from runtime.devices.cuda import LIBCUDA
from runtime.devices.isolate import describe_death


def record(path: Path | str, *, required: tuple[str, ...] = ("ncclGetVersion",)) -> VendorLibrary:
    """Describe a library that works when it opens and has what is required."""
    return VendorLibrary(
        name="fake",
        purpose="a fake",
        sonames=(str(path),),
        required=required,
        optional=("absent",),
        prove=lambda _calls: Evidence(works=True, detail="called", version="1"),
        help="build it",
    )


def test_probe_when_nothing_is_found() -> None:
    finding = probe(record("libeclosion-absent.so.0"))
    assert (finding.works, finding.path, finding.origin) == (False, None, None)
    assert finding.detail == (
        "libeclosion-absent.so.0: cannot open shared object file: No such file or directory"
    )
    assert finding.help == "build it"


def test_probe_when_an_optional_symbol_is_missing(fakes: Path) -> None:
    finding = probe(record(fakes / "libnccl.so.2"))
    assert (finding.works, finding.detail, finding.version) == (True, "called", "1")
    assert finding.help is None


def test_probe_when_a_required_symbol_is_missing(fakes: Path) -> None:
    path = fakes / "libnccl.so.2"
    finding = probe(record(path, required=("ncclGetVersion", "ncclSend")))
    assert (finding.works, finding.path) == (False, str(path))
    assert finding.detail == f"ncclSend is missing: {path}: undefined symbol: ncclSend"


def test_probe_when_the_process_has_the_library(fakes: Path) -> None:
    path = fakes / "libnccl.so.2"
    resident = Library([str(path)])
    finding = probe(replace(record(path), sonames=("libnccl.so.2",)))
    assert (finding.origin, finding.path) == ("shared", resident.path)


def test_probe_when_the_driver_cannot_explain_an_error(fakes: Path) -> None:
    """Only the symbols of a record are looked up, so the proof works without the optional ones."""
    bare = replace(LIBCUDA, sonames=(str(fakes / "libcuda.so.1"),), optional=())
    finding = probe(bare)
    assert (finding.works, finding.version, finding.detail) == (True, None, "devices: 2")


def test_death_when_nothing_was_said() -> None:
    assert describe_death(-9, b" \n") == "the probe died from SIGKILL"
    assert describe_death(1, b"one\ntwo \n") == "the probe exited with status 1: two"
