"""What `porting emulate` refuses before anything is built or started."""

import pytest

from porting.emulate.machine import MOST_MEMORY
from porting.emulate.toolkits import NATIVE
from tests.porting.conftest import Command


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--memory", "1X"), "--memory': '1X' is no number of bytes"),
        (("--memory", "0"), "--memory': '0' is no number of bytes; write a whole number above 0"),
        (("--memory", "1.5G"), "--memory': '1.5G' is no number of bytes"),
        (("--memory", "257G"), "--memory': '257G' is more than the 256G of addresses that all"),
        (("--memory", "9" * 30), "is more than the 256G of addresses that all"),
        (("--seed", "-1"), "--seed': -1 is not in the range"),
        (("--delay-us", "-1"), "--delay-us': -1 is not in the range"),
        (("--faults", "cudaMalloc"), "--faults': 'cudaMalloc' is no fault; write FUNCTION:N=CODE"),
        (("--faults", "a=1;b:0=2"), "--faults': 'b:0=2' is no fault"),
        (("--faults", "cudaMalloc=-1"), "CODE is the vendor's name or number of the error"),
        (
            ("--faults", "cudaMalloc=cudaErrorNoDevise"),
            "'cudaMalloc=cudaErrorNoDevise', but cudaErrorNoDevise is no error of cuda",
        ),
        (("--ignore", "x"), "--ignore and --any-order say how --diff compares; say --diff too"),
        (("--any-order",), "--ignore and --any-order say how --diff compares; say --diff too"),
        (("--arch", "gfx1"), "gfx1 is no GPU of cuda that is emulated; say sm_80, sm_90"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_option_when_its_value_is_wrong(
    command: Command, options: tuple[str, ...], said: str
) -> None:
    done = command("emulate", "--platform", "cuda", *options, "--", "true")
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "faults", ["", "cudaMalloc=cudaErrorNoDevice", "kernel ns::f:3=719;cuInit:1=100"]
)
def test_faults_when_they_are_well_formed(command: Command, faults: str) -> None:
    done = command("emulate", "--platform", "cuda", "--arch", "gfx1", "--faults", faults, "true")
    assert "gfx1 is no GPU" in done.stderr  # all else was taken


def test_limit_of_memory_is_the_libraries_own() -> None:
    arena = (NATIVE / "core" / "arena.h").read_text()
    assert f"kMostArenaBytes = std::size_t{{{MOST_MEMORY >> 30}}} << 30;" in arena
