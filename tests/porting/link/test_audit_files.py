"""Paths, versions, device code and position independence of built files."""

import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from porting.elf import bundles
from porting.elf.zstd import ZstdUnavailable

if TYPE_CHECKING:
    from tests.porting.link.conftest import Bench

Assemble = Callable[[str, bytes], Path]

VERSIONED = "int hipMalloc(void **p, long n) {return 0;} int hipMemsetD2D8(void) {return 0;}"


def test_runpath_when_missing(bench: "Bench") -> None:
    (finding, _) = bench.one(bench.hip_user(runpath=None)).findings
    assert finding.code == "LNK003"
    assert finding.message == "libamdhip64.so.7: needed, and the file has no RUNPATH"
    assert finding.help == f"link with -Wl,--enable-new-dtags,-rpath,{bench.rocm}"


def test_runpath_when_missing_and_the_search_path_helps(bench: "Bench") -> None:
    """LD_LIBRARY_PATH of this shell says nothing of the user's."""
    path = bench.hip_user(runpath=None)
    assert bench.codes(path, environment=[str(bench.rocm)]) == ["LNK003"]


@pytest.mark.parametrize(
    "folder", ["/opt/rocm/lib", "/opt/rocm-7.1.0/lib", "/opt/rocm/core-7.1/lib", "$ORIGIN/rocm/lib"]
)
def test_runpath_when_right(bench: "Bench", folder: str) -> None:
    assert bench.codes(bench.hip_user(runpath=folder)) == []


@pytest.mark.parametrize(
    ("folder", "reason"),
    [
        (
            "/opt/rocm-6.2.4/lib",
            "does not hold libamdhip64.so.7; that is ROCm 6.2, the target is 7.1",
        ),
        ("$ORIGIN", "RUNPATH $ORIGIN does not hold libamdhip64.so.7"),
        ("/usr/lib/elsewhere", "RUNPATH /usr/lib/elsewhere does not hold libamdhip64.so.7"),
    ],
)
def test_runpath_when_wrong(bench: "Bench", folder: str, reason: str) -> None:
    (finding, *_) = bench.one(bench.hip_user(runpath=folder)).findings
    assert finding.code == "LNK005"
    assert finding.message.endswith(reason)


@pytest.mark.parametrize(
    ("folder", "said"),
    [
        ("/sw/rocm/lib", "/sw/rocm/lib"),
        ("/sw/rocm/lib", "/sw/rocm/lib/"),
        ("/opt/rocm-6.2.4/lib", "/opt/rocm-6.2.4/lib"),
        ("$ORIGIN/../rocm/lib", "$ORIGIN/../rocm/lib"),
        ("$ORIGIN/../rocm/lib", "${ORIGIN}/../rocm/lib"),
    ],
)
def test_runpath_when_it_is_said_to_hold_the_libraries(
    bench: "Bench", folder: str, said: str
) -> None:
    path = bench.hip_user(runpath=folder)
    assert "LNK005" in bench.codes(path)
    assert bench.codes(path, runpath=[said]) == []


def test_runpath_when_another_folder_is_said(bench: "Bench") -> None:
    path = bench.hip_user(runpath="/sw/rocm/lib:build")
    assert bench.codes(path, runpath=["/sw/rocm"]) == ["LNK005", "LNK006", "LNK006"]
    assert bench.codes(path, runpath=["/sw/rocm/lib"]) == ["LNK006"]
    assert bench.codes(path, runpath=["/sw/rocm/lib"], rocm="6.4") == ["LNK007", "LNK006"]


def test_runpath_when_missing_is_told_with_the_folder_that_was_said(bench: "Bench") -> None:
    (finding, *_) = bench.one(bench.hip_user(runpath=None), runpath=["$ORIGIN/rocm"]).findings
    assert finding.code == "LNK003"
    assert finding.help == "link with '-Wl,--enable-new-dtags,-rpath,$ORIGIN/rocm'"


def test_rpath_when_in_place_of_a_runpath(bench: "Bench") -> None:
    path = bench.hip_user("a.so", f"-Wl,--disable-new-dtags,-rpath,{bench.rocm}", runpath=None)
    (finding,) = bench.one(path).findings
    assert (finding.code, finding.message) == (
        "LNK004",
        f"RPATH {bench.rocm} is set in place of a RUNPATH",
    )


