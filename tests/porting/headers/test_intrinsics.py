"""Device functions of ordinary names in the header, and what they return."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from porting.headers.parts import parts_for

Make = Callable[..., Any]
CALL = "__device__ unsigned f(unsigned a) { return umin(a, 3u) + __dp4a(a, a, 1u); }\n"


def test_functions_that_rename_mode_rewrites_are_in_the_header(make: Make) -> None:
    made = make(CALL)
    assert made.said() == []
    assert "__device__ inline unsigned umin(unsigned a, unsigned b)" in made.text


def test_function_of_the_tree_is_not_in_the_header(make: Make) -> None:
    made = make({"a.cu": CALL, "b.cuh": "__device__ unsigned umin(unsigned a, unsigned b);\n"})
    assert "umin" not in made.text
    assert "__dp4a" in made.text


def test_products_of_bytes_are_those_of_the_definition(tmp_path: Path) -> None:
    (part,) = parts_for(["__dp4a"])
    source = tmp_path / "dp4a.cpp"
    source.write_text(
        "#define __device__\nstruct char4 { signed char x, y, z, w; };\n"
        "struct uchar4 { unsigned char x, y, z, w; };\n"
        f"{part.text}"
        "int main() {\n"
        "  if (__dp4a(int(0x80ff0102u), 0x7f010203, 5) != -128 * 127 - 1 + 2 + 6 + 5) return 1;\n"
        "  if (__dp4a(0x80ff0102u, 0x7f010203u, 5u) != 128 * 127 + 255 + 2 + 6 + 5) return 2;\n"
        "  return __dp4a(char4{-1, 2, 3, 4}, char4{5, 6, 7, 8}, 9) != -5 + 12 + 21 + 32 + 9;\n}\n"
    )
    program = tmp_path / "dp4a"
    for command in (["g++", "-std=c++17", "-o", str(program), str(source)], [str(program)]):
        subprocess.run(command, check=True, timeout=60)


BITS = """\
#include <cuda_bf16.h>
#include <cstdint>
struct Pair { std::uint16_t low, high; };
__host__ __device__ inline __nv_bfloat16 up(__nv_bfloat16 number) {
  return __ushort_as_bfloat16(__bfloat16_as_ushort(number) + 1);
}
__host__ __device__ inline bool keeps_bits() {
  return __bfloat162float(__ushort_as_bfloat16(0x3f80)) == 1.0f &&
         __bfloat162float(__short_as_bfloat16(Pair{0xc000, 1}.low)) == -2.0f &&
         __bfloat16_as_ushort(up(__float2bfloat16(1.0f))) == 0x3f81 &&
         __bfloat16_as_short(__float2bfloat16(-2.0f)) == -0x4000 &&
         __hisinf(__ushort_as_bfloat16(0xff80)) == -1 && __hisinf(__ushort_as_bfloat16(1)) == 0 &&
         __hisinf(__ushort_as_bfloat16(0x7f80)) == 1;
}
"""
HALVES = "#include <cuda_fp16.h>\n"
PRODUCTS = """\
__global__ void k(unsigned long long* n, __nv_bfloat16* p, __half* h, unsigned a) {
  n[0] = __umul24(a, a) / 3 + keeps_bits();
  p[0] = up(p[1]);
  static_assert(static_cast<decltype(__umul24(1u, 1u))>(-1) > 0, "unsigned, as in CUDA");
  static_assert(static_cast<decltype(::__popc(1u))>(-1) < 0, "int, as in CUDA");
  static_assert(static_cast<decltype(__popcll(1))>(-1) < 0, "int, as in CUDA");
  static_assert(static_cast<decltype(__ffs(1u))>(-1) < 0, "int, as in CUDA");
  static_assert(static_cast<decltype(__ffsll(1u))>(-1) < 0, "int, as in CUDA");
  static_assert(static_cast<decltype(__hadd(1u, 1u))>(-1) < 0, "int, as in CUDA");
  static_assert(sizeof(__hadd(h[0], h[1])) == 2 && sizeof(__hadd(p[0], p[1])) == 2, "a sum");
  static_assert(sizeof(__hisinf(h[0])) == 4 && sizeof(__hisinf(p[0])) == 4, "int, as in CUDA");
  int (*average)(int, int) = &__hadd;
  __half (*sum)(__half, __half) = __hadd;
  int (*sign)(__half) = &::__hisinf;
  h[0] = sum(h[1], h[average(1, 2) + sign(h[3])]);
  unsigned (*product)(unsigned, unsigned) = &__umul24;
  int (*count)(unsigned) = __popc;
  int (*place)(int) = &::__ffs;
  unsigned short (*bits)(const __nv_bfloat16) = __bfloat16_as_ushort;
  n[1] = product(a, a) + count(a) + place(1) + bits(p[0]);
}
"""


@pytest.mark.parametrize("release", ["7.1", "6.2"])
def test_bits_of_bfloat16_are_kept_in_code_for_the_host(
    make: Make, request: pytest.FixtureRequest, tmp_path: Path, release: str
) -> None:
    tree = request.getfixturevalue("sysroot" if release == "7.1" else "sysroot_6_2")
    made = make({"a.cpp": BITS}, release)
    flags = [*made.write(tmp_path), "-isystem", str(tree.include)]
    source, program = tmp_path / "a.cpp", tmp_path / "a"
    source.write_text(BITS + "int main() { return keeps_bits() ? 0 : 1; }\n")
    command = ["g++", "-std=c++17", *flags, str(source), "-o", str(program)]
    for step in (command, [str(program)]):
        done = subprocess.run(step, capture_output=True, text=True, timeout=100, check=False)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("release", ["7.1", "6.2"])
def test_device_functions_return_what_those_of_cuda_do(
    make: Make, request: pytest.FixtureRequest, tmp_path: Path, release: str
) -> None:
    sysroot = request.getfixturevalue("sysroot" if release == "7.1" else "sysroot_6_2")
    made = make({"a.cu": HALVES + BITS + PRODUCTS}, release)
    assert made.said() == []
    flags = [f"--rocm-path={sysroot.path}", *made.write(tmp_path), "-isystem", str(sysroot.include)]
    unit = tmp_path / "unit.hip"
    unit.write_text(HALVES + BITS + PRODUCTS)
    command = ["clang++-19", "-x", "hip", "-std=c++17", "-w", "--offload-arch=gfx942", *flags]
    done = subprocess.run(
        [*command, "-fsyntax-only", "-nogpulib", "--cuda-device-only", str(unit)],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
