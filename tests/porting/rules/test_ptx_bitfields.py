"""PTX bit fields whose place is known at run time only: the text stays within a line."""

from collections.abc import Callable
from typing import Any

from porting.rules.ptx import check

Port = Callable[..., Any]
_LINE = 100


def test_unsigned_field_at_run_time_is_one_short_expression(ported: Port) -> None:
    call = 'asm("bfe.u32 %0, %1, %2, %3;" : "=r"(u) : "r"(v), "r"(pos), "r"(len));'
    start = "__device__ void f(unsigned& u, unsigned v, unsigned pos, unsigned len) {\n  "
    found = ported(check, f"{start}{call}\n}}\n").text.splitlines()[1]

    assert found.strip() == (
        "u = static_cast<unsigned>"
        "(1ull * v >> min(pos & 0xffu, 63u) & ~(~0ull << min(len & 0xffu, 32u)));"
    )
    assert len(found) <= _LINE
