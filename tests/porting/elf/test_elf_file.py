"""Programs, libraries, objects and archives, compared with two independent readers."""

import subprocess
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection
from elftools.elf.sections import SymbolTableSection

from porting.elf import ElfError, ElfFile, Kind, Other, Wanted, read_binary

Compile = Callable[..., Path]
TAGS = ("DT_NEEDED", "DT_SONAME", "DT_RUNPATH")
LIBRARY = "extern int outer(int); int inner(int x) { return outer(x); }"


def only(path: Path, wanted: Wanted | None = None) -> ElfFile:
    (file,) = read_binary(path, wanted).members
    return file


def test_library_when_linked_with_everything(build: Compile, tmp_path: Path) -> None:
    outer = build("libouter.so.3", "int outer(int x) { return x; }", *shared("libouter.so.3"))
    flags = ("-Wl,--enable-new-dtags,-rpath,/opt/rocm/lib:$ORIGIN", "-Wl,--no-as-needed")
    path = build("liba.so", LIBRARY, *shared("liba.so.1"), *flags, outer)
    file = only(path)
    assert (file.kind, file.machine, file.soname) == (Kind.SHARED, "x86-64", "liba.so.1")
    assert file.needed == ("libouter.so.3", "libc.so.6")
    assert (file.rpath, file.runpath) == (None, ("/opt/rocm/lib", "$ORIGIN"))
    assert "outer" in {symbol.name for symbol in file.undefined}
    assert "inner" in file.defined
    assert file.fixed_places == ()
    assert not file.text_relocations


def shared(soname: str) -> tuple[str, ...]:
    return ("-shared", "-fPIC", f"-Wl,-soname,{soname}")


def test_rpath_when_the_old_tag_is_asked_for(build: Compile) -> None:
    file = only(build("a.so", LIBRARY, "-shared", "-fPIC", "-Wl,--disable-new-dtags,-rpath,/a:/b"))
    assert (file.rpath, file.runpath) == (("/a", "/b"), None)


@pytest.mark.parametrize(
    ("flags", "kind"),
    [
        (("-pie",), Kind.EXECUTABLE),
        (("-no-pie",), Kind.EXECUTABLE),
        (("-static",), Kind.EXECUTABLE),
        (("-c",), Kind.OBJECT),
        (("-shared", "-fPIC"), Kind.SHARED),
    ],
)
def test_kind_when_built_each_way(build: Compile, flags: tuple[str, ...], kind: Kind) -> None:
    assert only(build("a", "int main(void) { return 0; }", *flags)).kind is kind


def test_kind_when_a_library_can_be_run_too() -> None:
    (libc,) = Path("/lib").glob("x86_64-linux-gnu/libc.so.6")
    assert only(libc).kind is Kind.SHARED


def test_symbols_when_an_object_has_weak_ones(build: Compile) -> None:
    text = "extern int a(void), b(void) __attribute__((weak)); int c(void){return b ? a() : 0;}"
    file = only(build("a.o", text, "-c"))
    assert {(symbol.name, symbol.weak) for symbol in file.undefined} >= {("a", False), ("b", True)}
    assert file.defined == {"c"}


@pytest.mark.parametrize("style", ["gnu", "sysv", "both"])
def test_symbols_when_hashed_each_way(build: Compile, style: str) -> None:
    file = only(build("a.so", LIBRARY, "-shared", "-fPIC", f"-Wl,--hash-style={style}"))
    assert "inner" in file.defined
    assert "outer" in {symbol.name for symbol in file.undefined}


@pytest.mark.parametrize("style", ["gnu", "sysv"])
def test_symbols_when_the_section_table_is_cut_away(build: Compile, style: str) -> None:
    path = build("a.so", LIBRARY, "-shared", "-fPIC", f"-Wl,--hash-style={style}")
    before = only(path)
    data = bytearray(path.read_bytes())
    data[0x28:0x30] = bytes(8)  # e_shoff
    data[0x3C:0x40] = bytes(4)  # e_shnum, e_shstrndx
    path.write_bytes(data)
    after = only(path)
    assert after.sections == ()
    assert (after.needed, after.defined) == (before.needed, before.defined)
    assert set(after.undefined) == set(before.undefined)


def test_versions_when_a_library_gives_and_needs_them(build: Compile, tmp_path: Path) -> None:
    script = tmp_path / "map"
    script.write_text("V_1 { global: outer; local: *; }; V_2 { global: newer; } V_1;")
    text = "int outer(int x) { return x; } int newer(void) { return 2; }"
    flags = (*shared("libouter.so"), f"-Wl,--version-script={script}")
    outer = build("libouter.so", text, *flags)
    user = only(build("a.so", LIBRARY, "-shared", "-fPIC", outer))
    assert user.version_needs["libouter.so"] == ("V_1",)
    wanted = {s.name: (s.library, s.version) for s in user.undefined}
    assert wanted["outer"] == ("libouter.so", "V_1")


