"""Device code in host files: clang's bundles, plain and compressed, and NVIDIA's fatbins."""

import struct
import subprocess
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from porting.elf import DeviceCode, ElfError, read_binary, zstd
from porting.toolkits.sysroot import Sysroot

Compile = Callable[..., Path]
KERNEL = "#include <hip/hip_runtime.h>\n__global__ void k(int *p) { *p = 1; }\n"
TARGETS = ("gfx90a:xnack+", "gfx942")


def codes(path: Path) -> tuple[DeviceCode, ...]:
    return tuple(code for member in read_binary(path).members for code in member.device_code)


def hip(sysroot: Sysroot, output: Path, *flags: str, text: str = KERNEL) -> Path:
    source = output.with_suffix(".hip")
    source.write_text(text)
    archs = [f"--offload-arch={target}" for target in TARGETS]
    command = ["clang++-19", "-x", "hip", f"--rocm-path={sysroot.path}", "-isystem"]
    command += [str(sysroot.include), "-fPIC", "-c", *archs, *flags, str(source), "-o", str(output)]
    subprocess.run(command, check=True, timeout=200)
    return output


def test_bundle_when_clang_made_it(sysroot: Sysroot, tmp_path: Path) -> None:
    path = hip(sysroot, tmp_path / "a.o")
    assert codes(path) == (DeviceCode(".hip_fatbin", "rocm", TARGETS),)


def test_bundles_when_two_units_are_linked(sysroot: Sysroot, tmp_path: Path) -> None:
    units = [hip(sysroot, tmp_path / f"{n}.o", text=KERNEL.replace("k(", f"k{n}(")) for n in "ab"]
    library = tmp_path / "a.so"
    linked = ["gcc", "-shared", *map(str, units), f"-L{sysroot.path}/lib", "-lamdhip64"]
    subprocess.run([*linked, "-o", library], check=True, timeout=50)
    assert [code.targets for code in codes(library)] == [TARGETS, TARGETS]


def test_bundle_when_clang_compressed_it(sysroot: Sysroot, tmp_path: Path) -> None:
    path = hip(sysroot, tmp_path / "a.o", "--offload-compress")
    assert b"CCOB" in path.read_bytes()
    assert [code.targets for code in codes(path)] == [TARGETS]


def test_sections_when_clang_left_device_code_to_link(sysroot: Sysroot, tmp_path: Path) -> None:
    path = hip(sysroot, tmp_path / "a.o", "-fgpu-rdc")
    assert [code.targets for code in codes(path)] == [(target,) for target in TARGETS]


def test_packages_when_clangs_newer_driver_made_them(sysroot: Sysroot, tmp_path: Path) -> None:
    path = hip(sysroot, tmp_path / "a.o", "--offload-new-driver", "-fgpu-rdc")
    assert {target for code in codes(path) for target in code.targets} == set(TARGETS)


def bundle(*entries: str) -> bytes:
    head = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(entries))
    rows = [struct.pack("<QQQ", 4096, 0, len(e)) + e.encode() for e in entries]
    return head + b"".join(rows)


def compressed(version: int, method: int, data: bytes, plain: int) -> bytes:
    sizes = {1: "<IQ", 2: "<IIQ", 3: "<QQQ"}[version]
    whole = 8 + struct.calcsize(sizes) + len(data)
    numbers = (plain, 0) if version == 1 else (whole, plain, 0)
    return b"CCOB" + struct.pack("<HH", version, method) + struct.pack(sizes, *numbers) + data


def section(build: Compile, name: str, data: bytes) -> Path:
    """Return an object with a section of these bytes, written by the assembler."""
    values = ",".join(map(str, data))
    text = f'.section {name},"a",@progbits\n.p2align 12\n.byte {values}\n'
    return build("made.o", text, "-c", suffix=".s")


