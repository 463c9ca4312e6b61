"""Rewritten PTX integer instructions compute what a model of PTX does."""

import ctypes
import subprocess
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porting.config import Target
from porting.edits import apply_edits
from porting.mapping import Names
from porting.rules import Unit
from porting.rules.ptx import check
from porting.source import SourceFile

WORD = 0xFFFFFFFF


def signed(word: int) -> int:
    return word - (1 << 32) if word >> 31 else word


def bfe_u32(a: int, b: int, c: int, _d: int) -> int:
    position, length = b & 0xFF, min(c & 0xFF, 32)
    return (a >> position) & ((1 << length) - 1)


def bfe_s32(a: int, b: int, c: int, _d: int) -> int:
    position, length = b & 0xFF, c & 0xFF
    if length == 0:
        return 0
    top = min(position + length - 1, 31)
    sign = a >> top & 1
    result = 0
    for bit in range(32):
        inside = bit < length and position + bit <= 31
        result |= (a >> (position + bit) & 1 if inside else sign) << bit
    return result


def bfi(a: int, b: int, c: int, d: int) -> int:
    position, length = c & 0xFF, d & 0xFF
    result = b
    for bit in range(length):
        if position + bit > 31:
            break
        result &= ~(1 << (position + bit))
        result |= (a >> bit & 1) << (position + bit)
    return result & WORD


def prmt(selector: int) -> Callable[..., int]:
    def model(a: int, b: int, _c: int, _d: int) -> int:
        pool = (b << 32 | a).to_bytes(8, "little")
        picked = [pool[selector >> (4 * n) & 7] for n in range(4)]
        return int.from_bytes(bytes(picked), "little")

    return model


def lop3(table: int) -> Callable[..., int]:
    def model(a: int, b: int, c: int, _d: int) -> int:
        result = 0
        for bit in range(32):
            row = (a >> bit & 1) << 2 | (b >> bit & 1) << 1 | (c >> bit & 1)
            result |= (table >> row & 1) << bit
        return result

    return model


def shf(direction: str, mode: str) -> Callable[..., int]:
    def model(a: int, b: int, c: int, _d: int) -> int:
        count = c & 31 if mode == "wrap" else min(c, 32)
        both = b << 32 | a
        return (both << count >> 32 if direction == "l" else both >> count) & WORD

    return model


def shift(operator: str) -> Callable[..., int]:
    def model(a: int, b: int, _c: int, _d: int) -> int:
        if operator == "shl":
            return a << min(b, 32) & WORD
        return (signed(a) if operator == "sar" else a) >> min(b, 32) & WORD

    return model


def dp4a(kind: str) -> Callable[..., int]:
    def model(a: int, b: int, c: int, _d: int) -> int:
        order = "little"
        products = [
            int.from_bytes(bytes([x]), order, signed=kind == "s32")  # type: ignore[arg-type]
            * int.from_bytes(bytes([y]), order, signed=kind == "s32")  # type: ignore[arg-type]
            for x, y in zip(a.to_bytes(4, "little"), b.to_bytes(4, "little"), strict=True)
        ]
        return (c + sum(products)) & WORD

    return model


ALL = ("a", "b", "c", "d")
MODELS: list[tuple[str, tuple[str, ...], Callable[..., int]]] = [
    ("bfe.u32 %0, %1, %2, %3", ALL[:3], bfe_u32),
    ("bfe.u32 %0, %1, 7, 40", ALL[:1], lambda a, *_: bfe_u32(a, 7, 40, 0)),
    ("bfe.u32 %0, %1, 0, 32", ALL[:1], lambda a, *_: a),
    ("bfe.u32 %0, %1, 33, 3", ALL[:1], lambda *_: 0),
    ("bfe.u32 %0, %1, %2, 3", ALL[:2], lambda a, b, *_: bfe_u32(a, b, 3, 0)),
    ("bfe.s32 %0, %1, %2, %3", ALL[:3], bfe_s32),
    ("bfe.s32 %0, %1, 3, 5", ALL[:1], lambda a, *_: bfe_s32(a, 3, 5, 0)),
    ("bfe.s32 %0, %1, 28, 9", ALL[:1], lambda a, *_: bfe_s32(a, 28, 9, 0)),
    ("bfe.s32 %0, %1, 0, 32", ALL[:1], lambda a, *_: a),
    ("bfe.s32 %0, %1, 200, 7", ALL[:1], lambda a, *_: bfe_s32(a, 200, 7, 0)),
    ("bfi.b32 %0, %1, %2, %3, %4", ALL, bfi),
    ("bfi.b32 %0, %1, %2, 4, 8", ALL[:2], lambda a, b, *_: bfi(a, b, 4, 8)),
    ("bfi.b32 %0, %1, %2, 30, 8", ALL[:2], lambda a, b, *_: bfi(a, b, 30, 8)),
    ("bfi.b32 %0, %1, %2, 0, 255", ALL[:2], lambda a, *_: a),
    *[(f"prmt.b32 %0, %1, %2, {s:#x}", ALL[:2], prmt(s)) for s in (0x0123, 0x5410, 0x7632, 0x3715)],
    *[(f"lop3.b32 %0, %1, %2, %3, {t:#x}", ALL[:3], lop3(t)) for t in range(256)],
    *[
        (f"shf.{x}.{m}.b32 %0, %1, %2, %3", ALL[:3], shf(x, m))
        for x in "lr"
        for m in ("wrap", "clamp")
    ],
    ("shl.b32 %0, %1, %2", ALL[:2], shift("shl")),
    ("shl.b32 %0, %1, 5", ALL[:1], lambda a, *_: a << 5 & WORD),
    ("shr.u32 %0, %1, %2", ALL[:2], shift("shr")),
    ("shr.s32 %0, %1, %2", ALL[:2], shift("sar")),
    ("mul.hi.u32 %0, %1, %2", ALL[:2], lambda a, b, *_: a * b >> 32),
    ("mul.hi.s32 %0, %1, %2", ALL[:2], lambda a, b, *_: signed(a) * signed(b) >> 32 & WORD),
    ("mad.lo.u32 %0, %1, %2, %3", ALL[:3], lambda a, b, c, *_: a * b + c & WORD),
    ("max.s32 %0, %1, %2", ALL[:2], lambda a, b, *_: max(signed(a), signed(b)) & WORD),
    ("min.u32 %0, %1, %2", ALL[:2], lambda a, b, *_: min(a, b)),
    ("dp4a.s32.s32 %0, %1, %2, %3", ALL[:3], dp4a("s32")),
    ("dp4a.u32.u32 %0, %1, %2, %3", ALL[:3], dp4a("u32")),
    ("brev.b32 %0, %1", ALL[:1], lambda a, *_: int(f"{a:032b}"[::-1], 2)),
    ("bfind.u32 %0, %1", ALL[:1], lambda a, *_: a.bit_length() - 1 & WORD),
    (
        ("{ .reg .pred p; .reg .b32 t; setp.lt.s32 p, %1, %2; xor.b32 t, %1, %3;"
        " selp.b32 %0, t, %4, p; }"),
        ALL,
        lambda a, b, c, d: a ^ c if signed(a) < signed(b) else d,
    ),
]  # fmt: skip