def test_wanted_when_symbols_are_local_and_texts_are_constants(build: Compile) -> None:
    text = (
        '__attribute__((visibility("hidden"))) int secret(void) { return 1; }'
        'int shown(void) { return secret(); } const char *n(void) { return "libcuda.so.1"; }'
    )
    wanted = Wanted(("secret", "cret", "absent"), (b"libcuda", b"libfoo"), libraries=True)
    path = build("a.so", text, "-shared", "-fPIC")
    assert only(path, wanted).holds == {"secret", "libcuda"}
    assert only(path, wanted).libraries == ("libcuda.so.1",)
    subprocess.run(["strip", path], check=True, timeout=50)
    assert only(path, wanted).holds == {"libcuda"}


def test_wanted_when_a_symbol_is_only_used(build: Compile) -> None:
    path = build("a.so", LIBRARY, "-shared", "-fPIC")
    assert only(path, Wanted(("outer",))).holds == frozenset()


def test_file_when_compared_with_pyelftools() -> None:
    spec = find_spec("torch")
    if spec is None or spec.origin is None:
        pytest.skip("torch is not installed; its libraries are those of a real packer")
    folder = Path(spec.origin).parent / "lib"
    for name in ("libc10.so", "libtorch_global_deps.so"):
        same_as_pyelftools(folder / name)


def test_file_when_system_libraries_are_compared_with_pyelftools() -> None:
    paths = [p for p in Path("/usr/lib/x86_64-linux-gnu").glob("lib[a-m]*.so.*") if p.is_file()]
    assert len(paths) > 20
    for path in sorted(paths)[:40]:
        same_as_pyelftools(path)


def same_as_pyelftools(path: Path) -> None:
    mine = only(path)
    with path.open("rb") as stream:
        elf = ELFFile(stream)
        dynamic = elf.get_section_by_name(".dynamic")
        assert isinstance(dynamic, DynamicSection)
        told = [(tag.entry.d_tag, tag) for tag in dynamic.iter_tags()]
        tags = {
            name: [getattr(t, name[3:].lower(), "") for k, t in told if k == name] for name in TAGS
        }
        assert list(mine.needed) == tags["DT_NEEDED"]
        assert [mine.soname] == (tags["DT_SONAME"] or [""])
        assert mine.runpath == (
            tuple(tags["DT_RUNPATH"][0].split(":")) if tags["DT_RUNPATH"] else None
        )
        table = elf.get_section_by_name(".dynsym")
        assert isinstance(table, SymbolTableSection)
        symbols = [s for s in table.iter_symbols() if s["st_info"]["bind"] != "STB_LOCAL"]
        undefined = {s.name for s in symbols if s["st_shndx"] == "SHN_UNDEF"}
        assert {s.name for s in mine.undefined} == undefined - {""}
        assert mine.defined == {s.name for s in symbols if s["st_shndx"] != "SHN_UNDEF"}
        assert [s.name for s in mine.sections] == [s.name for s in elf.iter_sections()]
        needs = elf.get_section_by_name(".gnu.version_r")
        given = needs.iter_versions() if isinstance(needs, GNUVerNeedSection) else ()
        assert {k: set(v) for k, v in mine.version_needs.items()} == {
            version.name: {aux.name for aux in auxiliaries} for version, auxiliaries in given
        }


def test_sections_when_there_are_more_than_the_header_can_count(build: Compile) -> None:
    lines = "".join(f'.section .t{n},"a"\n.byte 1\n' for n in range(66_000))
    file = only(build("many.o", lines, "-c", suffix=".s"))
    assert len(file.sections) > 66_000
    assert file.has_section(".t65999")


def test_archive_when_it_holds_objects_and_others(build: Compile, tmp_path: Path) -> None:
    member = build("a_member_with_a_long_name.o", LIBRARY, "-c")
    other = tmp_path / "lib.rmeta"
    other.write_bytes(b"rust")
    path = tmp_path / "libx.a"
    subprocess.run(["ar", "rcs", path, member, other], check=True, timeout=50)
    binary = read_binary(path)
    assert binary.is_archive
    assert [file.name for file in binary.members] == [f"{path}({member.name})"]
    assert binary.members[0].defined == {"inner"}
    assert binary.others == (Other("lib.rmeta", "no object"),)


def test_archive_when_thin(build: Compile, tmp_path: Path) -> None:
    build("member.o", LIBRARY, "-c")
    subprocess.run(["ar", "rcsT", "libx.a", "member.o"], cwd=tmp_path, check=True, timeout=50)
    assert read_binary(tmp_path / "libx.a").members[0].defined == {"inner"}
    (tmp_path / "member.o").unlink()
    with pytest.raises(ElfError, match=r"member\.o cannot be read: no such file"):
        read_binary(tmp_path / "libx.a")


