"""The emulator's benchmark: both sides run one binary, and their rates are compared."""

from pathlib import Path

import pytest

from benchmarks.emulator_proof.device_code import with_entries
from benchmarks.emulator_proof.sides import Side, SideError, Timed, parse
from benchmarks.emulator_proof.table import Results
from porting.toolkits.cuda import CudaHome
from tests.benchmarks.script_runs import report_of

KERNELS = [
    *("empty", "saxpy", "reduction", "warp sums"),
    *("matmul", "histogram", "transpose", "softmax"),
]


@pytest.mark.soak
def test_script_when_run_times_each_kernel_on_both_sides(
    cuda_home: CudaHome, tmp_path: Path
) -> None:
    report = report_of("emulator", tmp_path)
    assert [line[:34].rstrip() for line in report.lines[1:-2]] == KERNELS
    assert [row["kernel"] for row in report.told["rows"]] == KERNELS
    for side in ("ours", "proof"):
        (run,) = report.told["runs"][side]
        assert [timed["kernel"] for timed in run] == KERNELS
        assert {timed["threads"] for timed in run} == {32 * 32}
        assert all(timed["rate"] > 0 for timed in run)
    assert 0 < report.told["least"]["ratio"] < report.told["geometric mean"]


def runs(*rates: float, kernels: tuple[str, ...] = ("a", "b")) -> list[list[Timed]]:
    """Return runs of two kernels, the second half as fast as the first."""
    return [
        [Timed(kernel, int(rate) >> number, 2, 2.0, 4.0) for number, kernel in enumerate(kernels)]
        for rate in rates
    ]


def test_results_when_runs_differ_take_the_medians() -> None:
    results = Results(runs(4e6, 8e6, 90e6), runs(1e6, 2e6, 1e6))
    assert results.table().splitlines()[1:] == [
        f"{'a':34}{'8.000':>10}{'1.000':>10}{'8.0x':>9}{'8.0x':>14}",
        f"{'b':34}{'4.000':>10}{'0.500':>10}{'8.0x':>9}{'8.0x':>14}",
        f"{'geometric mean':54}{'8.0x':>9}{'8.0x':>14}",
    ]


@pytest.mark.parametrize(("ours", "verdict"), [(5.1e6, "met"), (4.9e6, "MISSED")])
def test_summary_when_five_times_as_fast(ours: float, verdict: str) -> None:
    results = Results(runs(ours), runs(1e6))
    assert results.met == (verdict == "met")
    assert results.summary().endswith(f"wanted 5: {verdict}")
    assert results.as_json()["summary"] == results.summary()


def test_summary_when_kernels_differ_names_the_least() -> None:
    ours = [[Timed("a", 18, 1, 1, 2), Timed("b", 2, 1, 1, 2)]]
    results = Results(ours, [[Timed("a", 1, 1, 1, 1), Timed("b", 1, 1, 1, 1)]])
    told = "emulator: 6.0 times the proof's kernel threads per second, the geometric mean of 2 "
    assert results.cpu_mean == pytest.approx(3)
    assert results.summary() == f"{told}kernels; least 2.0 (b); wanted 5: MISSED"


def test_table_when_a_kernel_gains_less_than_wanted_says_so() -> None:
    ours = [[Timed("a", 50, 1, 1, 1), Timed("b", 49, 1, 1, 1)]]
    results = Results(ours, [[Timed("a", 10, 1, 1, 1), Timed("b", 10, 1, 1, 1)]])
    _, at_least, less, _ = results.table().splitlines()
    assert at_least.endswith("5.0x")
    assert less.endswith("4.9x  below 5")


def test_times_when_a_kernel_has_two_words() -> None:
    (timed,) = parse("warp sums 1024 8 0.5 0.8\n")
    assert timed == Timed("warp sums", 1024, 8, 0.5, 0.8)
    assert (timed.rate, timed.cpu_rate) == (1024 * 8 / 0.5, 1024 * 8 / 0.8)


def test_side_when_it_fails_says_what_it_said() -> None:
    broken = Side("proof", ("sh", "-c", "echo $REASON >&2; exit 3"), {"REASON": "no kernel"})
    with pytest.raises(SideError, match=r"exit status 3\.\nno kernel$"):
        broken.run(32, 0.1, 30)


def test_entries_when_written_load_what_a_launch_points_at() -> None:
    text = "define dso_local void @k(float %a, ptr %b, i64 %s.coerce0, i64 %s.coerce1) #0 {\n}\n"
    entry = with_entries(text).partition("define void @k__entry(ptr %a) {\n")[2].splitlines()
    assert [line for line in entry if "getelementptr ptr" in line] == [
        f"  %s{number} = getelementptr ptr, ptr %a, i64 {slot}"
        for number, slot in enumerate((0, 1, 2, 2))
    ]
    assert "  %q3 = getelementptr i8, ptr %p3, i64 8" in entry
    assert entry[-3] == "  call void @k(float %v0, ptr %v1, i64 %v2, i64 %v3)"