@pytest.mark.parametrize("folder", ["/srv/build/lib", "../lib", "", "build"])
def test_runpath_when_a_folder_of_the_build_is_left(bench: "Bench", folder: str) -> None:
    path = bench.hip_user(runpath=f"{bench.rocm}:{folder}")
    assert bench.codes(path) == ["LNK006"]
    assert bench.one(path).findings[0].symbol == folder


@pytest.mark.parametrize("folder", ["/usr/local/lib", "$ORIGIN/../lib", "/opt/other/lib"])
def test_runpath_when_other_folders_are_fine(bench: "Bench", folder: str) -> None:
    assert bench.codes(bench.hip_user(runpath=f"{bench.rocm}:{folder}")) == []


def test_major_when_the_target_has_another(bench: "Bench") -> None:
    path = bench.hip_user()
    assert bench.codes(path, rocm="7.2") == []
    (finding,) = bench.one(path, rocm="6.4").findings
    assert finding.code == "LNK007"
    assert finding.message == "libamdhip64.so.7 is needed; ROCm 6.4 has libamdhip64.so.6"


@pytest.mark.parametrize(
    ("soname", "rocm", "fits"),
    [
        ("libhipblas.so.2", "6.4", True),
        ("libhipblas.so.2", "7.0", False),
        ("libhipsparse.so.4", "7.1", True),
        ("libhipsparse.so.1", "7.1", False),
        ("librocblas.so.5", "7.1", True),
        ("libhipblas.so.9", "11.0", True),  # nothing is known of a release to come
    ],
)
def test_major_when_of_a_library(bench: "Bench", soname: str, rocm: str, *, fits: bool) -> None:
    blas = bench.library(bench.rocm / soname, soname, "int hipblasCreate(void*h){return 0;}")
    path = bench.build(
        "a.so", "int f(void){return hipblasCreate(0);}", blas, f"-Wl,-rpath,{bench.rocm}"
    )
    assert ("LNK007" in bench.codes(path, rocm=rocm)) is not fits


def versioned(bench: "Bench", node: str) -> Path:
    script = bench.root / "map"
    script.write_text(
        f"hip_4.2 {{ global: hipMalloc; local: *; }}; {node} {{ global: hipMemsetD2D8; }} hip_4.2;"
    )
    name = "libamdhip64.so.7"
    library = bench.library(bench.rocm / name, name, VERSIONED, f"-Wl,--version-script={script}")
    source = "int f(void) { return hipMalloc(0,1) + hipMemsetD2D8(); }"
    return bench.build("a.so", source, library, f"-Wl,-rpath,{bench.rocm}")


@pytest.mark.parametrize(
    ("node", "rocm", "since"),
    [
        ("hip_6.0", "7.1", None),
        ("hip_6.5", "7.0", None),
        ("hip_7.1", "7.1", None),
        ("hip_7.1", "7.0", "7.1"),
        ("hip_7.2", "7.1", "7.2"),
        ("hip_9.3", "7.2", "9.3"),
    ],
)
def test_version_when_asked_of_a_release(
    bench: "Bench", node: str, rocm: str, since: str | None
) -> None:
    found = [f for f in bench.one(versioned(bench, node), rocm=rocm).findings if f.code == "LNK010"]
    if since is None:
        assert found == []
        return
    message = f"version {node} of libamdhip64.so.7 is needed (by hipMemsetD2D8); it exists from"
    assert found[0].message == f"{message} ROCm {since} on, the target is {rocm}"


def bundle(*targets: str) -> bytes:
    names = [f"hipv4-amdgcn-amd-amdhsa--{target}".encode() for target in targets]
    rows = b"".join(struct.pack("<QQQ", 0, 0, len(name)) + name for name in names)
    whole = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(names)) + rows
    return whole.ljust(4096, b"\0")


