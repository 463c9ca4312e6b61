"""Lane masks computed by shifts: right on every lane of wavefronts of 32 and 64 lanes."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from porting.config import Target
from porting.hipify import hipify
from porting.mapping import Names
from porting.rules import Project, collect_project
from porting.rules.warp import check
from porting.source import SourceFile

if TYPE_CHECKING:
    from porting.toolkits.sysroot import Sysroot

Port = Callable[..., Any]
Check = Callable[..., None]
SIMT = Path(__file__).parent / "simt"
EXAMPLE = Path(__file__).parents[3] / "examples/cuda_project/include/tidepool/lanes.cuh"
HEAD = """#include <cuda_runtime.h>
#include <stdint.h>
#define FULL 0xffffffffu
__device__ inline unsigned lane_id() { return threadIdx.x % warpSize; }
"""
# What a mask of some lanes looks like, and which voters it leaves, as the model names them.
SHAPES = [
    *((shape, "below") for shape in (
        "(1u << lane) - 1u",
        "(1 << lane) - 1",
        "(1u << lane_id()) - 1",
        "~(0xffffffffu << lane)",
        "~(~0u << lane)",
        "~(-1 << lane)",
        "~(FULL << lane)",
        "0xffffffffu >> (32 - lane)",
        "~0u >> (warpSize - lane)",
        "(uint32_t(1) << lane) - 1",
        "((unsigned)1 << lane) - 1u",
        "((uint32_t)1u << lane) - 1u",
        "static_cast<unsigned>((1u << lane) - 1)",
        "(unsigned)((1u << lane) - 1u)",
        "(static_cast<uint32_t>(1) << lane) - 1",
        "lane > 0 ? (1u << lane) - 1 : 0u",
    )),
    *((shape, "upto") for shape in (
        "~0u >> (31 - lane)",
        "0xFFFFFFFFu >> (31u - lane)",
        "UINT_MAX >> (31 ^ lane)",
        "FULL >> (warpSize - 1 - lane)",
        "(2u << lane) - 1",
        "(1u << (lane + 1)) - 1",
        "~(~0u << (lane + 1))",
        "((1u << lane) - 1) | (1u << lane)",
    )),
    *((shape, "above") for shape in (
        "~0u << (lane + 1)",
        "0xfffffffeu << lane",
        "~((2u << lane) - 1)",
    )),
    *((shape, "from") for shape in ("~0u << lane", "0xffffffffu << lane", "-(1u << lane)")),
    ("1u << lane", "self"),
    ("~(1u << lane)", "others"),
]  # fmt: skip
# Where the mask comes from: definitions in front, statements, and the mask that meets the votes.
SOURCES = {
    "inline": ("", "", "({shape})"),
    "function": ("__device__ unsigned f{n}(int lane) {{ return {shape}; }}", "", "f{n}(lane)"),
    "variable": ("", "const unsigned m = {shape};", "m"),
    "result kept": (
        "__device__ uint32_t f{n}(int lane) {{\n  uint32_t m = {shape};\n  return m;\n}}",
        "unsigned m; m = f{n}(lane);",
        "m",
    ),
    "function of any number": ("__device__ int f{n}(int k) {{ return {any}; }}", "", "f{n}(lane)"),
    "trailing type": (
        "__device__ auto f{n}(int k) -> unsigned {{ return {any}; }}",
        "",
        "f{n}(lane)",
    ),
    "macro": ("#define M{n}(k) ({any})", "", "M{n}(lane)"),
    "member": (
        "struct S{n} {{ __device__ unsigned m(int k) const {{ return {any}; }} }};",
        "const S{n} s{{}};",
        "s.m(lane)",
    ),
    "lambda": ("", "auto m = [&]() {{ return {shape}; }};", "m()"),
}


def written(numbered: int, shape: str, source: str) -> str:
    """Return a function that counts the voters among some lanes."""
    other = shape.replace("lane_id()", "k").replace("lane", "k")
    define, statement, mask = (
        part.format(n=numbered, shape=shape, any=other) for part in SOURCES[source]
    )
    return (
        f"{define}\n__device__ inline int count{numbered}(bool vote) {{\n"
        f"  const int lane = lane_id();\n  const unsigned votes = __ballot_sync(FULL, vote);\n"
        f"  {statement}\n  return __popc({mask} & votes);\n}}\n"
    )


def cases(source: str) -> tuple[str, str]:
    """Return the CUDA code of every shape from one kind of source, and the model's table."""
    shapes = list(enumerate(SHAPES))
    if "{any}" in "".join(SOURCES[source]):  # where nothing but the votes tells that it is a mask
        told = ("?", "warpSize", "32 -")
        shapes = [case for case in shapes if not any(word in case[1][0] for word in told)]
    code = "".join(written(number, shape, source) for number, (shape, _) in shapes)
    names = (f'{{"{shape}", count{number}, {kind}}},\n' for number, (shape, kind) in shapes)
    return HEAD + code, "".join(names)


