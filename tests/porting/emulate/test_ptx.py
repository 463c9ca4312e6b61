"""Inline PTX becomes instructions with the meaning that the PTX ISA gives it."""

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from porting.emulate.ptx import with_ptx
from porting.emulate.toolkits import Headers
from porting.errors import InputError
from porting.toolkits.cuda import CudaHome
from tests.porting.emulate.device_code import Device, Launch

# The first of them builds the emulator.
pytestmark = pytest.mark.timeout(600)

WORD = 0xFFFFFFFF
WORDS = [0, 1, 7, 31, 32, 33, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x12345678, 0xDEADBEEF]
Reference = Callable[..., int]
MODULE = """\
define void @k(ptr %out) !dbg !4 {{
  {line}, !dbg !5, !srcloc !6
  ret void
}}
!1 = !DIFile(filename: "lanes.cuh", directory: "/src")
!4 = distinct !DISubprogram(name: "k", scope: !1, file: !1, line: 3)
!5 = !DILocation(line: 7, column: 3, scope: !4)
"""


def signed(value: int) -> int:
    return value - (1 << 32) if value >> 31 else value


def field(value: int, start: int, size: int, *, sign: bool) -> int:
    start, size = start & 255, size & 255
    fill = value >> min(start + size - 1, 31) & 1 if sign and size else 0
    bits = [value >> (start + n) & 1 if n < size and start + n < 32 else fill for n in range(32)]
    return sum(bit << n for n, bit in enumerate(bits))


def insert(source: int, into: int, start: int, size: int) -> int:
    start, size = start & 255, size & 255
    for n in range(size):
        if start + n < 32:
            into = into & ~(1 << start + n) | (source >> n & 1 if n < 32 else 0) << start + n
    return into


def permute(low: int, high: int, selector: int) -> int:
    both, result = high << 32 | low, 0
    for place in range(4):
        choice = selector >> (4 * place) & 15
        byte = both >> (8 * (choice & 7)) & 255
        if choice & 8:
            byte = 255 if byte & 128 else 0
        result |= byte << (8 * place)
    return result


STATEMENTS: dict[str, Reference] = {
    "bfe.u32 %0, %1, %2, %3;": lambda a, b, c: field(a, b, c, sign=False),
    "bfe.s32 %0, %1, %2, %3;": lambda a, b, c: field(a, b, c, sign=True),
    "bfi.b32 %0, %1, %2, %3, 5;": lambda a, b, c: insert(a, b, c, 5),
    "bfi.b32 %0, %1, %2, 7, %3;": lambda a, b, c: insert(a, b, 7, c),
    "prmt.b32 %0, %1, %2, %3;": permute,
    "lop3.b32 %0, %1, %2, %3, 0x96;": lambda a, b, c: a ^ b ^ c,
    "lop3.b32 %0, %1, %2, %3, 0xCA;": lambda a, b, c: a & b | ~a & c,
    "shf.l.wrap.b32 %0, %1, %2, %3;": lambda a, b, c: (b << 32 | a) << (c & 31) >> 32,
    "shf.r.clamp.b32 %0, %1, %2, %3;": lambda a, b, c: (b << 32 | a) >> min(c, 32),
    "shl.b32 %0, %1, %2;": lambda a, b, _: a << min(b, 32),
    "shr.u32 %0, %1, %2;": lambda a, b, _: a >> min(b, 32),
    "shr.s32 %0, %1, %2;": lambda a, b, _: signed(a) >> min(b, 31),
    "mul.hi.s32 %0, %1, %2;": lambda a, b, _: signed(a) * signed(b) >> 32,
    "mad.lo.u32 %0, %1, %2, %3;": lambda a, b, c: a * b + c,
    "min.s32 %0, %1, %2;": lambda a, b, _: min(signed(a), signed(b)),
    "max.u32 %0, %1, %2;": lambda a, b, _: max(a, b),
    "popc.b32 %0, %1;": lambda a, _, __: a.bit_count(),
    "clz.b32 %0, %1;": lambda a, _, __: 32 - a.bit_length(),
    "brev.b32 %0, %1;": lambda a, _, __: int(f"{a:032b}"[::-1], 2),
    "bfind.u32 %0, %1;": lambda a, _, __: a.bit_length() - 1,
    "bfind.s32 %0, %1;": lambda a, _, __: (a ^ WORD if a >> 31 else a).bit_length() - 1,
    "sad.s32 %0, %1, %2, %3;": lambda a, b, c: abs(signed(a) - signed(b)) + c,
    "cnot.b32 %0, %1;": lambda a, _, __: int(a == 0),
    "cvt.s32.s8 %0, %1;": lambda a, _, __: (a & 127) - (a & 128),
    "{ .reg .pred p; setp.lt.s32 p, %1, %2; selp.u32 %0, %1, %2, p; }": (
        lambda a, b, _: min(signed(a), signed(b))
    ),
    "{ .reg .pred p; .reg .u32 t; mov.u32 t, %1; setp.eq.u32 p, %2, 0;"
    " @p add.u32 t, t, 5; @!p add.u32 t, t, 7; mov.u32 %0, t; }": (
        lambda a, b, _: a + (5 if b == 0 else 7)
    ),
    "{ .reg .u32 t; add.cc.u32 t, %1, %2; addc.u32 %0, %3, 0; }": (
        lambda a, b, c: c + (a + b >> 32)
    ),
    "{ .reg .u32 t; sub.cc.u32 t, %1, %2; subc.u32 %0, %3, 1; }": lambda a, b, c: c - 1 - (a < b),
    "{ .reg .u32 t; mad.lo.cc.u32 t, %1, %2, %3; madc.hi.u32 %0, %1, %2, 0; }": (
        lambda a, b, c: (a * b >> 32) + ((a * b & WORD) + c >> 32)
    ),
    "{ .reg .b64 d; mov.b64 d, {%1, %2}; shr.u64 d, d, 8; cvt.u32.u64 %0, d; }": (
        lambda a, b, _: (b << 32 | a) >> 8
    ),
}