@pytest.mark.parametrize(
    ("has", "wanted", "fits"),
    [
        (("gfx90a", "gfx942"), "gfx942", True),
        (("gfx90a",), "gfx942", False),
        (("gfx90a:xnack+", "gfx90a:xnack-"), "gfx90a", True),
        (("gfx90a:xnack+",), "gfx90a:xnack-", False),
        (("gfx9-4-generic",), "gfx942", True),
        (("gfx11-generic",), "gfx942", False),
        (("amdgcnspirv",), "gfx1201", True),
    ],
)
def test_device_code_when_asked_for_an_amd_gpu(
    bench: "Bench", assemble: Assemble, has: tuple[str, ...], wanted: str, *, fits: bool
) -> None:
    path = assemble(".hip_fatbin", bundle(*has))
    assert ("LNK011" in bench.codes(path, archs=[wanted])) is not fits


def test_device_code_when_one_source_lacks_an_architecture(
    bench: "Bench", assemble: Assemble
) -> None:
    path = assemble(".hip_fatbin", bundle("gfx90a", "gfx942") + bundle("gfx90a") + bundle("gfx942"))
    (finding,) = bench.one(path, archs=["gfx90a"]).findings
    assert (finding.code, finding.symbol) == ("LNK011", "gfx90a")
    start = "1 of 3 bundles in .hip_fatbin has no code for gfx90a"
    assert finding.message == f"{start}; there is gfx90a, gfx942"
    assert bench.codes(path) == []  # nothing was asked for


def fatbin(*entries: tuple[int, int]) -> bytes:
    body = b"".join(struct.pack("<HHIQ12xI", kind, 1, 32, 0, arch) for kind, arch in entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


@pytest.mark.parametrize(
    ("has", "wanted", "fits"),
    [
        ([(2, 80)], "80", True),
        ([(2, 80)], "sm_86", True),
        ([(2, 86)], "80", False),
        ([(2, 80)], "90", False),
        ([(2, 80), (1, 80)], "90", True),
        ([(1, 90)], "80", False),
    ],
)
def test_device_code_when_asked_for_an_nvidia_gpu(
    bench: "Bench", assemble: Assemble, has: list[tuple[int, int]], wanted: str, *, fits: bool
) -> None:
    path = assemble(".nv_fatbin", fatbin((2, 50)) + fatbin(*has))
    assert ("LNK011" in bench.codes(path, archs=[wanted])) is not fits


def test_device_code_when_it_cannot_be_read(
    bench: "Bench", assemble: Assemble, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unavailable(*_: object) -> bytes:
        raise ZstdUnavailable("it is compressed with zstd")

    monkeypatch.setattr(bundles, "decompress_start", unavailable)
    path = assemble(".hip_fatbin", b"CCOB" + struct.pack("<HHIIQ", 2, 1, 40, 99, 0) + bytes(16))
    (finding,) = bench.one(path, archs=["gfx942"]).findings
    assert finding.code == "LNK012"
    assert finding.message.endswith("cannot be read: it is compressed with zstd")


FIXED = "extern int outer; int f(void) { return outer; }"


def test_object_when_compiled_without_pic(bench: "Bench") -> None:
    fixed = bench.build("a.o", FIXED, "-c", "-fno-pic", shared=False)
    (finding,) = bench.one(fixed).findings
    assert (finding.code, finding.symbol) == ("LNK013", "outer")
    assert finding.message.startswith("R_X86_64_PC32 against outer in .text")
    fine = bench.build("b.o", FIXED, "-c", "-fPIC", shared=False)
    assert bench.codes(fine) == []


def test_archive_when_one_member_is_without_pic(bench: "Bench") -> None:
    fixed = bench.build("fixed.o", FIXED, "-c", "-fno-pic", shared=False)
    fine = bench.build("fine.o", FIXED, "-c", "-fPIC", shared=False)
    archive = bench.root / "libx.a"
    subprocess.run(["ar", "rcs", archive, fine, fixed], check=True, timeout=50)
    (finding,) = bench.audit(archive).findings
    assert (finding.code, finding.file) == ("LNK013", f"{archive}(fixed.o)")


def test_library_when_the_loader_has_to_patch_code(bench: "Bench") -> None:
    flags = ("-fno-pic", "-mcmodel=large", "-Wl,-z,notext")
    assert bench.codes(bench.build("a.so", FIXED, *flags)) == ["LNK020"]
    assert bench.codes(bench.build("b.so", FIXED)) == []