SHIM = """
#include <cstdint>
static inline unsigned min(unsigned a, unsigned b) { return a < b ? a : b; }
static inline int min(int a, int b) { return a < b ? a : b; }
static inline unsigned max(unsigned a, unsigned b) { return a < b ? b : a; }
static inline int max(int a, int b) { return a < b ? b : a; }
static inline unsigned __byte_perm(unsigned x, unsigned y, unsigned s) {
  std::uint64_t pool = std::uint64_t(y) << 32 | x; unsigned r = 0;
  for (int i = 0; i < 4; ++i) r |= unsigned(pool >> (8 * (s >> 4 * i & 7)) & 0xff) << 8 * i;
  return r;
}
static inline unsigned funnel_l(unsigned lo, unsigned hi, unsigned n) {
  return unsigned((std::uint64_t(hi) << 32 | lo) << n >> 32);
}
static inline unsigned funnel_r(unsigned lo, unsigned hi, unsigned n) {
  return unsigned((std::uint64_t(hi) << 32 | lo) >> n);
}
#define __funnelshift_l(a, b, n) funnel_l(a, b, (n) & 31)
#define __funnelshift_r(a, b, n) funnel_r(a, b, (n) & 31)
#define __funnelshift_lc(a, b, n) ((n) >= 32 ? (a) : funnel_l(a, b, n))
#define __funnelshift_rc(a, b, n) ((n) >= 32 ? (b) : funnel_r(a, b, n))
#define __umulhi(a, b) unsigned(std::uint64_t(a) * (b) >> 32)
#define __mulhi(a, b) int(std::int64_t(a) * (b) >> 32)
#define __clz(x) ((x) ? __builtin_clz(x) : 32)
static inline unsigned __brev(unsigned x) {
  unsigned r = 0;
  for (int i = 0; i < 32; ++i) r |= (x >> i & 1) << (31 - i);
  return r;
}
"""


def _function(number: int, instruction: str, operands: tuple[str, ...]) -> str:
    inputs = ", ".join(f'"r"({name})' for name in operands)
    text = (
        f"__device__ unsigned f{number}(unsigned a, unsigned b, unsigned c, unsigned d) {{\n"
        f'  unsigned out;\n  asm("{instruction};" : "=r"(out) : {inputs});\n  return out;\n}}\n'
    )
    unit = Unit(SourceFile("k.cu", text.encode()), Target(), Names.load("7.1"))
    findings = list(check(unit))
    assert [getattr(f, "code", "") for f in findings] == ["PTX001"], instruction
    edits = [edit for f in findings for edit in getattr(f, "edits", ())]
    return 'extern "C" ' + apply_edits(text, edits).replace("__device__ ", "")


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """Return a library with one function per instruction of MODELS, as the port writes them."""
    folder = tmp_path_factory.mktemp("ptx")
    source = SHIM + "".join(_function(n, i, o) for n, (i, o, _) in enumerate(MODELS))
    (folder / "ptx.cpp").write_text(source)
    command = ["c++", "-std=c++17", "-O1", "-shared", "-fPIC", "-w", "-o", "ptx.so", "ptx.cpp"]
    subprocess.run(command, cwd=folder, check=True, timeout=120)
    return ctypes.CDLL(str(folder / "ptx.so"))


WORDS = st.one_of(
    st.integers(0, 64), st.integers(0, WORD), st.sampled_from([255, 256, 1 << 31, WORD, WORD - 31])
)


@settings(deadline=None)
@given(a=WORDS, b=WORDS, c=WORDS, d=WORDS)
def test_rewritten_instructions_compute_what_ptx_does(
    machine: ctypes.CDLL, a: int, b: int, c: int, d: int
) -> None:
    for number, (instruction, _, model) in enumerate(MODELS):
        function = getattr(machine, f"f{number}")
        function.restype = ctypes.c_uint32
        arguments = (ctypes.c_uint32(value) for value in (a, b, c, d))
        assert function(*arguments) == model(a, b, c, d), instruction