def whole(files: dict[str, str]) -> dict[str, Any]:
    """Port a tree of files."""
    sources = [SourceFile(path, text.encode()) for path, text in files.items()]
    project = collect_project(sources)
    names = Names.load("7.1")
    return {s.path: hipify(s, Target("7.1"), names, project) for s in sources}


def run_model(folder: Path, ported: str, table: str) -> str:
    """Return what the model finds wrong in ported code; "0 failures" when nothing is."""
    lines = [line for line in ported.splitlines() if "#include" not in line]
    (folder / "ported.h").write_text("\n".join(lines))
    (folder / "cases.h").write_text(table)
    program = folder / "model"
    flags = ["-std=c++17", "-O0", "-fno-omit-frame-pointer", "-fno-builtin", "-w"]
    build = ["g++", *flags, f"-I{folder}", str(SIMT / "lanes_model.cpp"), "-o", str(program)]
    subprocess.run(build, check=True, timeout=55)
    done = subprocess.run([str(program)], capture_output=True, text=True, timeout=55, check=False)
    return done.stdout.strip()


@pytest.mark.parametrize("source", SOURCES)
def test_mask_of_some_lanes_is_right_on_both_widths(tmp_path: Path, source: str) -> None:
    code, table = cases(source)
    found = whole({"k.cu": code})["k.cu"]
    assert [d for d in found.diagnostics if d.severity.value != "note"] == []
    assert run_model(tmp_path, found.data.decode(), table) == "0 failures"


def test_votes_shifted_by_a_lane_are_right_on_both_widths(tmp_path: Path) -> None:
    shifted = [
        ("votes << (31 - lane)", "upto"),
        ("votes << (warpSize - 1 - lane)", "upto"),
        ("votes >> lane", "from"),
        ("votes >> (lane + 1)", "above"),
        ("votes >> lane + 1", "above"),
        ("__ballot_sync(FULL, vote) >> lane_id()", "from"),
        ("(votes >> lane) & 1", "self"),
    ]
    code = "".join(
        f"__device__ inline int count{number}(bool vote) {{\n  const int lane = lane_id();\n"
        "  const unsigned votes = __ballot_sync(FULL, vote);\n"
        f"  return __popc({shape}) + 0 * __popc(votes);\n}}\n"
        for number, (shape, _) in enumerate(shifted)
    )
    names = (f'{{"{shape}", count{n}, {kind}}},\n' for n, (shape, kind) in enumerate(shifted))
    found = whole({"k.cu": HEAD + code})["k.cu"]
    assert [d for d in found.diagnostics if d.severity.value != "note"] == []
    assert run_model(tmp_path, found.data.decode(), "".join(names)) == "0 failures"


def test_model_finds_masks_that_stay_in_32_bits(tmp_path: Path) -> None:
    code, table = cases("function")
    ported = whole({"k.cu": code})["k.cu"].data.decode()
    wrong = ported.replace("1ull <<", "1u <<").replace("63 - lane", "31 - lane")
    told = run_model(tmp_path, wrong, table)
    assert "(1u << lane) - 1u: wrong in a wavefront of 64 lanes" in told
    assert "~0u >> (31 - lane): wrong in a wavefront of 64 lanes" in told
    assert "(1u << lane) - 1u: wrong in a wavefront of 32 lanes" not in told


