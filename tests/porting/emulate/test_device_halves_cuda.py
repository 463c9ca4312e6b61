"""CUDA's half and bfloat16 on the emulator: layouts, arithmetic, conversions, functions."""

import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from porting.emulate.toolkits import Headers
from porting.toolkits.cuda import CudaHome
from tests.porting.emulate.device_code import Array, Device, Launch
from tests.porting.emulate.expressions import rounded

# The first of them builds the emulator.
pytestmark = pytest.mark.timeout(600)

HEADERS = "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n#include <cuda_fp8.h>\n"
# The format's letter: its type, two of them, the middle of conversions' names.
NAMES = {"h": ("__half", "__half2", "half"), "b": ("__nv_bfloat16", "__nv_bfloat162", "bfloat16")}
BITS = np.array(
    [
        *(0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x0400, 0x3C00, 0xBC00, 0x3C01, 0x3800, 0x3555),
        *(0x4248, 0x4100, 0x4300, 0x5640, 0x6400, 0x7A00, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00),
        *(0x1234, 0xA234, 0x3F80, 0xBF80, 0x7F7F, 0x7F80, 0xFF80, 0x0080, 0x007F, 0x4049, 0x4F00),
    ],
    np.uint16,
)


@pytest.fixture
def device(cuda_home: CudaHome, tmp_path: Path) -> Device:
    return Device(Headers("cuda", cuda_home.path, cuda_home.release), 32, tmp_path)


def numbers(bits: Array, kind: str) -> Array:
    if kind == "h":
        return bits.view(np.float16).astype(float)
    return (bits.astype(np.uint32) << 16).view(np.float32).astype(float)


def launched(device: Device, source: str, launch: Launch) -> list[Array]:
    ran = device.run(HEADERS + source, [launch])
    assert (ran.status, ran.findings) == (0, []), ran.errors
    return ran.arguments[0]


def fill(kind: str, expressions: list[str]) -> str:
    """Return a kernel that writes each expression of x, y, z to its own row."""
    name = NAMES[kind][0]
    lines = "".join(f"out[{row} * n + i] = {text};" for row, text in enumerate(expressions))
    return f"""
extern "C" __global__ void fill(const {name}* a, const {name}* b, const {name}* c, {name}* out,
                                int n) {{
  for (int i = threadIdx.x; i < n; i += blockDim.x) {{
    const {name} x = a[i], y = b[i], z = c[i];
    {lines}
  }}
}}
"""


Exact = Callable[[Fraction, Fraction, Fraction], Fraction]
ARITHMETIC: dict[str, Exact] = {
    "x + y": lambda x, y, _: x + y,
    "__hsub(x, y)": lambda x, y, _: x - y,
    "x * y": lambda x, y, _: x * y,
    "x / y": lambda x, y, _: x / y,
    "__hfma(x, y, z)": lambda x, y, z: x * y + z,
    "__hfma_sat(x, y, z)": lambda x, y, z: min(max(x * y + z, Fraction(0)), Fraction(1)),
    "__hfma_relu(x, y, z)": lambda x, y, z: max(x * y + z, Fraction(0)),
    "__hneg(x)": lambda x, _, __: -x,
    "__hmax(x, y)": lambda x, y, _: max(x, y),
}


@pytest.mark.parametrize("kind", NAMES)
def test_arithmetic_rounds_the_exact_result_once(device: Device, kind: str) -> None:
    grid = np.meshgrid(BITS, BITS, BITS, indexing="ij")
    given = [np.ascontiguousarray(each.ravel()[::17]) for each in grid]
    count = len(given[0])
    out = np.zeros(count * len(ARITHMETIC), np.uint16)
    source = fill(kind, list(ARITHMETIC))
    after = launched(device, source, Launch("fill", (*given, out, np.int32(count))))
    found = numbers(after[3], kind).reshape(len(ARITHMETIC), count)
    values = [numbers(each, kind) for each in given]
    finite = np.flatnonzero(np.all(np.isfinite(values), axis=0))
    assert len(finite) > count // 2
    for row, (text, exact) in enumerate(ARITHMETIC.items()):
        for at in finite:
            arguments = [Fraction(each[at]) for each in values]
            if text == "x / y" and arguments[1] == 0:
                continue
            expected = rounded(exact(*arguments), "rn", kind)
            assert found[row, at] == expected, (text, [float(each) for each in arguments])


