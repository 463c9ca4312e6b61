"""What a program has not given back when it ends is told when that is asked for."""

from dataclasses import replace

import pytest

from tests.porting.emulate import cuda_programs, hip_programs
from tests.porting.emulate.hip_programs import Program

# The first of them builds the emulator.
pytestmark = pytest.mark.timeout(900)

CASES = r"""
#ifdef __HIP_PLATFORM_AMD__
#define GPU(name) hip##name
#else
#define GPU(name) cuda##name
#endif
CASE(kept) {
  void* memory[4];
  for (int i = 0; i < 4; ++i) {
    T(GPU(Malloc)(&memory[i], 100));
  }
  T(GPU(Free)(memory[2]));
  void* ordered;
  T(GPU(MallocAsync)(&ordered, 50, nullptr));
  GPU(Stream_t) streams[2];
  T(GPU(StreamCreateWithFlags)(&streams[0], 0));
  T(GPU(StreamCreate)(&streams[1]));
  T(GPU(StreamDestroy)(streams[1]));
  GPU(Event_t) events[3];
  for (int i = 0; i < 3; ++i)
    T(GPU(EventCreateWithFlags)(&events[i], 0));
  T(GPU(EventDestroy)(events[1]));
}
CASE(given_back) {
  void *memory, *ordered;
  GPU(Stream_t) stream;
  GPU(Event_t) event;
  T(GPU(StreamCreate)(&stream));
  T(GPU(EventCreate)(&event));
  T(GPU(Malloc)(&memory, 100));
  T(GPU(MallocAsync)(&ordered, 100, stream));
  T(GPU(FreeAsync)(ordered, stream));
  T(GPU(EventDestroy)(event));
  T(GPU(StreamDestroy)(stream));
  T(GPU(Free)(memory));
}
CASE(reset) {
  void* memory;
  GPU(Stream_t) stream;
  GPU(Event_t) event;
  T(GPU(Malloc)(&memory, 100));
  T(GPU(StreamCreate)(&stream));
  T(GPU(EventCreate)(&event));
  T(GPU(DeviceReset)());
}
"""


@pytest.fixture(scope="module", params=["cuda", "rocm"])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Program:
    folder = tmp_path_factory.mktemp("leaks")
    if request.param == "cuda":
        return cuda_programs.build(request.getfixturevalue("cuda_home"), folder, CASES)
    return hip_programs.build(request.getfixturevalue("sysroot"), folder, CASES)


def asked(program: Program) -> Program:
    return replace(program, machine=replace(program.machine, leaks=True))


def line_of(call: str) -> int:
    return next(n for n, line in enumerate(CASES.splitlines(), 1) if call in line)


def test_what_is_kept_when_the_program_ends(program: Program) -> None:
    ran = asked(program).run("kept")
    assert {found["code"] for found in ran.findings} == {"EMU013"}
    told = {(found["text"], found["at"]["line"]) for found in ran.findings}
    assert told == {
        ("3 allocations of 300 bytes in all have not been freed", line_of("&memory[i], 100")),
        ("1 allocation of 50 bytes in all has not been freed", line_of("&ordered, 50")),
        ("1 stream has not been destroyed", line_of("&streams[0], 0")),
        ("2 events have not been destroyed", line_of("&events[i], 0")),
    }


@pytest.mark.parametrize("case", ["given_back", "reset"])
def test_what_is_given_back_when_the_program_ends(program: Program, case: str) -> None:
    ran = asked(program).run(case)
    assert (ran.findings, ran.errors) == ([], "")


def test_what_is_kept_when_nobody_asks(program: Program) -> None:
    ran = program.run("kept")
    assert (ran.findings, ran.errors) == ([], "")
