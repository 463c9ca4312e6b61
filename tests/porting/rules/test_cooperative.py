"""Cooperative groups: what HIP lacks is reported, what it has in another form is rewritten."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.rules.cooperative import check
from porting.toolkits.sysroot import Sysroot

Port = Callable[..., Any]
Check = Callable[..., None]
ALIAS = "namespace cg = cooperative_groups;\n"


def kernel(statements: str) -> str:
    """Return a kernel with a block, a tile of 32 and the statements."""
    return (
        f"{ALIAS}__global__ void k(int* p, int n) {{\n"
        "  cg::thread_block blk = cg::this_thread_block();\n"
        "  auto tile = cg::tiled_partition<32>(blk);\n"
        f"  {statements}\n}}\n"
    )


def written(ported: Port, statements: str, rocm: str = "7.1") -> str:
    """Return what the statements become; they must be rewritten without a warning."""
    found = ported(check, kernel(statements), rocm)
    assert found.said(above="note") == []
    return "\n".join(found.text.splitlines()[4:-1]).strip()


@pytest.mark.parametrize(
    "name",
    [
        "reduce(tile, n, cg::plus<int>())",
        "inclusive_scan(tile, n)",
        "labeled_partition(tile, n)",
        "memcpy_async(blk, p, p + 4, 16)",
        "wait(blk)",
        "this_cluster()",
        "invoke_one(blk, [] {})",
    ],
)
def test_name_that_the_release_lacks_is_an_error(ported: Port, name: str) -> None:
    found = ported(check, kernel(f"cg::{name};"), "6.4")
    assert found.said(above="note") == [(5, "COG001")]
    assert name.split("(", maxsplit=1)[0] in found.findings[0].message
    assert found.text == kernel(f"cg::{name};")


@pytest.mark.parametrize(
    ("head", "call"),
    [
        ("namespace groups = cooperative_groups;\n", "groups::reduce(g, 1, f)"),
        ("namespace groups = ::cooperative_groups;\n", "groups::reduce(g, 1, f)"),
        ("", "cooperative_groups::reduce(g, 1, f)"),
        ("", "cg::reduce(g, 1, f)"),
        ("using namespace cooperative_groups;\n", "reduce(g, 1, f)"),
        ("using cooperative_groups::reduce;\n", "reduce(g, 1, f)"),
        (ALIAS, "cg :: /* all */ reduce (g, 1, f)"),
        (ALIAS + "#define SUM(g) cg::reduce(g, 1, f)\n", "0"),
    ],
)
def test_name_is_found_however_it_is_qualified(ported: Port, head: str, call: str) -> None:
    code = f"template <class G> int f(G g) {{ return {call}; }}\n"
    text = f"#include <cooperative_groups.h>\n{head}{code}"
    assert [code for _, code in ported(check, text).said(above="note")] == ["COG001"]


@pytest.mark.parametrize(
    "text",
    [
        "namespace cg { int reduce(int); }\nint f() { return cg::reduce(1); }\n",
        "#include <cooperative_groups.h>\nint f(T t) { return t.reduce(1) + std::reduce(a, b); }\n",
        "int reduce(int); int f() { return reduce(1); }\n",
        "// cg::reduce(tile, 1, f)\n",
        ALIAS + "#ifndef USE_ROCM\nint f() { return cg::reduce(t, 1, f); }\n#endif\n",
        "#include <hip/hip_cooperative_groups.h>\nint f() { return cg::reduce(t, 1, f); }\n",
        ALIAS + "bool f(std::bitset<4> b) { return b.any() || b.all(); }\n",
        kernel("cg::this_grid().sync(); p[0] = tile.shfl_down(n, 1) + tile.meta_group_rank();"),
    ],
)
def test_code_that_needs_nothing_is_left_alone(ported: Port, text: str) -> None:
    found = ported(check, text)
    assert found.text == text
    assert found.findings == ()


def test_collective_header_becomes_the_one_that_hip_has(ported: Port) -> None:
    text = "#include <cooperative_groups/reduce.h>\n" + ALIAS
    found = ported(check, text, "6.4")
    assert found.text == "#include <hip/hip_cooperative_groups.h>\n" + ALIAS


def test_nested_tile_is_cut_from_the_block_before_7_1(ported: Port) -> None:
    text = kernel("auto half = cg::tiled_partition<16>(tile);")
    old = ported(check, text, "7.0")
    assert "auto half = cg::tiled_partition<16>(cg::this_thread_block());" in old.text
    assert old.said(above="note") == [(5, "COG002")]
    assert ported(check, text, "7.1").findings == ()


def test_nested_tile_is_left_when_its_place_in_the_outer_tile_is_asked(ported: Port) -> None:
    text = kernel("auto half = cg::tiled_partition<16>(tile); p[half.meta_group_rank()] = 1;")
    old = ported(check, text, "6.2")
    assert old.text == text
    assert old.said(above="note") == [(5, "COG002")]


@pytest.mark.parametrize(("size", "error"), [(16, False), (32, False), (64, True), (128, True)])
def test_tile_wider_than_a_wavefront_is_an_error(ported: Port, size: int, *, error: bool) -> None:
    found = ported(check, kernel(f"auto t = cg::tiled_partition<{size}>(blk);"))
    assert [code for _, code in found.said(above="note")] == (["COG004"] if error else [])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "unsigned m = tile.ballot(n > 1);",
            "unsigned m = (__ballot(n > 1) >> (__lane_id() & 32) & 0xffffffffu);",
        ),
        (
            "if (tile.any(n)) p[0] = 1;",
            "if (((__ballot(n) >> (__lane_id() & 32) & 0xffffffffu) != 0)) p[0] = 1;",
        ),
        (
            "if (!tile.all(n || p[0])) return;",
            "if (!((__ballot(!(n || p[0])) >> (__lane_id() & 32) & 0xffffffffu) == 0)) return;",
        ),
        (
            "cg::thread_block_tile<8> t = cg::tiled_partition<8>(blk); p[0] = t.any(n);",
            (
                "cg::thread_block_tile<8> t = cg::tiled_partition<8>(blk);"
                " p[0] = ((__ballot(n) >> (__lane_id() & 56) & 0xffu) != 0);"
            ),
        ),
        ("p[0] = tile.num_threads();", "p[0] = tile.size();"),
        ("p[0] = blk.dim_threads().x;", "p[0] = blk.group_dim().x;"),
        (
            "auto grid = cg::this_grid(); p[0] = grid.dim_blocks().x + grid.block_index().y;",
            "auto grid = cg::this_grid(); p[0] = gridDim.x + blockIdx.y;",
        ),
    ],
)
def test_member_is_written_in_a_form_that_every_release_has(
    ported: Port, before: str, after: str
) -> None:
    assert written(ported, before, "6.4") == after
    assert written(ported, before, "7.1") == after


def test_vote_of_coalesced_group_needs_7_0_and_64_bits(ported: Port) -> None:
    text = kernel("auto g = cg::coalesced_threads(); unsigned m = g.ballot(n); p[0] = m;")
    assert [c for _, c in ported(check, text, "6.4").said(above="note")] == ["COG001", "COG005"]
    assert [c for _, c in ported(check, text, "7.0").said(above="note")] == ["COG005"]
    wide = kernel("auto g = cg::coalesced_threads(); auto m = g.ballot(n); p[0] = m != 0;")
    assert ported(check, wide, "7.0").said() == [(5, "COG006")]


def test_split_barrier_needs_7_12(ported: Port) -> None:
    text = kernel("auto token = blk.barrier_arrive();")
    assert ported(check, text, "7.1").said(above="note") == [(5, "COG001")]


def test_rewritten_groups_compile(
    ported: Port, compiles: Check, sysroot: Sysroot, sysroot_6_2: Sysroot
) -> None:
    statements = (
        "auto half = cg::tiled_partition<16>(tile); auto grid = cg::this_grid();"
        " unsigned m = half.ballot(n > 1); if (tile.any(n) && half.all(p[1])) p[0] = m;"
        " p[1] = tile.num_threads() + blk.dim_threads().x + grid.dim_blocks().x + half.size();"
        " grid.sync();"
    )
    for tree in (sysroot, sysroot_6_2):
        found = ported(check, kernel(statements), "6.2")
        compiles("#include <hip/hip_cooperative_groups.h>\n" + found.text, tree)
