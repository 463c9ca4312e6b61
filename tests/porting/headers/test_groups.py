"""Cooperative groups in a compat tree: what its headers define where HIP lacks it."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from porting.toolkits.sysroot import Sysroot

Make = Callable[..., Any]
HEADER = "eclosion/include/cooperative_groups"
GROUPS = """
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
template <class G> __device__ float sum(const G& g, float v) {
  return cg::reduce(g, v, cg::plus<float>());
}
__global__ void k(int* p, unsigned* u, unsigned long long* w) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  auto quad = cg::tiled_partition<4>(cg::this_thread_block());
  auto some = cg::coalesced_threads();
  p[0] = __shfl_sync(~0u, p[1], 3) + __shfl(p[2], 1) + warpSize + __ballot(p[3]);
  p[1] = cg::reduce(tile, p[0], cg::less<int>()) + cg::reduce(some, p[1], cg::greater<int>());
  u[0] = cg::reduce(tile, u[1], cg::bit_and<unsigned>());
  u[1] = cg::reduce(quad, u[2], cg::bit_or<unsigned>());
  w[0] = cg::reduce(some, w[1], cg::bit_xor<unsigned long long>());
  p[2] = sum(tile, 1.f) + sum(some, 2.f) + sum(quad, 3.f);
  auto same = cg::labeled_partition(tile, p[4] % 3);
  using cooperative_groups::labeled_partition;
  auto own = labeled_partition(some, w[2]);
  p[5] = cg::reduce(same, 1, cg::plus<int>()) + same.size() + own.thread_rank();
}
"""


@pytest.mark.parametrize("arch", ["gfx90a", "gfx942", "gfx1100"])
def test_reductions_and_partitions_by_label_compile_from_untouched_code(
    make: Make, sysroot: Sysroot, tmp_path: Path, arch: str
) -> None:
    made = make(GROUPS)
    assert [found for found in made.findings if found.severity != "note"] == []
    flags = [f"--rocm-path={sysroot.path}", *made.write(tmp_path), "-isystem", str(sysroot.include)]
    unit = tmp_path / "unit.hip"
    unit.write_text(GROUPS)
    command = ["clang++-19", "-x", "hip", "-std=c++17", "-w", f"--offload-arch={arch}", *flags]
    done = subprocess.run(
        [*command, "-c", "--cuda-device-only", str(unit), "-o", str(tmp_path / "unit.o")],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_partition_by_label_is_defined_in_every_header_of_groups(make: Make) -> None:
    files = make(GROUPS).headers.files
    for path in (f"{HEADER}.h", f"{HEADER}/reduce.h"):
        assert files[path].count("using ported::labeled_partition;") == 1
    assert "PORTED_CG_REDUCE" not in files[f"{HEADER}.h"]
    assert "PORTED_CG_REDUCE" in files[f"{HEADER}/reduce.h"]


def test_definitions_are_formatted(
    make: Make, tmp_path: Path, program: Callable[[str], str]
) -> None:
    path = tmp_path / "reduce.h"
    path.write_text(make(GROUPS).headers.files[f"{HEADER}/reduce.h"])
    style = f"--style=file:{Path(__file__).parents[3] / '.clang-format'}"
    command = [program("clang-format-19"), style, "-n", "-Werror", str(path)]
    subprocess.run(command, check=True, timeout=50)


def test_nothing_is_defined_for_a_tree_that_uses_neither(make: Make) -> None:
    files = make(
        "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
    ).headers.files
    assert "ported" not in files[f"{HEADER}.h"]


def test_reduce_is_an_error_where_no_header_brings_it(make: Make) -> None:
    head = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
    call = "__device__ int f(cg::coalesced_group g) { return cg::reduce(g, 1, cg::plus<int>()); }\n"
    assert [(line, code) for _, line, code in make(head + call).said()] == [(3, "COG001")]


def test_older_releases_are_left_to_a_person(make: Make) -> None:
    made = make(GROUPS, "6.4")
    assert {"COG001"} <= {found.code for found in made.findings if found.severity == "error"}
    assert "ported" not in made.headers.files[f"{HEADER}/reduce.h"]


VOTE = """
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
template <unsigned N> __device__ int f(cg::thread_block_tile<N> tile, int n) {
  return tile.match_any(n) + tile.any(n);
}
"""


def test_votes_that_newer_headers_have_are_noted_and_else_an_error(make: Make) -> None:
    newer, older = make(VOTE), make(VOTE, "6.4")
    assert [(line, code) for _, line, code in newer.said()] == [(5, "COG006")] * 2
    assert {found.severity.value for found in newer.findings} == {"note"}
    assert not any(found.edits for found in newer.findings)
    assert [found.severity.value for found in older.findings] == ["error"] * 2


def test_scans_are_an_error_at_their_call_and_their_header_none(make: Make) -> None:
    text = (
        "#include <cooperative_groups/scan.h>\nnamespace cg = cooperative_groups;\n"
        "__device__ int f(cg::coalesced_group g) { return cg::inclusive_scan(g, 1); }\n"
    )
    assert [(line, code) for _, line, code in make(text).said()] == [(3, "COG001")]