@pytest.mark.parametrize(
    ("entry", "target"),
    [
        ("hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-"),
        ("hip-amdgcn-amd-amdhsa-gfx906", "gfx906"),
        ("hip-amdgcn-amd-amdhsa-unknown-gfx1100", "gfx1100"),
        ("hipv4-amdgcn-amd-amdhsa--gfx9-4-generic", "gfx9-4-generic"),
        ("hip-spirv64-amd-amdhsa--amdgcnspirv", "amdgcnspirv"),
    ],
)
def test_entry_when_written_each_way(build: Compile, entry: str, target: str) -> None:
    path = section(build, ".hip_fatbin", bundle("host-x86_64-unknown-linux-gnu-", entry))
    assert [code.targets for code in codes(path)] == [(target,)]


@pytest.mark.parametrize("version", [1, 2, 3])
def test_bundle_when_compressed_with_zlib(build: Compile, version: int) -> None:
    plain = bundle("host-x86_64--", "hipv4-amdgcn-amd-amdhsa--gfx942") + bytes(1 << 20)
    packed = compressed(version, 0, zlib.compress(plain), len(plain))
    padded = packed + bytes(-len(packed) % 4096)
    found = codes(section(build, ".hip_fatbin", padded + packed))
    assert [code.targets for code in found] == [("gfx942",), ("gfx942",)]


def test_bundle_when_zstd_is_nowhere(
    build: Compile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name of the library is that of a file which is none, as on a machine without it."""
    nothing = tmp_path / "libzstd.so.1"
    nothing.write_bytes(b"")
    monkeypatch.setattr("ctypes.util.find_library", lambda _: str(nothing))
    zstd._library.cache_clear()
    path = section(build, ".hip_fatbin", compressed(2, 1, b"some bytes", 1000))
    try:
        (code,) = codes(path)
    finally:
        zstd._library.cache_clear()
    assert code.targets == ()
    assert "zstd, which neither this Python nor the system's libzstd.so.1" in code.unreadable


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (bundle()[:24] + b"\xff" * 8, "claims 18446744073709551615 entries"),
        (bundle("hip-x")[:-3], "ends outside"),
        (compressed(2, 0, b"no zlib", 100), "does not decompress"),
        (compressed(2, 1, b"no zstd", 100), "it is no zstd stream"),
        (compressed(2, 0, zlib.compress(b"no bundle"), 9), "holds no bundle"),
        (compressed(2, 0, b"x" * 40, 9)[:30], "claims 64 bytes"),
    ],
)
def test_bundle_when_damaged(build: Compile, data: bytes, reason: str) -> None:
    with pytest.raises(ElfError, match=reason):
        codes(section(build, ".hip_fatbin", data))


def fatbin(*entries: tuple[int, int]) -> bytes:
    """Return a container with entries of (kind, processor) in the layout that nvcc writes."""
    body = b"".join(
        struct.pack("<HHIQIIHHIIIQQQ", kind, 0x101, 72, 16, 0, 0, 0, 1, arch, 0, 0, 0, 0, 0)
        + bytes(8)
        + bytes(16)
        for kind, arch in entries
    )
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def test_fatbin_when_made_with_the_assembler(build: Compile) -> None:
    data = fatbin((2, 80)) + bytes(8) + fatbin((2, 80), (2, 90), (1, 90))
    assert codes(section(build, ".nv_fatbin", data)) == (
        DeviceCode(".nv_fatbin", "cuda", ("sm_80",)),
        DeviceCode(".nv_fatbin", "cuda", ("sm_80", "sm_90", "compute_90")),
    )


def test_fatbin_when_damaged(build: Compile) -> None:
    whole = fatbin((2, 80))
    for data, reason in [
        (whole[:-1], "claims 16 "),
        (whole[:24] + b"\xff" * 8 + whole[32:], "entry at 0x10 claims"),
    ]:
        with pytest.raises(ElfError, match=reason):
            codes(section(build, ".nv_fatbin", data))


def test_zstd_when_a_stream_is_longer_than_wanted(program: Callable[[str], str]) -> None:
    plain = bytes(range(256)) * 4096
    command = [program("zstd"), "-c"]
    done = subprocess.run(command, input=plain, capture_output=True, check=True, timeout=50)
    assert zstd.decompress_start(done.stdout, 1000) == plain[:1000]
    assert zstd.decompress_start(done.stdout, 1 << 24) == plain
    with pytest.raises(ValueError, match="no zstd stream"):
        zstd.decompress_start(b"nothing of the kind", 100)