@pytest.mark.parametrize("source", ["inline", "result kept", "trailing type"])
def test_mask_of_some_lanes_compiles(
    compiles: Check, sysroot: "Sysroot", sysroot_6_2: "Sysroot", source: str
) -> None:
    text = whole({"k.cu": cases(source)[0]})["k.cu"].data.decode()
    for tree in (sysroot, sysroot_6_2):
        compiles(text, tree)


TREE = {
    "bits.h": (
        "#pragma once\n"
        "__device__ unsigned bits_below(int n);\n"
        "inline __device__ unsigned bits_upto(int n) { return (2u << n) - 1; }\n"
        "#define BIT(n) (1u << (n))\n"
    ),
    "bits.cu": (
        '#include "bits.h"\n__device__ unsigned bits_below(int n) { return (1u << n) - 1; }\n'
    ),
}


def test_mask_is_followed_over_files() -> None:
    use = (
        '#include "bits.h"\n'
        "__device__ int rank(bool vote) {\n"
        "  const int id = threadIdx.x % warpSize;\n"
        "  const unsigned votes = __ballot_sync(0xffffffffu, vote);\n"
        "  const unsigned upto = bits_upto(id);\n"
        "  const int own = (votes & BIT(id)) != 0;\n"
        "  return __popc(votes & bits_below(id)) + __popc(upto & votes) + own;\n"
        "}\n"
    )
    found = whole({**TREE, "use.cu": use})
    assert found["bits.h"].data.decode() == (
        "#pragma once\n"
        "__device__ unsigned long long bits_below(int n);\n"
        "inline __device__ unsigned long long bits_upto(int n) { return (2ull << n) - 1; }\n"
        "#define BIT(n) (1ull << (n))\n"
    )
    assert "unsigned long long bits_below(int n) { return (1ull << n) - 1; }" in (
        found["bits.cu"].data.decode()
    )
    ported = found["use.cu"].data.decode()
    assert "const unsigned long long upto = bits_upto(id);" in ported
    counts = ("__popcll(votes & bits_below(id))", "__popcll(upto & votes)")
    assert " + ".join(f"static_cast<int>({count})" for count in counts) in ported
    assert [
        d.code for f in found.values() for d in f.diagnostics if d.severity.value != "note"
    ] == []


@pytest.mark.parametrize(
    "store",
    [
        "struct S { unsigned low; __device__ S(int n) : low((1u << n) - 1) {} };",
        "__device__ void set(S& s, int n) { s.low = (1u << n) - 1; }",
        "__device__ void set(S* s, int n) { s[0].low |= 1u << n; }",
        "__device__ unsigned low; __device__ void set(int n) { low = 1u << n; }",
    ],
)
def test_member_that_masks_meet_is_a_warning_where_32_bits_are_put_into_it(store: str) -> None:
    use = (
        '#include "s.h"\n'
        "__device__ int rank(bool vote, S s) {\n"
        "  unsigned votes = __ballot_sync(-1, vote);\n"
        "  return __popc(votes & s.low) + warpSize;\n}\n"
    )
    found = whole({"s.h": f"#pragma once\n{store}\n", "use.cu": use})
    warned = [d for d in found["s.h"].diagnostics if d.severity.value != "note"]
    assert {(d.line, d.code) for d in warned} == {(2, "WRP004")}


def test_function_that_no_mask_meets_keeps_its_type() -> None:
    text = "#pragma once\n__device__ inline unsigned bits_upto(int n) { return (2u << n) - 1; }\n"
    use = '#include "bits.h"\n__device__ unsigned low(int n) { return bits_upto(n) % warpSize; }\n'
    assert whole({"bits.h": text, "use.cu": use})["bits.h"].data.decode() == text


