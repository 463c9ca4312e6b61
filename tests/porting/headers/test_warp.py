"""Warp functions of the header: against a model of CUDA's on the CPU, and as machine code."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from porting.headers.parts import part_names, parts_for
from porting.toolkits.sysroot import Sysroot

Make = Callable[..., Any]

SIMT = Path(__file__).parent / "simt"
PARTS = Path(__file__).parents[3] / "porting/headers/parts"
EVERYTHING = """
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
__global__ void votes(int* p, double* d, unsigned long long* u) {
  const unsigned m = __activemask();
  p[0] = __ballot_sync(m, p[1] > 2) + __any_sync(m, p[0]) + __all_sync(m, p[0]);
  p[1] = __uni_sync(m, p[3]) + __match_any_sync(m, p[1]) + __match_any_sync(m, d[1]);
  int same;
  p[2] = __match_all_sync(m, u[1], &same) + same;
  p[3] = __reduce_add_sync(m, p[1]) + __reduce_min_sync(m, p[1]) + __reduce_max_sync(m, p[1]);
  u[2] = __reduce_and_sync(m, 3u) + __reduce_or_sync(m, 4u) + __reduce_xor_sync(m, 5u);
  __syncwarp();
  __syncwarp(m);
  p[4] = __ballot(p[1]) + __any(p[2]) + __all(p[3]);
}
__global__ void shuffles(int* p, double* d, __half* h, __half2* h2, __nv_bfloat16* b) {
  const unsigned m = 0xffffffffu;
  p[0] = __shfl_sync(m, p[1], 3) + __shfl_up_sync(m, p[1], 3u);
  d[0] = __shfl_down_sync(m, d[1], 3, 16) + __shfl_xor_sync(m, d[1], 16);
  h[0] = __shfl_sync(m, h[1], 1);
  b[0] = __shfl_xor_sync(m, b[1], 1);
  h2[0] = __shfl_xor_sync(m, h2[1], 1);
  p[1] = __shfl(p[0], 2) + __shfl_up(p[0], 1) + __shfl_down(p[0], 1, 16) + __shfl_xor(p[0], 1);
}
__global__ void memory(int* p, float* f, float4* v, __half* h, __nv_bfloat16* b) {
  f[1] = __ldca(f) + __ldcs(f) + __ldlu(f) + __ldcg(f) + __ldcv(f);
  v[0] = __ldcs(v + 1);
  v[3] = __ldcg(v + 1);
  h[3] = __ldg(h);
  b[3] = __ldg(b);
  __stwb(f, 1.f); __stcg(f, 2.f); __stcs(f, 3.f); __stwt(f, 4.f); __stcs(v, v[2]);
  atomicAdd_block(p, 1); atomicSub_block(p, 1); atomicExch_block(p, 1);
  atomicMin_block(p, 1); atomicMax_block(p, 1); atomicCAS_block(p, 1, 2);
  atomicAnd_block(p, 1); atomicOr_block(p, 1); atomicXor_block(p, 1);
  atomicInc_block((unsigned*)p, 1); atomicDec_block((unsigned*)p, 1);
}
__global__ void numbers(int* p, unsigned* u, float* f, double* d, __half2* h,
                        unsigned long long* w) {
  p[0] = __dp4a(p[1], p[2], p[3]) + __dp4a(make_char4(1, 2, 3, 4), make_char4(1, 2, 3, 4), p[0]);
  u[0] = __dp4a(u[1], u[2], u[3]) + umin(u[1], 2) + umax(u[1], u[2]);
  p[1] = llmin(p[1], 3) + llmax(p[2], 4ll) + ullmin(w[1], u[1]) + ullmax(w[1], 2);
  p[3] = __popc(u[0]) + __popcll(w[0]) + __umul24(u[1], u[2]);
  p[4] = __hadd(p[1], 3u) + __rhadd(p[1], p[2]) + __hisinf(__low2half(h[4]));
  u[1] = __uhadd(u[1], p[2]) + __urhadd(u[1], u[2]);
  h[5] = __halves2half2(__hadd(__low2half(h[6]), __high2half(h[6])), __low2half(h[6]));
  p[2] = __ffsll(p[1]) + __ffsll(w[0]) + __ffsll(3) + __ffs(u[0]) + __ffs(w[0]) + __ffs(4);
#if defined(__CUDACC_EXTENDED_LAMBDA__) && defined(__CUDACC_RELAXED_CONSTEXPR__)
  p[3] = [] { return 1; }();
#endif
  d[0] = fdivide(d[1], d[2]) + fdivide(f[1], f[2]);
  sincos(f[0], f + 1, f + 2);
  sincospi(f[0], f + 1, f + 2);
  sincos(d[0], d + 1, d + 2);
  h[0] = __hmax2(h[1], __hmin2(h[2], h[3]));
}
__global__ __maxnreg__(32) void rest(const __grid_constant__ int x, int* p, float* f,
                                     __nv_bfloat162* b) {
  __nanosleep(100);
  if (__isShared(p) || __isLocal(p) || !__isGlobal(p)) __trap();
  if (p[1] == 99) __brkpt();
  b[0] = __float2bfloat162_rn(1.f);
  b[1] = __floats2bfloat162_rn(1.f, 2.f);
  b[2].x = __ushort_as_bfloat16(__bfloat16_as_ushort(b[1].x));
  b[2].y = __short_as_bfloat16(__bfloat16_as_short(b[1].y));
  f[2] = __tanhf(f[1]);
  int room[warpSize];
  room[0] = x;
  p[16] = warpSize + threadIdx.x % warpSize + room[0] + min(warpSize, p[3]);
}
int host() {
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  return properties.warpSize + warpSize;
}
"""


@pytest.mark.parametrize("mutation", ["", ">> eclosion_warp_base()", "& 31", "other > last"])
def test_warp_functions_are_cudas_on_both_widths(tmp_path: Path, mutation: str) -> None:
    """The model finds nothing, and finds faults that are put in."""
    text = (PARTS / "warp.h").read_text()
    broken = {"": "", ">> eclosion_warp_base()": "", "& 31": "& 15", "other > last": "other < 0"}
    assert mutation in text
    (tmp_path / "warp.h").write_text(text.replace(mutation, broken[mutation]) if mutation else text)
    program = tmp_path / "model"
    flags = ["-std=c++17", "-O0", "-fno-omit-frame-pointer", "-fno-builtin", "-w"]
    subprocess.run(
        [
            "g++",
            *flags,
            f"-I{tmp_path}",
            f"-I{SIMT}",
            str(SIMT / "warp_model.cpp"),
            "-o",
            str(program),
        ],
        check=True,
        timeout=55,
    )
    done = subprocess.run([str(program)], capture_output=True, text=True, timeout=55, check=False)
    assert (done.returncode == 0) == (mutation == ""), done.stdout


@pytest.mark.toolchain
@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx1100"])
@pytest.mark.parametrize("tree", ["sysroot", "sysroot_6_2"])
def test_every_part_compiles(
    make: Make, request: pytest.FixtureRequest, tmp_path: Path, arch: str, tree: str
) -> None:
    sysroot: Sysroot = request.getfixturevalue(tree)
    made = make(EVERYTHING, sysroot.rocm)
    assert part_names() - made.headers.uses.names.keys() == frozenset()
    (tmp_path / "unit.cu").write_text(EVERYTHING)
    assert assembly(sysroot, made.write(tmp_path), tmp_path / "unit.cu", arch)


def assembly(tree: Sysroot, flags: list[str], unit: Path, arch: str) -> str:
    """Compile a unit's device code to machine code, as text."""
    done = subprocess.run(
        [
            "clang++-19",
            "-x",
            "hip",
            "-std=c++17",
            f"--offload-arch={arch}",
            "-O2",
            "-w",
            f"--rocm-path={tree.path}",
            "--offload-device-only",
            *flags,
            "-isystem",
            str(tree.include),
            "-S",
            "-o",
            "-",
            str(unit),
        ],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout


@pytest.mark.toolchain
@pytest.mark.parametrize(
    ("arch", "shifts"), [("gfx90a", True), ("gfx942", True), ("gfx1100", False)]
)
def test_votes_are_shifted_on_wide_wavefronts_only(
    make: Make, sysroot: Sysroot, tmp_path: Path, arch: str, *, shifts: bool
) -> None:
    text = "__global__ void k(unsigned* p) { p[0] = __ballot_sync(~0u, p[threadIdx.x] > 7); }\n"
    (tmp_path / "unit.cu").write_text(text)
    code = assembly(sysroot, make(text).write(tmp_path), tmp_path / "unit.cu", arch)
    assert ("v_lshrrev_b64" in code) is shifts
    assert "v_cmp" in code


@pytest.mark.toolchain
def test_values_that_other_lanes_left_undefined_take_no_branch_away(
    make: Make, sysroot: Sysroot, tmp_path: Path
) -> None:
    text = (
        "__global__ void k(int* p) { int x;\n"
        "if (threadIdx.x % 32 == 0) x = p[blockIdx.x];\n"
        "p[threadIdx.x] = __shfl_sync(~0u, x, 0); }\n"
    )
    (tmp_path / "unit.cu").write_text(text)
    code = assembly(sysroot, make(text).write(tmp_path), tmp_path / "unit.cu", "gfx90a")
    assert "saveexec" in code or "s_cbranch" in code


def test_parts_come_with_what_they_need_and_no_more() -> None:
    names = [part.name for part in parts_for(["__match_all_sync"])]
    assert names == ["eclosion_warp_base", "eclosion_vote", "__match_any_sync", "__match_all_sync"]
    assert [part.name for part in parts_for(["__syncwarp"])] == ["__syncwarp"]
    assert parts_for(["cudaFree"]) == ()


def test_parts_are_formatted(program: Callable[[str], str]) -> None:
    files = [str(path) for path in sorted(PARTS.glob("*.h"))]
    style = f"--style=file:{Path(__file__).parents[3] / '.clang-format'}"
    subprocess.run(
        [program("clang-format-19"), style, "--dry-run", "-Werror", *files], check=True, timeout=50
    )
