"""Half, bfloat16 and 8-bit numbers of HIP on the emulator: rounding of each operation."""

from pathlib import Path

import numpy as np
import pytest

from porting.emulate.toolkits import Headers
from porting.toolkits.sysroot import Sysroot
from tests.porting.emulate.device_code import Array, Device, Launch

pytestmark = pytest.mark.timeout(600)

COUNT = 256
BLOCK = (COUNT, 1, 1)
HALVES = """#include <hip/hip_fp16.h>
extern "C" __global__ void halves(const __half* x, const __half* y, __half* out) {
  const int i = threadIdx.x;
  __half* mine = out + 8 * i;
  mine[0] = x[i] + y[i];
  mine[1] = __hmul(x[i], y[i]);
  mine[2] = x[i] / y[i];
  mine[3] = __hfma(x[i], y[i], x[i]);
  mine[4] = hsqrt(__habs(x[i]));
  mine[5] = __hmax(x[i], y[i]);
  mine[6] = x[i] * y[i] + x[i] - y[i];
  const __half2 pair = __hadd2(__halves2half2(x[i], y[i]), __half2half2(y[i]));
  mine[7] = __hsub(__high2half(pair), __low2half(pair));
}
extern "C" __global__ void conversions(const float* x, __half* out, int* whole) {
  const int i = threadIdx.x;
  __half* mine = out + 4 * i;
  mine[0] = __float2half_rn(x[i]);
  mine[1] = __float2half_rd(x[i]);
  mine[2] = __float2half_ru(x[i]);
  mine[3] = __float2half_rz(x[i]);
  whole[2 * i] = __half2int_rn(mine[0]);
  whole[2 * i + 1] = __hlt(mine[0], __float2half(1.0f)) + 2 * __hisnan(mine[0]);
}
extern "C" __global__ void moved(__half* x) { x[threadIdx.x] = __shfl_xor(x[threadIdx.x], 5); }
"""


@pytest.fixture
def device(sysroot: Sysroot, tmp_path: Path) -> Device:
    return Device(Headers("rocm", sysroot.path, sysroot.rocm), 64, tmp_path)


def _same(one: Array, other: Array) -> bool:
    bits = np.dtype(f"u{one.dtype.itemsize}")
    numbers = ~(np.isnan(one) & np.isnan(other))
    return bool((one.view(bits)[numbers] == other.view(bits)[numbers]).all())


def test_each_operation_on_halves_is_rounded_once(device: Device) -> None:
    random = np.random.default_rng(7)
    x = (random.standard_normal(COUNT) * 10.0 ** random.integers(-6, 5, COUNT)).astype(np.float16)
    y = (random.standard_normal(COUNT) * 10.0 ** random.integers(-3, 3, COUNT)).astype(np.float16)
    y[y == 0] = 1
    out = np.zeros((COUNT, 8), np.float16)
    ran = device.run(HALVES, [Launch("halves", (x, y, out), BLOCK)])
    found = ran.arguments[0][2]
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        fused = (x.astype(np.longdouble) * y + x).astype(np.float16)
        wanted = (
            x + y,
            x * y,
            x / y,
            fused,
            np.sqrt(np.abs(x)),
            np.fmax(x, y),
        )
        for at, column in enumerate(wanted):
            assert _same(found[:, at], column), at
        # Products are fused with sums, as on the devices, or each is rounded.
        assert _same(found[:, 7], (y + y) - (x + y))
        unfused = ((x * y) + x) - y
    fused_too = (fused - y).astype(np.float16)
    close = (found[:, 6] == unfused) | (found[:, 6] == fused_too)
    assert (close | ~np.isfinite(unfused)).all()