@pytest.mark.parametrize("kind", NAMES)
def test_what_is_no_number_is_the_vendors_one(device: Device, kind: str) -> None:
    infinity = np.array([0x7C00 if kind == "h" else 0x7F80], np.uint16)
    expressions = ["x - x", "__hfma(x, y, __hneg(x))", "hsqrt(__hneg(x))", "__hmax(x - x, y)"]
    out = np.zeros(len(expressions), np.uint16)
    given = (infinity, infinity, infinity, out, np.int32(1))
    after = launched(device, fill(kind, expressions), Launch("fill", given))
    # 0x7FFF: cuda_fp16.h and cuda_bf16.h, "canonical NaN". The maximum is the other number.
    assert [hex(bits) for bits in after[3]] == ["0x7fff"] * 3 + [hex(infinity[0])]


FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "hexp(x)": np.exp,
    "hexp2(x)": np.exp2,
    "hlog(x)": np.log,
    "hlog10(x)": np.log10,
    "hsqrt(x)": np.sqrt,
    "hrsqrt(x)": lambda x: 1 / np.sqrt(x),
    "hrcp(x)": lambda x: 1 / x,
    "hsin(x)": np.sin,
    "htanh(x)": np.tanh,
    "hrint(x)": np.rint,
    "hfloor(x)": np.floor,
    "hceil(x)": np.ceil,
    "htrunc(x)": np.trunc,
}


@pytest.mark.parametrize("kind", NAMES)
def test_functions_round_what_numpy_computes(device: Device, kind: str) -> None:
    out = np.zeros(len(BITS) * len(FUNCTIONS), np.uint16)
    given = (BITS, BITS, BITS, out, np.int32(len(BITS)))
    after = launched(device, fill(kind, list(FUNCTIONS)), Launch("fill", given))
    found = numbers(after[3], kind).reshape(len(FUNCTIONS), len(BITS))
    for row, (text, reference) in enumerate(FUNCTIONS.items()):
        with np.errstate(all="ignore"):
            exact = reference(numbers(BITS, kind))
        expected = [
            rounded(Fraction(value), "rn", kind) if math.isfinite(value) else value
            for value in exact.tolist()
        ]
        assert np.array_equal(found[row], expected, equal_nan=True), text


@pytest.mark.parametrize("kind", NAMES)
def test_conversions_to_integers_round_as_named(device: Device, kind: str) -> None:
    name, _, middle = NAMES[kind]
    modes: dict[str, Callable[[Fraction], int]] = {
        "rn": round,
        "rd": math.floor,
        "ru": math.ceil,
        "rz": math.trunc,
    }
    lines = "".join(
        f"out[{row} * n + i] = __{middle}2int_{mode}(x[i]);" for row, mode in enumerate(modes)
    )
    source = f"""
extern "C" __global__ void convert(const {name}* x, int* out, unsigned short* narrow, int n) {{
  for (int i = threadIdx.x; i < n; i += blockDim.x) {{
    {lines}
    narrow[i] = __{middle}2ushort_rn(x[i]);
  }}
}}
"""
    values = numbers(BITS, kind)
    out, narrow = np.zeros((4, len(BITS)), np.int32), np.zeros(len(BITS), np.uint16)
    given = (BITS, out, narrow, np.int32(len(BITS)))
    _, found, small, _ = launched(device, source, Launch("convert", given))

    def limited(value: float, step: Callable[[Fraction], int], least: int, most: int) -> int:
        if math.isnan(value):
            return 0
        if math.isinf(value):
            return most if value > 0 else least
        return max(least, min(most, step(Fraction(value))))

    for row, step in enumerate(modes.values()):
        expected = [limited(value, step, -(2**31), 2**31 - 1) for value in values]
        assert found[row].tolist() == expected
    assert small.tolist() == [limited(value, round, 0, 65535) for value in values]


