"""DPP, swizzles and permutes of AMD's devices on the emulator, against the ISA's tables."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from porting.emulate.toolkits import Headers
from porting.toolkits.sysroot import Sysroot
from tests.porting.emulate.device_code import Device, Launch

pytestmark = pytest.mark.timeout(600)

RUNTIME = "#include <hip/hip_runtime.h>\n"
WAVES = pytest.mark.parametrize("wave", [32, 64])
OLD = 1000

# What a control reads: the lane, None for none.
Source = Callable[[int, int], int | None]


def _quad(lane: int, wave: int) -> int | None:
    return (lane & ~3) + (2, 0, 3, 1)[lane & 3]


def _row_shl(lane: int, wave: int) -> int | None:
    return lane + 3 if lane % 16 + 3 < 16 else None


def _row_shr(lane: int, wave: int) -> int | None:
    return lane - 5 if lane % 16 >= 5 else None


def _row_ror(lane: int, wave: int) -> int | None:
    return lane // 16 * 16 + (lane - 4) % 16


def _wave_shl(lane: int, wave: int) -> int | None:
    return lane + 1 if lane + 1 < wave else None


def _wave_ror(lane: int, wave: int) -> int | None:
    return (lane - 1) % wave


def _mirror(lane: int, wave: int) -> int | None:
    return lane // 16 * 16 + 15 - lane % 16


def _half_mirror(lane: int, wave: int) -> int | None:
    return lane // 8 * 8 + 7 - lane % 8


def _bcast15(lane: int, wave: int) -> int | None:
    return lane // 16 * 16 - 1 if lane >= 16 else None


def _bcast31(lane: int, wave: int) -> int | None:
    return 31 if lane >= 32 else None


def _newbcast(lane: int, wave: int) -> int | None:
    return lane // 16 * 16 + 7


CONTROLS: dict[int, Source] = {
    0b01_11_00_10: _quad,
    0x103: _row_shl,
    0x115: _row_shr,
    0x124: _row_ror,
    0x130: _wave_shl,
    0x13C: _wave_ror,
    0x140: _mirror,
    0x141: _half_mirror,
    0x142: _bcast15,
    0x143: _bcast31,
    0x157: _newbcast,
}


def _device(sysroot: Sysroot, wave: int, folder: Path) -> Device:
    return Device(Headers("rocm", sysroot.path, sysroot.rocm), wave, folder)


@WAVES
def test_dpp_moves_what_the_control_names(sysroot: Sysroot, wave: int, tmp_path: Path) -> None:
    lines = "".join(
        f"out[{3 * number} * {wave} + i] ="
        f" __builtin_amdgcn_update_dpp({OLD}, i, {control}, 15, 15, false);\n"
        f"out[{3 * number + 1} * {wave} + i] ="
        f" __builtin_amdgcn_update_dpp({OLD}, i, {control}, 10, 6, true);\n"
        f"out[{3 * number + 2} * {wave} + i] = __hip_move_dpp(i, {control}, 15, 15, true);\n"
        for number, control in enumerate(CONTROLS)
    )
    source = f'{RUNTIME}extern "C" __global__ void dpp(int* out) {{ int i = threadIdx.x; {lines} }}'
    out = np.zeros((len(CONTROLS), 3, wave), np.int32)
    ran = _device(sysroot, wave, tmp_path).run(source, [Launch("dpp", (out,), block=(wave, 1, 1))])
    found = ran.arguments[0][0]
    for number, (control, read) in enumerate(CONTROLS.items()):
        for lane in range(wave):
            from_lane = read(lane, wave)
            kept = OLD if from_lane is None else from_lane
            moved = 0 if from_lane is None else from_lane
            is_written = 10 >> (lane // 16 % 4) & 1 and 6 >> (lane // 4 % 4) & 1
            wanted = [kept, moved if is_written else OLD, moved]
            assert list(found[number, :, lane]) == wanted, (hex(control), lane)
    assert not ran.findings


@WAVES
def test_swizzles_and_permutes_move_what_they_name(
    sysroot: Sysroot, wave: int, tmp_path: Path
) -> None:
    source = (
        RUNTIME
        + """
extern "C" __global__ void paths(const int* to, int* out) {
  const int i = threadIdx.x;
  int* mine = out + 6 * i;
  mine[0] = __hip_ds_swizzle(i, 0x7C1F & ~0x0003);
  mine[1] = __hip_ds_swizzle(i, 0x80B1);
  mine[2] = __hip_ds_bpermute(to[i] << 2, i);
  mine[3] = __hip_ds_permute(to[i] << 2, i);
  mine[4] = (int)__hip_ds_bpermutef(to[i] << 2, 2.0f * i);
  mine[5] = __builtin_amdgcn_writelane(77, 3, __builtin_amdgcn_readlane(i, 9));
}
"""
    )
    to = (np.arange(wave) * 5 + 3).astype(np.int32) % wave
    out = np.zeros((wave, 6), np.int32)
    ran = _device(sysroot, wave, tmp_path).run(
        source, [Launch("paths", (to, out), block=(wave, 1, 1))]
    )
    found = ran.arguments[0][1]
    pushed = {int(target): lane for lane, target in enumerate(to)}
    for lane in range(wave):
        swizzled = (lane & ~31) + ((lane & 31 & 0x1C) ^ 31)
        quad = (lane & ~3) + (1, 0, 3, 2)[lane & 3]
        wanted = [swizzled, quad, to[lane], pushed[lane], 2 * to[lane], 77 if lane == 3 else 9]
        assert list(found[lane]) == wanted, lane
    assert not ran.findings


@WAVES
def test_lanes_that_do_not_run_give_nothing(sysroot: Sysroot, wave: int, tmp_path: Path) -> None:
    source = (
        RUNTIME
        + """