def test_archive_when_it_holds_an_archive(build: Compile, tmp_path: Path) -> None:
    """Linkers do not look into it; a thin archive has its members in its place."""
    build("member.o", LIBRARY, "-c")
    build("a_member_with_a_long_name.o", LIBRARY, "-c")
    build("sole.o", LIBRARY, "-c")
    (tmp_path / "code.bc").write_bytes(b"BC\xc0\xde")
    for words in (
        ("rcs", "inner.a", "member.o", "a_member_with_a_long_name.o"),
        ("rcs", "outer.a", "inner.a", "sole.o", "code.bc"),
        ("rcsT", "thin.a", "inner.a", "sole.o"),
    ):
        subprocess.run(["ar", *words], cwd=tmp_path, check=True, timeout=50)
    outer = read_binary(tmp_path / "outer.a")
    assert [file.name for file in outer.members] == [f"{tmp_path}/outer.a(sole.o)"]
    assert outer.others == (Other("inner.a", "an archive"), Other("code.bc", "LLVM bitcode"))
    thin = read_binary(tmp_path / "thin.a")
    assert [file.name.partition("(")[2] for file in thin.members] == [
        "inner.a(member.o))",
        "inner.a(a_member_with_a_long_name.o))",
        "sole.o)",
    ]
    assert all(file.defined == {"inner"} for file in thin.members)


def test_archive_when_thin_and_the_archive_that_it_names_is_another(
    build: Compile, tmp_path: Path
) -> None:
    build("member.o", LIBRARY, "-c")
    for words in (("rcs", "inner.a", "member.o"), ("rcsT", "thin.a", "inner.a")):
        subprocess.run(["ar", *words], cwd=tmp_path, check=True, timeout=50)
    (tmp_path / "inner.a").write_bytes(b"!<arch>\n")
    with pytest.raises(ElfError, match=r"inner\.a\) is damaged: no archive member begins at 0x"):
        read_binary(tmp_path / "thin.a")


def test_archive_when_written_the_way_of_bsd(build: Compile, tmp_path: Path) -> None:
    member = build("member.o", LIBRARY, "-c").read_bytes()
    name = b"a name of BSD.o\0"
    size = len(name) + len(member)
    header = f"{f'#1/{len(name)}':16}{0:<12}{0:<6}{0:<6}{'100644':8}{size:<10}`\n".encode()
    path = tmp_path / "libx.a"
    path.write_bytes(b"!<arch>\n" + header + name + member)
    assert [f.name for f in read_binary(path).members] == [f"{path}(a name of BSD.o)"]


def edited(path: Path, offset: int, data: bytes) -> Path:
    content = bytearray(path.read_bytes())
    content[offset : offset + len(data)] = data
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("offset", "data", "reason"),
    [
        (0, b"#!/bin/sh\n", r"is no ELF file: it begins with b'#!/bin/sh"),
        (4, b"\1", "is a 32-bit ELF file"),
        (5, b"\2", "is a big-endian ELF file"),
        (16, b"\4\0", "has ELF type 4"),
        (0x20, b"\xff" * 8, "segments at .* ends outside"),
        (0x28, b"\xff\xff\xff\x7f\0\0\0\0", "section header at .* ends outside"),
        (0x3C, b"\xff\xff", "65535 sections at .* ends outside"),
        (0x3E, b"\xf0\0", "section 240 should hold the names"),
    ],
)
def test_file_when_its_header_is_wrong(
    build: Compile, offset: int, data: bytes, reason: str
) -> None:
    path = edited(build("a.so", LIBRARY, "-shared", "-fPIC"), offset, data)
    with pytest.raises(ElfError, match=reason):
        read_binary(path)


@pytest.mark.parametrize("size", [0, 1, 4, 16, 63, 64, 200, 4096, 12000])
def test_file_when_cut_off(build: Compile, size: int) -> None:
    path = build("a.so", LIBRARY, "-shared", "-fPIC")
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(ElfError, match=r"is no ELF file|is damaged"):
        read_binary(path)


def test_file_when_zeros_follow_its_magic(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"\x7fELF" + bytes(4096))
    with pytest.raises(ElfError, match="is a 32-bit ELF file"):
        read_binary(path)


def test_file_when_it_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(ElfError, match="nothing cannot be read: no such file"):
        read_binary(tmp_path / "nothing")
    with pytest.raises(ElfError, match="cannot be read: is a directory"):
        read_binary(tmp_path)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"!<arch>\nnonsense", "header of a member"),
        (b"!<arch>\n" + b" " * 60, "no archive member begins"),
        (b"!<arch>\n" + f"{'/7':16}{'':32}{4:<10}`\n".encode() + b"\x7fELF", "no long name at 7"),
        (b"!<arch>\n" + f"{'a.o/':16}{'':32}{99:<10}`\n".encode() + b"\x7fELF", "ends outside"),
        (b"!<arch>\n" + f"{'#1/9':16}{'':32}{4:<10}`\n".encode() + b"\x7fELF", "is longer than"),
    ],
)
def test_archive_when_damaged(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "a.a"
    path.write_bytes(content)
    with pytest.raises(ElfError, match=reason):
        read_binary(path)