def test_halves_are_converted_with_the_rounding_that_is_named(device: Device) -> None:
    random = np.random.default_rng(11)
    x = (random.standard_normal(COUNT) * 10.0 ** random.integers(-9, 6, COUNT)).astype(np.float32)
    x[:8] = [0.0, -0.0, np.inf, -np.inf, np.nan, 65519.0, 65520.0, 2.0**-25]
    launch = Launch(
        "conversions", (x, np.zeros((COUNT, 4), np.float16), np.zeros((COUNT, 2), np.int32)), BLOCK
    )
    _, found, whole = device.run(HALVES, [launch]).arguments[0]
    with np.errstate(over="ignore"):
        nearest = x.astype(np.float16)
    assert _same(found[:, 0], nearest)
    wide = x.astype(np.float64)
    finite = np.isfinite(x)
    down, up, cut = (found[:, at].astype(np.float64) for at in (1, 2, 3))
    assert (down[finite] <= wide[finite]).all()
    assert (up[finite] >= wide[finite]).all()
    assert (np.abs(cut[finite]) <= np.abs(wide[finite])).all()
    for at in (1, 2):  # no half lies between
        with np.errstate(over="ignore"):
            beside = np.nextafter(found[:, at], np.float16(np.inf if at == 1 else -np.inf))
        step = (beside.astype(np.float64)[finite] - wide[finite]) * (1 if at == 1 else -1)
        assert (step > 0).all()
    small = np.isfinite(nearest)
    # amd_hip_fp16.h converts by a cast, whatever rounding the name says.
    assert (whole[small, 0] == np.trunc(nearest[small].astype(np.float64))).all()
    assert (whole[:, 1] == (nearest < 1) + 2 * np.isnan(nearest)).all()


def test_halves_move_between_lanes(device: Device) -> None:
    x = np.arange(64).astype(np.float16)
    ran = device.run(HALVES, [Launch("moved", (x,), (64, 1, 1))])
    assert (ran.arguments[0][0] == x[np.arange(64) ^ 5]).all()


def _to_bfloat16(values: Array) -> Array:
    """Return the bits of float32 values, rounded to nearest even."""
    bits = values.astype(np.float32).view(np.uint32)
    rounded: Array = ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)
    return rounded


def _from_bfloat16(bits: Array) -> Array:
    wide: Array = (bits.astype(np.uint32) << 16).view(np.float32)
    return wide


def test_bfloat16_is_rounded_to_nearest_even(device: Device) -> None:
    source = """#include <hip/hip_bf16.h>
extern "C" __global__ void brains(const float* x, __hip_bfloat16* out) {
  const int i = threadIdx.x;
  __hip_bfloat16* mine = out + 4 * i;
  const __hip_bfloat16 a = __float2bfloat16(x[i]);
  const __hip_bfloat16 b = __float2bfloat16(x[(i + 1) % blockDim.x]);
  mine[0] = a;
  mine[1] = __hadd(a, b);
  mine[2] = a * b;
  mine[3] = __hfma(a, b, a);
}
"""
    random = np.random.default_rng(5)
    x = (random.standard_normal(COUNT) * 10.0 ** random.integers(-9, 9, COUNT)).astype(np.float32)
    out = np.zeros((COUNT, 4), np.uint16)
    found = device.run(source, [Launch("brains", (x, out), BLOCK)]).arguments[0][1]
    a = _from_bfloat16(_to_bfloat16(x))
    b = np.roll(a, -1)
    assert (found[:, 0] == _to_bfloat16(x)).all()
    assert (found[:, 1] == _to_bfloat16(a + b)).all()
    assert (found[:, 2] == _to_bfloat16(a * b)).all()
    fused = (a.astype(np.float64) * b + a).astype(np.float32)
    assert (found[:, 3] == _to_bfloat16(fused)).all()


def _e4m3_fnuz(code: int) -> float:
    sign, exponent, mantissa = code >> 7, code >> 3 & 15, code & 7
    if code == 0x80:
        return float("nan")
    value = mantissa * 2.0**-10 if exponent == 0 else (8 + mantissa) * 2.0 ** (exponent - 11)
    return -value if sign else value


def test_eight_bit_numbers_are_decoded_and_rounded(device: Device) -> None:
    source = """#include <hip/hip_fp8.h>
extern "C" __global__ void tiny(const __hip_fp8_e4m3_fnuz* codes, float* decoded,
                                __hip_fp8_e4m3_fnuz* again, __hip_fp8_e4m3_fnuz* between) {
  const int i = threadIdx.x;
  decoded[i] = float(codes[i]);
  again[i] = __hip_fp8_e4m3_fnuz(decoded[i]);
  between[i] = __hip_fp8_e4m3_fnuz(decoded[i] * 1.01f);
}
"""
    codes = np.arange(256, dtype=np.uint8)
    arrays = (codes, np.zeros(256, np.float32), np.zeros(256, np.uint8), np.zeros(256, np.uint8))
    _, decoded, again, between = device.run(source, [Launch("tiny", arrays, BLOCK)]).arguments[0]
    wanted = np.array([_e4m3_fnuz(int(code)) for code in codes], np.float32)
    assert _same(decoded, wanted)
    assert (again == codes).all()
    assert (between == codes).all()
