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


def _lines(ported: Port, call: str, indent: str = "  ") -> list[str]:
    """Return what an asm statement becomes, line by line."""
    parameters = "unsigned& u, int& i, unsigned v, int x, unsigned pos, unsigned len"
    text = f"__device__ void f({parameters}) {{\n{indent}{call}\n}}\n"
    lines: list[str] = ported(check, text).text.splitlines()[1:-1]
    assert all(len(line) <= _LINE for line in lines)
    return lines


def test_signed_field_at_run_time_is_broken_in_front_of_its_outer_operators(ported: Port) -> None:
    call = 'asm("bfe.s32 %0, %1, %2, %3;" : "=r"(i) : "r"(x), "r"(pos), "r"(len));'
    assert _lines(ported, call) == [
        "  i = (len & 0xffu) == 0 ? 0",
        "      : static_cast<int>(static_cast<unsigned>(x >> min(pos & 0xffu, 31u))",
        "          << (32 - min(len & 0xffu, 32u))) >> (32 - min(len & 0xffu, 32u));",
    ]


def test_signed_field_of_a_known_length_is_one_line(ported: Port) -> None:
    call = 'asm("bfe.s32 %0, %1, %2, 8;" : "=r"(i) : "r"(x), "r"(pos));'
    (line,) = _lines(ported, call)
    field = "static_cast<unsigned>(x >> min(pos & 0xffu, 31u))"
    assert line == f"  i = static_cast<int>({field} << (32 - 8)) >> (32 - 8);"


def test_statement_deep_in_a_function_is_broken_where_it_stands(ported: Port) -> None:
    call = 'asm("bfe.u32 %0, %1, %2, %3;" : "=r"(u) : "r"(v), "r"(pos), "r"(len));'
    indent = " " * 24
    assert _lines(ported, call, indent) == [
        f"{indent}u = static_cast<unsigned>(1ull * v >> min(pos & 0xffu, 63u)",
        f"{indent}        & ~(~0ull << min(len & 0xffu, 32u)));",
    ]


def test_line_without_an_early_space_is_broken_behind_a_bracket(ported: Port) -> None:
    call = 'asm("max.f16x2 %0, %1, %2;" : "=r"(u) : "r"(pos), "r"(len));'
    text = f"__device__ void f(unsigned u, unsigned pos, unsigned len) {{\n  {call}\n}}\n"
    pair = "__builtin_bit_cast(_Float16 __attribute__((ext_vector_type(2))),"
    assert ported(check, text).text.splitlines()[1:-1] == [
        "  u = __builtin_bit_cast(unsigned,",
        "          __builtin_elementwise_max(",
        f"              {pair} pos),",
        f"              {pair} len)));",
    ]


def test_statement_in_a_macro_stays_on_its_line(ported: Port) -> None:
    call = 'asm("bfe.s32 %0, %1, %2, %3;" : "=r"(i) : "r"(x), "r"(pos), "r"(len))'
    text = f"#define FIELD(i, x, pos, len) {call}\n"
    assert len(ported(check, text).text.splitlines()) == 1


def test_insertion_at_run_time_names_the_mask_once(ported: Port) -> None:
    call = 'asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(u) : "r"(v), "r"(len), "r"(pos), "r"(len));'
    assert _lines(ported, call) == [
        "  u = static_cast<unsigned>(len",
        "          ^ ((len ^ 1ull * v << min(pos & 0xffu, 63u))",
        "              & ((1ull << min(len & 0xffu, 32u)) - 1) << min(pos & 0xffu, 63u)));",
    ]