def test_32_lane_code_keeps_its_masks(ported: Port) -> None:
    text = (
        "__device__ unsigned below() { return (1u << (threadIdx.x & 31)) - 1u; }\n"
        "__device__ int rank(unsigned votes) { return __popc(votes & below()); }\n"
    )
    assert ported(check, text).text == text


UNTOLD = [
    ("votes & (1u << (31 - lane))", "WRP013"),
    ("votes & (0x80000000u >> lane)", "WRP013"),
    ("votes & ((1u << warpSize) - 1)", "WRP013"),
    ("votes & (~0u >> n)", "WRP013"),
    ("votes << (32 - lane)", "WRP013"),
    ("votes << n", "WRP013"),
    ("~votes", "WRP004"),
    ("votes ^ 0xffffffffu", "WRP004"),
    ("votes & flags", "WRP004"),
    ("votes & narrow(n)", "WRP004"),
    ("flags & (1u << lane)", "WRP004"),
    ("g((1u << lane) - 1)", "WRP004"),
]


@pytest.mark.parametrize(("mask", "code"), UNTOLD)
def test_mask_that_cannot_be_told_is_a_warning_where_it_is_made(
    ported: Port, mask: str, code: str
) -> None:
    text = (
        "__device__ unsigned narrow(int n) { return n * 3u; }\n"
        "__device__ int f(bool p, int lane, int n) {\n"
        "  unsigned flags = load(); unsigned votes = __ballot_sync(0xffffffff, p);\n"
        f"  return __popc({mask}) + __popc(votes);\n}}\n"
    )
    found = ported(check, text, project=Project(asks_warp_size=True))
    assert set(found.said(above="note")) == {(4, code)}


@pytest.mark.parametrize(
    "statement",
    [
        "s.below = (1u << lane) - 1;",
        "words[n] |= 1u << lane;",
        "if (flags & (1u << lane)) n = 1;",
        "n = flags & (1u << lane) ? 1 : 2;",
        "unsigned a = 1, m = 1u << lane;",
    ],
)
def test_lane_bit_that_goes_into_32_bits_is_a_warning(ported: Port, statement: str) -> None:
    text = (
        f"__device__ void f(S& s, int lane, int n) {{\n  unsigned flags = g();\n  {statement}\n}}\n"
    )
    found = ported(check, text, project=Project(asks_warp_size=True))
    assert {code for line, code in found.said(above="note") if line == 3} == {"WRP004"}


@pytest.mark.parametrize(
    "statement",
    [
        "unsigned size = 1u << lane_bits;",
        "int lane = threadIdx.x & 7; unsigned bit = 1u << lane;",
        "unsigned m = 1u << plane;",
        "unsigned m = n >> lane;",
        "uint64_t m = 1ull << lane;",
        "unsigned long long m = (uint64_t)1 << lane;",
        "auto m = static_cast<uint64_t>(1) << lane;",
    ],
)
def test_shift_that_makes_no_mask_in_32_bits_is_left_alone(ported: Port, statement: str) -> None:
    text = f"__device__ void f(int n) {{ {statement} }}\n"
    found = ported(check, text, project=Project(asks_warp_size=True))
    assert found.text == text
    assert found.said() == []


def test_example_counts_its_lanes_on_both_widths(tmp_path: Path) -> None:
    """Each branch of the example's guarded functions: PTX's, and that for other compilers."""
    example = whole({"lanes.cuh": EXAMPLE.read_text()})["lanes.cuh"]
    assert [d for d in example.diagnostics if d.severity.value != "note"] == []
    text = example.data.decode().replace("#pragma once", "")
    start, end = text.index("namespace tidepool"), text.index("// `count` bits")
    counted = text[start:end] + (
        "}\ninline int rank(bool vote) {\n"
        "  return __popcll(__ballot(vote) & tidepool::lanes_below());\n}\n"
    )
    for branch in ("", "#define __HIP_DEVICE_COMPILE__ 1\n"):
        assert run_model(tmp_path, branch + counted, '{"rank", rank, below},') == "0 failures"