@pytest.mark.parametrize("mode", ["rn", "rd", "ru", "rz"])
def test_integers_to_bfloat16_round_as_named(device: Device, mode: str) -> None:
    source = f"""
extern "C" __global__ void convert(const int* x, const long long* y, __nv_bfloat16* out, int n) {{
  for (int i = threadIdx.x; i < n; i += blockDim.x) {{
    out[i] = __int2bfloat16_{mode}(x[i]);
    out[n + i] = __ll2bfloat16_{mode}(y[i]);
  }}
}}
"""
    ints = np.array([0, 1, -1, 255, 257, -257, 259, 2**31 - 1, -(2**31), 65537], np.int32)
    longs = np.array([0, 2**62, 2**62 + 1, -(2**62) - 1, 2**63 - 1, 2**40 + 2**32, 3, -3, 7, 511])
    out = np.zeros(2 * len(ints), np.uint16)
    given = (ints, longs, out, np.int32(len(ints)))
    after = launched(device, source, Launch("convert", given))
    expected = [rounded(Fraction(int(value)), mode, "b") for value in (*ints, *longs)]
    assert numbers(after[2], "b").tolist() == expected


@pytest.mark.parametrize("kind", NAMES)
def test_pairs_atomics_and_shuffles_treat_both_halves(device: Device, kind: str) -> None:
    name, pair, _ = NAMES[kind]
    source = f"""
extern "C" __global__ void pairs({pair}* out, {name}* sum, {pair}* sums, int* sizes) {{
  const int i = threadIdx.x;
  const {pair} own({name}(float(i)), {name}(float(2 * i)));
  out[i] = __hadd2(__shfl_xor_sync(0xFFFFFFFFu, own, 1), __hfma2(own, own, own));
  atomicAdd(sum, {name}(0.5f));
  atomicAdd(sums, {pair}({name}(1.0f), {name}(2.0f)));
  sizes[0] = sizeof({name}); sizes[1] = alignof({name});
  sizes[2] = sizeof({pair}); sizes[3] = alignof({pair});
}}
"""
    out, total = np.zeros((32, 2), np.uint16), np.zeros(2, np.uint16)
    given = (out, np.zeros(1, np.uint16), total, np.zeros(4, np.int32))
    launch = Launch("pairs", given, block=(32, 1, 1))
    found, one, both, sizes = launched(device, source, launch)
    lanes = np.arange(32)
    for column, scale in ((0, 1), (1, 2)):
        own, other = scale * lanes, scale * (lanes ^ 1)
        expected = [
            rounded(Fraction(rounded(Fraction(int(a * a + a)), "rn", kind)) + int(b), "rn", kind)
            for a, b in zip(own, other, strict=True)
        ]
        assert numbers(found[:, column], kind).tolist() == expected
    assert numbers(one, kind).tolist() == [16]
    assert numbers(both, kind).tolist() == [32, 64]
    assert sizes.tolist() == [2, 2, 4, 4]


def test_eight_bits_convert_as_the_vendors_host_code_does(device: Device) -> None:
    source = """
extern "C" __global__ void eight(const float* x, unsigned char* e4m3, float* back, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const __nv_fp8_e4m3 value(x[i]);
    e4m3[i] = value.__x;
    back[i] = float(value);
  }
}
"""
    x = np.array([0, 1, -1.0625, 1.1875, 448, 1e9, 2.0**-9, 2.0**-11, math.nan], np.float32)
    given = (x, np.zeros(len(x), np.uint8), np.zeros_like(x), np.int32(len(x)))
    _, bits, back, _ = launched(device, source, Launch("eight", given))
    # 4 exponent bits, bias 7; ties to even; saturating to 448; 0x7F is no number.
    assert bits.tolist() == [0, 0x38, 0xB8, 0x3A, 0x7E, 0x7E, 1, 0, 0x7F]
    expected = [0, 1, -1, 1.25, 448, 448, 2.0**-9, 0, math.nan]
    assert np.array_equal(back, expected, equal_nan=True)
