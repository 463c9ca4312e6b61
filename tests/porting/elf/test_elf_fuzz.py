"""Damaged files: whatever is wrong with them, there is one kind of error and no hanging."""

import struct
import subprocess
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porting.elf import ElfError, Wanted, parse_binary

WANTED = Wanted(("inner", "outer"), (b"libcuda",), libraries=True)
SOURCE = (
    'extern int outer(int); static __thread int t; const char *n = "libcuda.so.1";'
    "int inner(int x) { return outer(x) + t++; }"
)
BUNDLE = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<QQQQ", 1, 0, 0, 12) + b"hip-a-b-c-gf"
PACKED = b"CCOB" + struct.pack("<HHIIQ", 2, 0, 24 + len(zlib.compress(BUNDLE)), 9, 0)
FATBIN = struct.pack("<IHHQHHIQ12xI", 0xBA55ED50, 1, 16, 56, 2, 0, 32, 24, 80) + bytes(36)
SEEDS = ("a.so", "a.o", "a", "a.a", "device.o")


@pytest.fixture(scope="module")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("seeds")
    (folder / "a.c").write_text(SOURCE)
    (folder / "main.c").write_text("int outer(int x) { return x; } int main(void) { return 0; }")
    bundles = BUNDLE.ljust(4096, b"\0") + PACKED + zlib.compress(BUNDLE)
    sections = [(".hip_fatbin", bundles), (".nv_fatbin", FATBIN)]
    text = [f'.section {n},"a"\n.byte {",".join(map(str, data))}\n' for n, data in sections]
    (folder / "device.s").write_text("".join(text))
    for words in (
        "gcc -shared -fPIC a.c -o a.so",
        "gcc -c -fno-pic a.c -o a.o",
        "gcc main.c a.c -o a",
        "gcc -c device.s -o device.o",
        "ar rcs a.a a.o device.o",
    ):
        subprocess.run(words.split(), cwd=folder, check=True, timeout=50)
    return {name: (folder / name).read_bytes() for name in SEEDS}


def test_seeds_when_unchanged(seeds: dict[str, bytes]) -> None:
    for name, data in seeds.items():
        assert parse_binary(data, Path(name), WANTED).members


VALUES = st.one_of(
    st.sampled_from([b"\0" * 8, b"\xff" * 8, b"\xff\xff\xff\x7f", b"\0\0\0\x80\0\0\0\0"]),
    st.binary(min_size=1, max_size=8),
)


@settings(max_examples=400, deadline=5000, suppress_health_check=[HealthCheck.too_slow])
@given(
    name=st.sampled_from(SEEDS),
    changes=st.lists(st.tuples(st.floats(0, 1), VALUES), max_size=6),
    early=st.booleans(),
    keep=st.floats(0, 1),
)
def test_file_when_mutated(
    seeds: dict[str, bytes],
    name: str,
    changes: list[tuple[float, bytes]],
    keep: float,
    *,
    early: bool,
) -> None:
    data = bytearray(seeds[name])
    reach = min(len(data), 1024) if early else len(data)
    for place, value in changes:
        offset = int(place * reach)
        data[offset : offset + len(value)] = value
    if keep < 0.2:
        del data[int(len(data) * keep * 5) :]
    told = name
    try:
        parse_binary(bytes(data), Path(name), WANTED)
    except ElfError as error:
        told = str(error)
    assert told.startswith(name)


@settings(max_examples=100, deadline=5000)
@given(st.binary(min_size=1, max_size=300))
def test_file_when_it_is_noise(noise: bytes) -> None:
    for magic in (b"", b"\x7fELF\2\1", b"!<arch>\n"):
        try:
            members = parse_binary(magic + noise, Path("noise"), WANTED).members
        except ElfError:
            continue
        assert members == ()  # an archive of nothing