extern "C" __global__ void some(int* out) {
  const int i = threadIdx.x;
  if (i % 2 == 0) {
    out[i] = __builtin_amdgcn_update_dpp(-1, i + 100, 0x111, 15, 15, false);
    out[i] += 1000 * __builtin_amdgcn_ds_bpermute((i + 2) << 2, i);
    out[i] += 1000000 * (__builtin_amdgcn_ds_bpermute((i + 1) << 2, i + 1));
  }
}
"""
    )
    ran = _device(sysroot, wave, tmp_path).run(
        source, [Launch("some", (np.zeros(wave, np.int32),), block=(wave, 1, 1))]
    )
    found = ran.arguments[0][0]
    lanes = np.arange(0, wave, 2)
    assert (found[lanes] == -1 + 1000 * ((lanes + 2) % wave)).all()
    assert not ran.findings


@WAVES
def test_branches_with_equal_ends_stay_apart(sysroot: Sysroot, wave: int, tmp_path: Path) -> None:
    source = (
        RUNTIME
        + """
extern "C" __global__ void ends(const int* in, unsigned long long* out) {
  const int i = threadIdx.x;
  if (in[i] % 3 == 0) {
    out[i] = __ballot(in[i] & 1);
  } else {
    out[i] = __ballot(in[i] & 1);
  }
}
"""
    )
    values = np.arange(wave, dtype=np.int32) * 7 % 31
    out = np.zeros(wave, np.uint64)
    ran = _device(sysroot, wave, tmp_path).run(
        source, [Launch("ends", (values, out), block=(wave, 1, 1))]
    )
    for is_three in (True, False):
        side = [lane for lane in range(wave) if (values[lane] % 3 == 0) == is_three]
        odd = sum(1 << lane for lane in side if values[lane] % 2)
        assert {int(ran.arguments[0][1][lane]) for lane in side} == {odd}


WORDS = """
extern "C" __global__ void words(unsigned* out, float* reals, double* wide) {
  unsigned* at = out;
  *at++ = __builtin_amdgcn_perm(0x01020304u, 0xA5B6C7D8u, 0x0C0D0407u);
  *at++ = __builtin_amdgcn_perm(0x01020304u, 0xA5B6C7D8u, 0x03000809u);
  *at++ = __builtin_amdgcn_alignbit(0x12345678u, 0x9ABCDEF0u, 8);
  *at++ = __builtin_amdgcn_ubfe(0xABCD1234u, 4, 12);
  *at++ = (unsigned)__builtin_amdgcn_sbfe((int)0x00000F00, 8, 4);
  *at++ = __builtin_amdgcn_sad_u8(0x01FF1020u, 0x03001525u, 7);
  *at++ = __byte_perm(0x03020100u, 0x07060504u, 0xFA31u);
  *at++ = (unsigned)__fns32(0xF0F0u, 5, 3);
  *at++ = (unsigned)__fns64(0x8000000000000001UL, 62, -1);
  *at++ = (unsigned)__fns64(0x8000000000000001UL, 1, 1);
  *at++ = __bitextract_u32(0xABCD1234u, 8, 8);
  *at++ = __bitinsert_u32(0xFFFFFFFFu, 0x5u, 4, 8);
  *at++ = (unsigned)amd_mixed_dot(short2(300, -200), short2(100, 50), 7, false);
  *at++ = (unsigned)amd_mixed_dot(char4(127, -128, 5, -5), char4(1, 2, 3, 4), -9, false);
  *at++ = amd_mixed_dot(0xFFFFFFFFu, 0xFFFFFFFFu, 0xFFFFFFF0u, true);
  *reals++ = __builtin_amdgcn_fmed3f(3.0f, -1.0f, 2.0f);
  *reals++ = __builtin_amdgcn_sinf(0.25f);
  *reals++ = __builtin_amdgcn_fractf(-1.25f);
  *reals++ = __builtin_amdgcn_frexp_mantf(12.0f) + __builtin_amdgcn_frexp_expf(12.0f);
  *wide++ = __builtin_amdgcn_ldexp(0.75, 5);
  *wide++ = __ocml_add_rtn_f64(1.0, 0x1p-60) - __ocml_add_rtp_f64(1.0, 0x1p-60);
}
"""


def test_builtins_of_arithmetic_compute_what_the_isa_says(sysroot: Sysroot, tmp_path: Path) -> None:
    arrays = (np.zeros(15, np.uint32), np.zeros(4, np.float32), np.zeros(2))
    ran = _device(sysroot, 64, tmp_path).run(
        RUNTIME + WORDS, [Launch("words", arrays, block=(1, 1, 1))]
    )
    words, reals, wide = ran.arguments[0]
    assert [int(word) for word in words] == [
        0x00FF0401,
        0xA5D8FFFF,
        0x789ABCDE,
        0x123,
        0xFFFFFFFF,
        2 + 255 + 5 + 5 + 7,
        0x07020301,
        7,
        0,
        63,
        0x12,
        0xFFFFF05F,
        300 * 100 - 200 * 50 + 7,
        (127 - 256 + 15 - 20 - 9) % 2**32,
        0xFFFFFFFF,
    ]
    assert [float(real) for real in reals] == [2.0, 1.0, 0.75, 4.75]
    assert [float(value) for value in wide] == [24.0, -(2.0**-52)]
