"""CUDA's integer functions on the emulator give what their documents say."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from porting.emulate.toolkits import Headers
from porting.toolkits.cuda import CudaHome
from tests.porting.emulate.device_code import Device
from tests.porting.emulate.expressions import TYPES, Expression, evaluate, products

# The first of them builds the emulator.
pytestmark = pytest.mark.timeout(600)

WORD = 0xFFFFFFFF
INTS = [0, 1, -1, 2, -2, 7, -7, 31, 33, 2**31 - 1, -(2**31), 255, -256, 65535, 0x12345678]
VALUES = {"i": INTS, "u": [value & WORD for value in [*INTS, 0xDEADBEEF - 2**32]]}
Reference = Callable[..., int]


@pytest.fixture
def device(cuda_home: CudaHome, tmp_path: Path) -> Device:
    return Device(Headers("cuda", cuda_home.path, cuda_home.release), 32, tmp_path)


def signed(value: int, bits: int = 32) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def byte_perm(x: int, y: int, selector: int) -> int:
    both, result = y << 32 | x, 0
    for place in range(4):
        choice = selector >> (4 * place) & 15
        byte = both >> (8 * (choice & 7)) & 255
        if choice & 8:
            byte = 255 if byte & 128 else 0
        result |= byte << (8 * place)
    return result


WORDS: dict[str, tuple[str, str, Reference]] = {
    "__clz(x)": ("i", "i", lambda x: 32 - (x & WORD).bit_length()),
    "__ffs(x)": ("i", "i", lambda x: (x & WORD & -(x & WORD)).bit_length()),
    "__popc(x)": ("u", "i", lambda x: x.bit_count()),
    "__brev(x)": ("u", "u", lambda x: int(f"{x:032b}"[::-1], 2)),
    "__byte_perm(x, y, z)": ("uuu", "u", byte_perm),
    "__mulhi(x, y)": ("ii", "i", lambda x, y: x * y >> 32),
    "__umulhi(x, y)": ("uu", "u", lambda x, y: x * y >> 32),
    "__mul24(x, y)": ("ii", "i", lambda x, y: signed(x, 24) * signed(y, 24)),
    "__umul24(x, y)": ("uu", "u", lambda x, y: (x & 0xFFFFFF) * (y & 0xFFFFFF)),
    "__funnelshift_l(x, y, z)": ("uuu", "u", lambda x, y, z: (y << 32 | x) << (z & 31) >> 32),
    "__funnelshift_lc(x, y, z)": ("uuu", "u", lambda x, y, z: (y << 32 | x) << min(z, 32) >> 32),
    "__funnelshift_r(x, y, z)": ("uuu", "u", lambda x, y, z: (y << 32 | x) >> (z & 31)),
    "__funnelshift_rc(x, y, z)": ("uuu", "u", lambda x, y, z: (y << 32 | x) >> min(z, 32)),
    "__sad(x, y, z)": ("iiu", "u", lambda x, y, z: abs(x - y) + z),
    "__usad(x, y, z)": ("uuu", "u", lambda x, y, z: abs(x - y) + z),
    "__hadd(x, y)": ("ii", "i", lambda x, y: (x + y) >> 1),
    "__rhadd(x, y)": ("ii", "i", lambda x, y: (x + y + 1) >> 1),
    "__uhadd(x, y)": ("uu", "u", lambda x, y: (x + y) >> 1),
    "__urhadd(x, y)": ("uu", "u", lambda x, y: (x + y + 1) >> 1),
    "abs(x)": ("i", "i", abs),
    "min(x, y)": ("iu", "u", lambda x, y: min(x & WORD, y)),
    "max(x, y)": ("ii", "i", max),
    "std::min(x, y)": ("ii", "i", min),
    "umax(x, y)": ("uu", "u", max),
    "__dp4a(x, y, z)": (
        "iii",
        "i",
        lambda x, y, z: z + sum(signed(x >> n, 8) * signed(y >> n, 8) for n in (0, 8, 16, 24)),
    ),
    "__dp2a_hi(x, y, z)": (
        "uuu",
        "u",
        lambda x, y, z: z + (x & 0xFFFF) * (y >> 16 & 255) + (x >> 16) * (y >> 24),
    ),
    "__viaddmax_s32_relu(x, y, z)": ("iii", "i", lambda x, y, z: max(signed(x + y), z, 0)),
    "__vimin3_u32(x, y, z)": ("uuu", "u", min),
}


def clamped(bits: int, value: int, *, sign: bool) -> int:
    most = (1 << (bits - 1)) - 1 if sign else (1 << bits) - 1
    return max(-most - 1 if sign else 0, min(most, value))


# By parts of words: the function, whether parts have a sign, what is done to them.
PARTS: dict[str, tuple[bool, Callable[[int, int, int], int]]] = {
    "add": (False, lambda _, x, y: x + y),
    "addss": (True, lambda bits, x, y: clamped(bits, x + y, sign=True)),
    "addus": (False, lambda bits, x, y: clamped(bits, x + y, sign=False)),
    "sub": (False, lambda _, x, y: x - y),
    "subss": (True, lambda bits, x, y: clamped(bits, x - y, sign=True)),
    "subus": (False, lambda bits, x, y: clamped(bits, x - y, sign=False)),
    "avgu": (False, lambda _, x, y: (x + y + 1) >> 1),
    "haddu": (False, lambda _, x, y: (x + y) >> 1),
    "maxs": (True, lambda _, x, y: max(x, y)),
    "maxu": (False, lambda _, x, y: max(x, y)),
    "mins": (True, lambda _, x, y: min(x, y)),
    "minu": (False, lambda _, x, y: min(x, y)),
    "absdiffs": (True, lambda _, x, y: abs(x - y)),
    "absdiffu": (False, lambda _, x, y: abs(x - y)),
    "cmpeq": (False, lambda _, x, y: -(x == y)),
    "cmpgts": (True, lambda _, x, y: -(x > y)),
    "cmpleu": (False, lambda _, x, y: -(x <= y)),
    "setltu": (False, lambda _, x, y: int(x < y)),
    "setges": (True, lambda _, x, y: int(x >= y)),
}


def by_parts(name: str, bits: int) -> Reference:
    sign, operation = PARTS[name]

    def apply(x: int, y: int) -> int:
        result = 0
        for shift in range(0, 32, bits):
            parts = [word >> shift & ((1 << bits) - 1) for word in (x, y)]
            if sign:
                parts = [signed(part, bits) for part in parts]
            result |= (operation(bits, *parts) & ((1 << bits) - 1)) << shift
        return result

    return apply


def check(device: Device, table: dict[str, tuple[str, str, Reference]]) -> None:
    asked = [
        (Expression(text, inputs, result), products(VALUES, inputs))
        for text, (inputs, result, _) in table.items()
    ]
    found = evaluate(device, "#include <algorithm>\n", asked)
    for (expression, arguments), values in zip(asked, found, strict=True):
        reference = table[expression.text][2]
        rows = zip(*(each.tolist() for each in arguments), strict=True)
        kind = TYPES[expression.result][1]
        expected = np.array([reference(*row) & WORD for row in rows], np.uint32).view(kind)
        wrong = np.flatnonzero(values != expected)
        assert not wrong.size, (
            expression.text,
            [each[wrong[0]] for each in arguments],
            values[wrong[0]],
            expected[wrong[0]],
        )


def test_functions_of_words_give_what_python_computes(device: Device) -> None:
    check(device, WORDS)


@pytest.mark.parametrize("count", [2, 4])
def test_functions_by_parts_of_words_do_not_carry_between_them(device: Device, count: int) -> None:
    bits = 32 // count
    table = {f"__v{name}{count}(x, y)": ("uu", "u", by_parts(name, bits)) for name in PARTS}
    check(device, table)
