"""Averages of integers, which HIP computes wrongly before ROCm 7.1, and sums of the same name."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from porting.headers.parts import parts_for
from porting.rules.device import check
from porting.toolkits.sysroot import Sysroot

Port = Callable[..., Any]
Check = Callable[..., None]
HEAD = "__device__ int f(int a, int* p, unsigned u, unsigned* v, __half h, __half2 w) {\n"
WRITTEN = [
    (
        "return __hadd(a, p[1]);",
        "return static_cast<int>((0ll + static_cast<int>(a) + static_cast<int>(p[1])) >> 1);",
    ),
    (
        "return ::__rhadd(a, f(p));",
        "return static_cast<int>((1ll + static_cast<int>(a) + static_cast<int>(f(p))) >> 1);",
    ),
    (
        "u = __uhadd(u, 3);",
        "u = static_cast<unsigned>((0ull + static_cast<unsigned>(u) + UNSIGNED(3)) >> 1);",
    ),
    (
        "v[__urhadd(u, v[a])] = 1;",
        "v[static_cast<unsigned>((1ull + static_cast<unsigned>(u) + UNSIGNED(v[a])) >> 1)] = 1;",
    ),
]
ANY = (
    "[](auto ported_x, auto ported_y) {"
    " if constexpr (__is_class(decltype(__hadd(ported_x, ported_y))))"
    " return __hadd(ported_x, ported_y);"
    " else return static_cast<int>((0ll + static_cast<int>(ported_x)"
    " + static_cast<int>(ported_y)) >> 1); }"
)
NUMBERS = [
    "__hadd(3, *t)",
    "__hadd(t[0], (a + 1) * 2)",
    "__hadd(t[0], -p[a + 1])",
    "__hadd(int(a), t[1])",
    "__hadd(__hadd(a, 1), t[0])",
    "__hadd(t[0],/* two */ 2)",
]
SUMS = [
    "__hadd(h, t)",
    "__hadd(t, w.x)",
    "__hadd(__float2half(1.5f), t[0])",
    "__hadd(t[0], __high2half(s.w))",
    "__hadd(t[0], __float2bfloat16_rn(1.f))",
    "__hadd((__half)t[0], t[1])",
    "__hadd(t[0], static_cast<__nv_bfloat16>(t[1]))",
    "__hadd(t[0], half(t[1]))",
    "__hadd(__ldg(&h), __shfl_sync(m, t[0], 1))",
    "__hadd(t[0], __hadd(h, t[1]))",
    "__hadd(__hfma(t[0], t[1], t[2]), t[0])",
    "s.__hadd(a, a)",
    "__hadd(a)",
]
KERNEL = """\
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define MEAN(x, y) __hadd(x, y)
template <typename T>
__device__ T both(const T* p) { return MEAN(__hadd(p[0], p[1]), p[2]); }
__host__ __device__ inline __nv_bfloat16 three(__nv_bfloat16 b) {
  return __hadd(__hadd(b, b), b);
}
__global__ void k(__half* h, __nv_bfloat16* b, int* n, unsigned* u, const uint8_t* bytes) {
  h[0] = both(h);
  b[0] = three(both(b));
  n[0] = both(n);
  n[1] = n[__hadd(bytes[0], bytes[1] + threadIdx.x)] + MEAN(n[3], 7) + __rhadd(n[0], -1);
  u[0] = __uhadd(u[1], u[2]) + __urhadd(u[2], u[0]);
}
"""


@pytest.mark.parametrize(("before", "after"), WRITTEN)
def test_average_is_written_for_releases_that_compute_another(
    ported: Port, before: str, after: str
) -> None:
    text = f"{HEAD}  {before}\n}}\n"
    found = ported(check, text, "6.4")
    assert found.text.splitlines()[1].strip() == after.replace("UNSIGNED", "static_cast<unsigned>")
    assert found.said() == [(2, "DEV018")]
    assert found.said(above="note") == []
    assert ported(check, text, "7.1").text == text


@pytest.mark.parametrize("call", NUMBERS)
def test_average_of_a_known_number_is_written_as_one(ported: Port, call: str) -> None:
    found = ported(check, f"{HEAD}  auto m = {call};\n}}\n", "6.2")
    assert "__hadd" not in found.text
    assert "auto m = static_cast<int>((0ll + " in found.text
    assert ("/* two */" in found.text) == ("/* two */" in call)


@pytest.mark.parametrize("call", SUMS)
def test_sum_of_halves_is_left(ported: Port, call: str) -> None:
    text = f"{HEAD}  auto sum = {call};\n}}\n"
    found = ported(check, text, "6.2")
    assert found.text == text
    assert found.said() == []


def test_average_or_sum_is_chosen_by_the_compiler_where_operands_are_not_known(
    ported: Port,
) -> None:
    text = (
        "template <class T> __device__ T f(T a, T* p) {\n  return p[__hadd(a, g(a))] + CALL;\n}\n"
    )
    found = ported(check, text.replace("CALL", "__hadd(a, *p)"), "6.2")
    assert f"return p[({ANY}(a, g(a)))] + {ANY}(a, *p);" in found.text
    assert found.said() == [(2, "DEV018"), (2, "DEV018")]


def test_averages_and_sums_compile_when_they_are_written(
    ported: Port, compiles: Check, sysroot: Sysroot, sysroot_6_2: Sysroot
) -> None:
    written = ported(check, KERNEL, "6.2").text
    assert "static_cast<unsigned>((1ull + static_cast<unsigned>(u[2])" in written
    assert "return __hadd(__hadd(b, b), b);" in written
    for tree in (sysroot, sysroot_6_2):
        compiles(written.replace("nv_bfloat", "hip_bfloat").replace("cuda_", "hip/hip_"), tree)


def test_average_that_is_named_without_a_call_is_a_warning(ported: Port) -> None:
    text = f"{HEAD}  apply(a, __rhadd);\n}}\n"
    assert ported(check, text, "6.2").said(above="note") == [(2, "DEV019")]
    assert ported(check, text, "7.1").said() == []


PROGRAM = """\
#include <climits>
#include <cstdio>
#define __device__
#define __host__
HEADER
struct __half { float value; };
struct __hip_bfloat16 { float value; };
inline __half __hadd(__half a, __half b) { return {a.value + b.value}; }
inline __hip_bfloat16 __hadd(__hip_bfloat16 a, __hip_bfloat16 b) { return {a.value + b.value}; }
PART
using i64 = long long;
int wrong = 0;
template <typename T> auto any(T a, T b) { return __hadd(a, b); }
void expect(i64 found, i64 wanted) { wrong += found != wanted; }
// Half of a sum, rounded down.
i64 half(i64 sum) { return sum < 0 ? -((1 - sum) / 2) : sum / 2; }
void check(int a, int b) {
  const unsigned c = a, d = b;
  expect(__hadd(a, b), half(i64(a) + b));
  expect(any(a, b), half(i64(a) + b));
  expect(any(c, d), half(i64(a) + b));
  expect(i64(__hadd(a, b)) + 1, half(i64(a) + b) + 1);
  expect(__rhadd(a, b), half(i64(a) + b + 1));
  expect(__uhadd(c, d), half(i64(c) + d));
  expect(__urhadd(c, d), half(i64(c) + d + 1));
}
int main() {
  const int edges[] = {0, 1, 2, 3, -1, -2, 123, -789, INT_MAX, INT_MAX - 1, INT_MIN, INT_MIN + 1};
  for (int a : edges)
    for (int b : edges) check(a, b);
  int at = 0;
  const int mean = __hadd(at++, 4);
  expect(mean + at, 3);
  expect(any(__half{1.5f}, __half{2.5f}).value, 4);
  expect(any(__hip_bfloat16{2.5f}, __hip_bfloat16{4.5f}).value, 7);
  std::printf("%d", wrong);
}
"""
_BODY = re.compile(r"__device__ static inline [\w ]+? __(?:u?r?hadd)\(.*?\n}", re.DOTALL)


def executed(text: str, folder: Path, tree: Sysroot) -> int:
    """Return how many values are wrong when a program runs with a release's own functions."""
    header = tree.include / "hip/amd_detail/amd_device_functions.h"
    bodies = _BODY.findall(header.read_text())
    assert len(bodies) == 4
    source, program = folder / "a.cpp", folder / "a"
    source.write_text(text.replace("HEADER", "\n".join(bodies)))
    command = ["clang++-19", "-std=c++17", "-fwrapv", "-w", "-o", str(program), str(source)]
    subprocess.run(command, check=True, timeout=60)
    done = subprocess.run([str(program)], capture_output=True, text=True, timeout=60, check=True)
    return int(done.stdout)


def test_averages_are_those_of_cuda_when_they_run(
    ported: Port, tmp_path: Path, sysroot_6_2: Sysroot
) -> None:
    text = PROGRAM.replace("PART", "")
    assert executed(text, tmp_path, sysroot_6_2) > 100
    assert executed(ported(check, text, "6.2").text, tmp_path, sysroot_6_2) == 0


def test_averages_of_a_compat_header_are_those_of_cuda_when_they_run(
    tmp_path: Path, sysroot_6_2: Sysroot
) -> None:
    names = ("__hadd", "__rhadd", "__uhadd", "__urhadd")
    parts = "#define HIP_VERSION 60200000\n" + "".join(part.text for part in parts_for(names))
    assert executed(PROGRAM.replace("PART", parts), tmp_path, sysroot_6_2) == 0
