"""Votes and matches of groups that only newer releases have: what is defined for them."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from porting.rules.cooperative import check
from porting.rules.cooperative.votes import DEFINITION
from porting.toolkits.sysroot import Sysroot
from tests.porting.rules.test_cooperative_provided import LANES

Port = Callable[..., Any]
Check = Callable[..., None]
HEADER = "#include <cooperative_groups.h>\n"
ALIAS = "namespace cg = cooperative_groups;\n"
BODY = """\
template <unsigned N> __device__ unsigned f(cg::thread_block_tile<N> tile, int n, int* same) {
  unsigned found = tile.any(n > 1) ? tile.ballot(n) : 0u;
  if (tile.all(n)) found |= tile.match_any(n);
  return found | tile.match_all(n * 2.5, *same);
}
__global__ void k(unsigned* p, unsigned long long* w) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  auto some = cg::coalesced_threads();
  int same = 0;
  cg::thread_block_tile<8> eight = cg::tiled_partition<8>(cg::this_thread_block());
  p[0] = f(eight, p[1], &same) + tile.match_any(w[1]);
  w[0] = some.ballot(p[2]) + some.match_any(p[3]) + some.match_all(p[4], same) + tile.any(p[5]);
  if (some.any(p[6]) && !some.all(p[7])) p[2] = 1;
}
"""


@pytest.mark.parametrize("rocm", ["6.2", "7.1"])
def test_votes_compile_when_the_header_is_that_of_6_2(
    ported: Port, compiles: Check, sysroot: Sysroot, sysroot_6_2: Sysroot, rocm: str
) -> None:
    found = ported(check, HEADER + ALIAS + BODY, rocm)
    assert found.said(above="note") == []
    assert found.text.count("#define PORTED_CG_VOTES") == 1
    assert found.text.startswith(f"{HEADER}#if defined(__HIP__)")
    assert "cooperative_groups::ported::match_all(tile, n * 2.5, *same)" in found.text
    compiles(
        found.text.replace("<cooperative_groups.h>", "<hip/hip_cooperative_groups.h>"),
        sysroot_6_2 if rocm == "6.2" else sysroot,
    )


def test_votes_are_told_of_when_no_header_of_groups_is_included(ported: Port) -> None:
    text = ALIAS + BODY
    newer = ported(check, text, "7.1")
    assert {code for _, code in newer.said()} == {"COG003", "COG006"}
    assert newer.said(above="note") == []
    assert "tile.match_any(n)" in newer.text
    older = ported(check, text, "6.4")
    assert {code for _, code in older.said(above="note")} == {"COG001"}
    assert (4, "COG001") in older.said()


MAIN = r"""
namespace cg = cooperative_groups;
void expect(bool good, const char* what, unsigned size) {
  if (!good) std::printf("lane %u of %u: %s\n", lane, size, what), std::_Exit(1);
}
template <class G> void check(const G& group, unsigned first) {
  const unsigned size = group.size();
  unsigned long long third = 0, alike = 0, everybody = 0;
  for (unsigned l = 0; l < size; ++l) {
    third |= (unsigned long long)((first + l) % 3 == 0) << l;
    alike |= (unsigned long long)((first + l) % 3 == lane % 3) << l;
    everybody |= 1ull << l;
  }
  expect(cg::ported::ballot(group, lane % 3 == 0) == third, "ballot", size);
  expect(cg::ported::any(group, lane % 3 == 0) == (third != 0), "any", size);
  expect(cg::ported::any(group, false) == 0, "none", size);
  expect(cg::ported::all(group, lane % 3 == 0) == (third == everybody), "all", size);
  expect(cg::ported::all(group, true) == 1, "everybody", size);
  const long long high = (long long)(lane % 3) << 40;
  expect(cg::ported::match_any(group, high) == alike, "match_any", size);
  int same = 2;
  const bool is_one = size == 1;
  expect(cg::ported::match_all(group, high, same) == (is_one ? everybody : 0), "differ", size);
  expect(same == is_one, "told to differ", size);
  expect(cg::ported::match_all(group, 1.5, same) == everybody && same == 1, "match_all", size);
}
template <class Body> void run(unsigned threads, Body body) {
  std::barrier<> together(threads);
  meeting = &together;
  std::vector<std::jthread> all;
  for (unsigned l = 0; l < threads; ++l) all.emplace_back([=] { lane = l; body(); });
}
int main() {
  static_assert(sizeof(cg::ported::ballot(cg::thread_block_tile<32>(), true)) == 4);
  run(64, [] { check(cg::thread_block_tile<64>(), 0); });
  run(64, [] { check(cg::thread_block_tile<32>(), lane / 32 * 32); });
  run(64, [] { check(cg::thread_block_tile<4, int>(), lane / 4 * 4); });
  run(64, [] { check(cg::thread_block_tile<1>(), lane); });
  for (unsigned n : {1, 2, 5, 33, 64})
    run(n, [=] { check(cg::coalesced_group(cg::lanes{n}), 0); });
}
"""


def test_definition_works_when_lanes_are_threads(
    program: Callable[[str], str], tmp_path: Path
) -> None:
    source = tmp_path / "votes.cpp"
    source.write_text(LANES + DEFINITION + MAIN)
    command = [program("clang++-19"), "-std=c++20", "-O1", "-pthread", str(source), "-o", "votes"]
    for step in (command, ["./votes"]):
        done = subprocess.run(
            step, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=50
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_definition_is_formatted(program: Callable[[str], str], tmp_path: Path) -> None:
    path = tmp_path / "votes.h"
    path.write_text(DEFINITION)
    style = f"--style=file:{Path(__file__).parents[3] / '.clang-format'}"
    command = [program("clang-format-19"), style, "-n", "-Werror", str(path)]
    subprocess.run(command, check=True, timeout=50)
