"""Parts of cooperative groups that HIP lacks: what is defined for them, and that it works."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from porting.rules import Project
from porting.rules.cooperative import check
from porting.toolkits.sysroot import Sysroot

Port = Callable[..., Any]
Check = Callable[..., None]
ALIAS = "namespace cg = cooperative_groups;\n"
REDUCE = "#include <cooperative_groups/reduce.h>"
SUM = (
    "float f(cg::thread_block_tile<32> t, float v) { return cg::reduce(t, v, cg::plus<float>()); }"
)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("behind", ["", " // sums", " /* sums\nand more */", " /* a */ /* b\n*/"])
def test_reduce_is_defined_behind_the_include_of_its_header(
    ported: Port, behind: str, newline: str
) -> None:
    text = f"{REDUCE}{behind}\n{ALIAS}__device__ {SUM}\n".replace("\n", newline)
    found = ported(check, text)
    assert found.said(above="note") == []
    assert found.text.count("reduce(") == 3
    before, _, after = found.text.partition("#if defined(__HIP__)")
    head = f"#include <hip/hip_cooperative_groups.h>{behind}\n".replace("\n", newline)
    assert before == head
    assert after.endswith(f"#endif\n{ALIAS}__device__ {SUM}\n".replace("\n", newline))
    assert newline == "\n" or found.text.count("\n") == found.text.count("\r\n")


def test_reduce_is_defined_when_the_include_ends_the_file(ported: Port) -> None:
    found = ported(check, REDUCE)
    assert found.text.startswith("#include <hip/hip_cooperative_groups.h>\n#if defined(__HIP__)")


def test_reduce_is_an_error_when_nothing_brings_its_header(ported: Port) -> None:
    text = f'#include "sums.cuh"\n{ALIAS}__device__ {SUM}\n'
    lost = ported(check, text)
    assert lost.said(above="note") == [(3, "COG001")]
    brought = ported(check, text, project=Project(files=frozenset(("k.cu", "sums.cuh"))))
    assert brought.said() == [(3, "COG003")]


def test_reduce_compiles_for_every_group_and_type(
    ported: Port, compiles: Check, sysroot: Sysroot
) -> None:
    body = (
        "struct Pair { double a; short b; };\n"
        "template <class G> __device__ float sum(G& g, float v)"
        " { return cg::reduce(g, v, cg::plus<float>()); }\n"
        "__global__ void k(int* p, Pair* q) {\n"
        "  auto tile = cg::tiled_partition<32>(cg::this_thread_block());\n"
        "  auto quad = cg::tiled_partition<4>(cg::this_thread_block());\n"
        "  auto some = cg::coalesced_threads();\n"
        "  int count = cg::reduce(tile, p[0] > 0, cg::plus<int>());\n"
        "  p[1] = cg::reduce(some, count, cg::greater<int>());\n"
        "  p[2] = sum(tile, 1.f) + sum(some, 2.f) + sum(quad, 3.f);\n"
        "  p[3] = cg::reduce(tile, 5ull, cg::bit_or<unsigned long long>());\n"
        "  p[4] = cg::reduce(quad, 'c', cg::bit_xor<char>());\n"
        "  p[6] = cg::reduce(quad, 1u, cg::less<unsigned>());\n"
        "  p[5] = cg::reduce(some, true, cg::bit_and<int>());\n"
        "  q[0] = cg::reduce(tile, q[1], [](Pair& x, const Pair& y) -> Pair& { x.a += y.a;"
        " return x; });\n"
        "}\n"
    )
    found = ported(check, f"{REDUCE}\n{REDUCE}\n{ALIAS}{body}")
    compiles(found.text, sysroot)


PARTITION = (
    "template <class G> __device__ auto f(G g, long n) { return cg::labeled_partition(g, n); }"
)


def test_labeled_partition_is_defined_behind_the_first_header(ported: Port) -> None:
    text = f"#include <cooperative_groups.h>\n{REDUCE}\n{ALIAS}{PARTITION}\n{PARTITION}\n"
    found = ported(check, text)
    assert found.said() == [(2, "COG003"), (4, "COG003"), (5, "COG003")]
    assert found.text.count("cg::ported::labeled_partition(g, n)") == 2
    assert found.text.count("#define PORTED_CG_LABELED_PARTITION") == 1
    assert found.text.startswith("#include <cooperative_groups.h>\n#if defined(__HIP__)")


@pytest.mark.parametrize(
    ("head", "rocm"),
    [
        ("", "7.1"),
        ("#include <cooperative_groups.h>\n", "6.4"),
        ("#include <cooperative_groups.h>\nusing cooperative_groups::labeled_partition;\n", "7.1"),
    ],
)
def test_labeled_partition_is_an_error_when_it_cannot_be_defined(
    ported: Port, head: str, rocm: str
) -> None:
    text = f"{head}{ALIAS}{PARTITION}\n"
    found = ported(check, text, rocm)
    assert found.text == text
    assert [code for _, code in found.said()] == ["COG001"]


def test_labeled_partition_compiles_for_every_group(
    ported: Port, compiles: Check, sysroot: Sysroot
) -> None:
    body = (
        "__global__ void k(int* p, long* n) {\n"
        "  auto a = f(cg::tiled_partition<32>(cg::this_thread_block()), n[0]);\n"
        "  auto b = f(cg::coalesced_threads(), n[1]);\n"
        "  cg::coalesced_group c = f(a, n[2]);\n"
        "  p[0] = a.size() + b.thread_rank() + cg::reduce(c, p[1], cg::plus<int>());\n"
        "}\n"
    )
    found = ported(check, f"{REDUCE}\n{ALIAS}{PARTITION}\n{body}")
    compiles(found.text, sysroot)


# Lanes are threads that meet at a barrier: enough of HIP for the definition to run on a CPU.
LANES = r"""
#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>
#define __HIP__ 1
#define __device__
thread_local unsigned lane;
std::barrier<>* meeting;
int exchanged[64];
namespace cooperative_groups {
struct lanes {
  unsigned size() const { return count; }
  unsigned thread_rank() const { return lane % count; }
  int shfl(int value, int rank) const {
    exchanged[lane] = value;
    meeting->arrive_and_wait();
    int got = exchanged[lane - lane % count + rank % count];
    meeting->arrive_and_wait();
    return got;
  }
  unsigned count;
};
template <unsigned Size, class Parent = void> struct thread_block_tile : lanes {
  thread_block_tile() : lanes{Size} {}
};
struct coalesced_group : lanes {
  coalesced_group(lanes all) : lanes(all), members(~0ull >> (64 - all.count)) {}
  unsigned long long members;
 protected:
  explicit coalesced_group(unsigned long long members)
      : lanes{unsigned(__builtin_popcountll(members))}, members(members) {}
};
}
int __lane_id() { return lane; }
int __builtin_amdgcn_ds_bpermute(int byte, int value) {
  return cooperative_groups::lanes{64}.shfl(value, byte / 4);
}
unsigned long long __ballot64(bool vote) {
  unsigned long long votes = 0;
  exchanged[lane] = vote;
  meeting->arrive_and_wait();
  for (int l = 0; l < 64; ++l) votes |= (unsigned long long)(exchanged[l]) << l;
  meeting->arrive_and_wait();
  return votes;
}
"""
LANES_MAIN = r"""
namespace cg = cooperative_groups;
struct Line { long slope, offset; short pad; };  // x -> slope * x + offset: order matters
struct After {
  Line operator()(Line f, Line g) const {
    return {f.slope * g.slope % 9973, (f.slope * g.offset + f.offset) % 9973, 0};
  }
};
void expect(bool good, const char* what, unsigned size) {
  if (!good) std::printf("lane %u of %u: %s\n", lane, size, what), std::_Exit(1);
}
template <class G> void check(const G& group, unsigned first) {
  unsigned size = group.size();
  Line all{1, 0, 0};
  for (unsigned l = first; l < first + size; ++l) all = After()(all, Line{l + 2, l * 7, 0});
  Line got = cg::reduce(group, Line{lane + 2l, lane * 7l, 0}, After());
  expect(got.slope == all.slope && got.offset == all.offset, "order", size);
  int odd = 0;
  for (unsigned l = first; l < first + size; ++l) odd += l % 2;
  expect(cg::reduce(group, lane % 2 == 1, cg::plus<int>()) == odd, "count", size);
  int last = first + size - 1;
  expect(cg::reduce(group, int(lane), cg::greater<int>()) == last, "greatest", size);
  expect(cg::reduce(group, int(lane), cg::less<int>()) == int(first), "least", size);
  unsigned long long bit = 1ull << (lane - first), bits = size == 64 ? ~0ull : (1ull << size) - 1;
  expect(cg::reduce(group, bit, cg::bit_or<unsigned long long>()) == bits, "bits", size);
  expect(cg::reduce(group, bit, cg::bit_xor<unsigned long long>()) == bits, "odd bits", size);
  expect(cg::reduce(group, ~bit, cg::bit_and<unsigned long long>()) == (size > 1 ? ~bits : ~1ull),
         "no bits", size);
}
template <class G> void split(const G& group, unsigned first, unsigned labels) {
  auto mine = cg::ported::labeled_partition(group, (long(lane) % labels << 40) - 1);
  unsigned long long same = 0;
  for (unsigned l = first; l < first + group.size(); ++l)
    if (l % labels == lane % labels) same |= 1ull << l;
  expect(mine.members == same, "members", group.size());
}
template <class Body> void run(unsigned threads, Body body) {
  std::barrier<> together(threads);
  meeting = &together;
  std::vector<std::jthread> all;
  for (unsigned l = 0; l < threads; ++l) all.emplace_back([=] { lane = l; body(); });
}
int main() {
  run(64, [] { check(cg::thread_block_tile<64>(), 0); });
  run(64, [] { check(cg::thread_block_tile<32>(), lane / 32 * 32); });
  run(16, [] { check(cg::thread_block_tile<4, int>(), lane / 4 * 4); });
  run(4, [] { check(cg::thread_block_tile<1>(), lane); });
  for (unsigned n : {1, 2, 3, 5, 8, 31, 33, 64})
    run(n, [=] { check(cg::coalesced_group(cg::lanes{n}), 0); });
  for (unsigned labels : {1, 3}) {
    run(64, [=] { split(cg::thread_block_tile<64>(), 0, labels); });
    run(64, [=] { split(cg::thread_block_tile<16>(), lane / 16 * 16, labels); });
    run(64, [=] { split(cg::coalesced_group(cg::lanes{64}), 0, labels); });
  }
}
"""


@pytest.mark.usefixtures("sysroot")
def test_definitions_work_when_lanes_are_threads(ported: Port, tmp_path: Path) -> None:
    code = f"{REDUCE}\nauto g = cooperative_groups::labeled_partition(h, 1);\n"
    definition = ported(check, code).text.partition("\n")[2].partition("auto g")[0]
    source = tmp_path / "lanes.cpp"
    source.write_text(LANES + definition + LANES_MAIN)
    command = ["clang++-19", "-std=c++20", "-O1", "-pthread", str(source), "-o", str(source.stem)]
    for step in (command, [f"./{source.stem}"]):
        done = subprocess.run(
            step, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=50
        )
        assert done.returncode == 0, done.stdout + done.stderr