@pytest.fixture
def device(cuda_home: CudaHome, tmp_path: Path) -> Device:
    return Device(Headers("cuda", cuda_home.path, cuda_home.release), 32, tmp_path)


def test_instructions_of_words_compute_what_the_manual_says(device: Device) -> None:
    rows = list(itertools.product(WORDS, repeat=3))[::2]
    given = np.array(rows, np.uint32)
    source, launches = "", []
    for number, text in enumerate(STATEMENTS):
        source += f"""
extern "C" __global__ void k{number}(const unsigned* in, unsigned* out, int n) {{
  for (int i = threadIdx.x; i < n; i += blockDim.x) {{
    asm("{text}" : "=r"(out[i]) : "r"(in[3 * i]), "r"(in[3 * i + 1]), "r"(in[3 * i + 2]));
  }}
}}
"""
        out = np.zeros(len(rows), np.uint32)
        launches.append(Launch(f"k{number}", (given, out, np.int32(len(rows)))))
    ran = device.run(source, launches)
    assert (ran.status, ran.findings) == (0, []), ran.errors
    for (text, reference), after in zip(STATEMENTS.items(), ran.arguments, strict=True):
        expected = np.array([reference(*row) & WORD for row in rows], np.uint32)
        wrong = np.flatnonzero(after[1] != expected)
        assert not wrong.size, (text, rows[wrong[0]], after[1][wrong[0]], expected[wrong[0]])


def test_instructions_about_lanes_and_memory_reach_the_emulator(device: Device) -> None:
    source = r"""
extern "C" __global__ void lanes(unsigned* out, unsigned* total, double* sums) {
  unsigned lane, below, width, votes, next;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  asm("mov.u32 %0, %%ntid.x;" : "=r"(width));
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 5; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
               : "=r"(votes) : "r"(lane));
  asm volatile("shfl.sync.down.b32 %0, %1, 1, 0x1f, 0xffffffff;" : "=r"(next) : "r"(lane));
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};"
               :: "l"(out + 8 * lane), "r"(lane), "r"(below), "r"(width), "r"(votes) : "memory");
  unsigned old;
  asm volatile("atom.global.add.u32 %0, [%1], 2;" : "=r"(old) : "l"(total) : "memory");
  asm volatile("red.global.max.u32 [%0+4], %1;" :: "l"(total), "r"(lane) : "memory");
  asm volatile("membar.gl;" ::: "memory");
  unsigned long long wide;
  asm("mad.wide.u32 %0, %1, %1, %2;" : "=l"(wide) : "r"(lane << 20), "l"(1ull << 50));
  out[8 * lane + 4] = next;
  out[8 * lane + 5] = wide >> 32;
  asm("add.u32 %0, %0, 9;" : "+r"(lane));
  out[8 * (lane - 9) + 6] = lane;
  asm("fma.rn.f64 %0, %1, %2, %3;" : "=d"(sums[lane - 9]) : "d"(0.5), "d"((double)lane), "d"(1.0));
}
"""
    given = (np.zeros((32, 8), np.uint32), np.zeros(2, np.uint32), np.zeros(32))
    ran = device.run(source, [Launch("lanes", given, block=(32, 1, 1))])
    assert (ran.status, ran.findings) == (0, []), ran.errors
    out, total, sums = ran.arguments[0]
    lanes = np.arange(32)
    assert (out[:, 0] == lanes).all()
    assert (out[:, 1] == (1 << lanes) - 1).all()
    assert (out[:, 2] == 32).all()
    assert (out[:, 3] == 0b11111).all()
    assert (out[:, 4] == np.minimum(lanes + 1, 31)).all()
    assert (out[:, 5] == (lanes * lanes << 8) + (1 << 18)).all()
    assert (out[:, 6] == lanes + 9).all()
    assert total.tolist() == [64, 31]
    assert (sums == 0.5 * (lanes + 9) + 1).all()


def module(call: str) -> str:
    return MODULE.format(line=call)


def test_a_statement_becomes_instructions_at_its_place() -> None:
    asm = '%0 = call i32 asm "prmt.b32 $0, $1, 0, 0x0123;", "=r,r,~{flags}"(i32 7) #11'
    text = with_ptx(module(asm))
    assert " asm " not in text
    assert "%0 = freeze i32 %ptx0." in text
    assert all(", !dbg !5" in line for line in text.split("\n") if " %ptx0" in line)


def test_other_assembly_stays_as_it_is() -> None:
    ours = module('call void asm sideeffect "stmxcsr $0", "=*m"(ptr %out) #1')
    empty = module('%0 = call float asm "", "=x,0"(float 1.0) #1')
    assert with_ptx(ours) == ours
    assert with_ptx(empty) == empty


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ldmatrix.sync.aligned.m8n8.x1.shared.b16 $0, [$1];", "ldmatrix.*is not emulated"),
        ("addc.u32 $0, $1, 0;", "a carry from another asm statement"),
        ("add.u32 $0, %t, 0;", "%t is read before it has a value"),
        ("ld.shared.u32 $0, [$1];", "addresses of shared memory in 32 bits"),
        ("bar.sync 1, 64;", "only barrier 0"),
    ],
)
def test_what_has_no_equivalent_is_refused_at_its_line(text: str, reason: str) -> None:
    call = f'%0 = call i32 asm sideeffect "{text}", "=r,r"(i32 7) #11'
    with pytest.raises(InputError, match=rf"^lanes\.cuh:7: inline PTX .*: {reason}"):
        with_ptx(module(call))
