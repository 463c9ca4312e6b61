"""__hisinf, which tells the sign of an infinity in CUDA and not in HIP."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from porting.emulate.toolkits import Headers
from porting.headers.parts import parts_for
from porting.rules.device import check
from porting.toolkits.sysroot import Sysroot
from tests.porting.emulate.device_code import Device, Launch

Port = Callable[..., Any]
Check = Callable[..., None]
SIGN = (
    "[](auto ported_x) { return __hisinf(ported_x)"
    " ? 1 - 2 * (__builtin_bit_cast(unsigned short, ported_x) >> 15) : 0; }"
)
HEAD = "__device__ int f(__half h, int* p, bool k) {\n"
SHOWS = [
    "return CALL;",
    "p[0] = CALL * 4;",
    "k = CALL == 1;",
    "k = 0 > CALL || k;",
    "if (CALL == -1) return 1;",
    "if (0 < CALL) return 1;",
    "p[1] = k ? CALL : 2;",
    "p[1] = 1 + CALL && k;",
    "p[1] = CALL ?: 2;",
    "if (CALL ?: k) return 1;",
    "switch (CALL) {}",
    "auto sign = [h] { return CALL; };",
    "set(p, CALL);",
]
HIDDEN = [
    "if (CALL) return 1;",
    "while ((CALL)) h = p[0];",
    "k = !CALL;",
    "k = !(CALL) == 1;",
    "return CALL ? 1 : 2;",
    "p[0] = CALL && k;",
    "k = k || CALL;",
    "if (k && CALL && p) return 1;",
    "set(p, CALL || k, k && CALL);",
]
KERNEL = """\
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#define SIGN_OF(q) __hisinf(q)
template <typename T> __device__ int sign(const T* p, int& at) { return __hisinf(p[at++]); }
extern "C" __global__ void halves(const __half* p, int* found) {
  const int i = threadIdx.x;
  int at = i;
  found[3 * i] = __hisinf(p[i]) + 10 * (__hisinf(p[i]) ? 1 : 0);
  found[3 * i + 1] = sign(p, at) + 100 * (at - i);
  found[3 * i + 2] = SIGN_OF(p[i]);
}
extern "C" __global__ void bfloats(const __nv_bfloat16* p, int* found) {
  const int i = threadIdx.x;
  int at = i;
  found[3 * i] = __hisinf(p[i]) + 10 * (__hisinf(p[i]) ? 1 : 0);
  found[3 * i + 1] = sign(p, at) + 100 * (at - i);
  found[3 * i + 2] = SIGN_OF(p[i]);
}
"""
# Infinities, the numbers next to them, numbers that are none, zeros, and some between.
HALVES = (0x7C00, 0xFC00, 0x7BFF, 0xFBFF, 0x7C01, 0xFC01, 0x7E00, 0xFFFF, 0, 0x8000, 0x3C00, 0xC000)
BFLOATS = (
    0x7F80,
    0xFF80,
    0x7F7F,
    0xFF7F,
    0x7F81,
    0xFF81,
    0x7FC0,
    0xFFFF,
    0,
    0x8000,
    0x3F80,
    0xC000,
)
WANTED = (1, -1) + 10 * (0,)


@pytest.mark.parametrize("rocm", ["6.2", "7.1"])
@pytest.mark.parametrize("statement", SHOWS)
def test_sign_of_an_infinity_is_written_where_it_may_show(
    ported: Port, statement: str, rocm: str
) -> None:
    text = f"{HEAD}  {statement}\n}}\n"
    found = ported(check, text.replace("CALL", "::__hisinf(h)"), rocm)
    assert found.text == text.replace("CALL", f"{SIGN}(h)")
    assert found.said() == [(2, "DEV018")]
    assert found.said(above="note") == []


@pytest.mark.parametrize("statement", HIDDEN)
def test_call_is_left_where_it_only_asks_for_an_infinity(ported: Port, statement: str) -> None:
    text = f"{HEAD}  {statement}\n}}\n".replace("CALL", "__hisinf(h)")
    found = ported(check, text)
    assert found.text == text
    assert found.said() == []


def test_sign_is_written_in_a_subscript_and_in_a_macro(ported: Port) -> None:
    text = f"#define SIGN(x) __hisinf(x)\n{HEAD}  return p[__hisinf(h)];\n}}\n"
    found = ported(check, text)
    assert f"#define SIGN(x) {SIGN}(x)\n" in found.text
    assert f"p[({SIGN}(h))]" in found.text


def test_function_that_is_named_without_a_call_is_a_warning(ported: Port) -> None:
    found = ported(check, f"{HEAD}  apply(h, __hisinf);\n}}\n")
    assert found.said(above="note") == [(2, "DEV019")]
    assert "__hisinf" in found.findings[0].message


def signs(source: str, device: Device, *flags: str) -> None:
    """Check what kernels find of the sign of infinities, and that operands are computed once."""
    launches = []
    for kernel, bits in (("halves", HALVES), ("bfloats", BFLOATS)):
        out = np.zeros((len(bits), 3), np.int32)
        launches.append(Launch(kernel, (np.array(bits, np.uint16), out), block=(len(bits), 1, 1)))
    ran = device.run(source, launches, *flags)
    assert ran.status == 0, ran.errors
    for _, found in ran.arguments:
        assert found[:, 0].tolist() == [sign + 10 * abs(sign) for sign in WANTED]
        assert found[:, 1].tolist() == [sign + 100 for sign in WANTED]
        assert found[:, 2].tolist() == list(WANTED)


def written(ported: Port) -> str:
    """Return the kernels as a port leaves them."""
    text: str = ported(check, KERNEL).text
    return text.replace("nv_bfloat", "hip_bfloat").replace("cuda_", "hip/hip_")


@pytest.mark.timeout(600)
@pytest.mark.parametrize("wave", [32, 64])
def test_signs_are_those_of_cuda_when_they_run(
    ported: Port, tmp_path: Path, sysroot: Sysroot, wave: int
) -> None:
    device = Device(Headers("rocm", sysroot.path, sysroot.rocm), wave, tmp_path)
    signs("#include <hip/hip_runtime.h>\n" + written(ported), device)


@pytest.mark.timeout(600)
def test_signs_of_a_compat_header_are_those_of_cuda_when_they_run(
    tmp_path: Path, sysroot: Sysroot
) -> None:
    device = Device(Headers("rocm", sysroot.path, sysroot.rocm), 64, tmp_path)
    parts = "".join(part.text for part in parts_for(["__hisinf"]))
    text = KERNEL.replace("nv_bfloat", "hip_bfloat").replace("cuda_", "hip/hip_")
    head, line, kernels = text.partition("#define SIGN_OF")
    signs(f"#include <hip/hip_runtime.h>\n{head}{parts}{line}{kernels}", device)


def test_signs_compile_when_they_are_written(
    ported: Port, compiles: Check, sysroot: Sysroot, sysroot_6_2: Sysroot
) -> None:
    for tree in (sysroot, sysroot_6_2):
        compiles(written(ported), tree)
