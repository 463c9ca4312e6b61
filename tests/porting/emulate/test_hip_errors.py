"""The error state of HIP by release, error names, and what a machine without devices says."""

import pytest

from porting.toolkits.sysroot import Sysroot
from tests.porting.emulate.hip_programs import Program, build

pytestmark = [pytest.mark.timeout(600), pytest.mark.xdist_group("errors of HIP")]

CASES = r"""
CASE(kept) {
  void* p = nullptr;
  T(hipHostFree(&p));
  T(hipSetDevice(0));
  T(hipPeekAtLastError());
  T(hipGetLastError());
  T(hipGetLastError());
}
CASE(extended) {
  void* p = nullptr;
  T(hipHostFree(&p));
  T(hipSetDevice(0));
  T(hipExtGetLastError());
  T(hipGetLastError());
}
CASE(not_ready) {
  hipStream_t s;
  T(hipStreamCreate(&s));
  std::atomic<bool> go{false};
  hipHostFn_t wait = [](void* flag) {
    while (!*static_cast<std::atomic<bool>*>(flag)) usleep(100);
  };
  T(hipLaunchHostFunc(s, wait, &go));
  T(hipStreamQuery(s));
  T(hipGetLastError());
  go = true;
  T(hipStreamSynchronize(s));
}
CASE(per_thread) {
  void* p = nullptr;
  T(hipHostFree(&p));
  std::thread([] { T(hipGetLastError()); }).join();
  T(hipGetLastError());
}
CASE(names) {
  std::puts(hipGetErrorName(hipErrorOutOfMemory));
  std::puts(hipGetErrorName(static_cast<hipError_t>(12345)));
  const char* text = "untouched";
  T(hipDrvGetErrorName(static_cast<hipError_t>(12345), &text));
  std::puts(text);
  T(hipDrvGetErrorString(hipErrorInvalidHandle, &text));
  V(std::strlen(text) > 5);
}
CASE(count) {
  int n = 77;
  T(hipGetDeviceCount(&n));
  V(n);
}
CASE(anything) {
  void* p = nullptr;
  T(hipMalloc(&p, 8));
  T(hipInit(0));
  int version = 0;
  T(hipRuntimeGetVersion(&version));
  V(version / 10000000);
}
CASE(forked) {
  void* p = nullptr;
  T(hipMalloc(&p, 8));
  std::fflush(stdout);
  if (fork() == 0) {
    T(hipMalloc(&p, 8));
    std::fflush(stdout);
    _exit(0);
  }
  wait(nullptr);
}
CASE(forked_before_use) {
  if (fork() == 0) {
    void* p = nullptr;
    T(hipMalloc(&p, 8));
    std::fflush(stdout);
    _exit(0);
  }
  wait(nullptr);
}
"""


@pytest.fixture(scope="module")
def program(sysroot: Sysroot, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Return the program of these cases."""
    return build(sysroot, tmp_path_factory.mktemp("errors"), CASES)


def test_last_error_when_calls_succeed_after_it_in_7_0(program: Program) -> None:
    """HIP documentation, "HIP API 7.0 changes", "Update hipGetLastError": it is kept."""
    ran = program.on(release="7.0").run("kept")
    kept = "hipErrorInvalidValue"
    assert ran.lines == [kept, "hipSuccess", kept, kept, "hipSuccess"]


def test_last_error_when_calls_succeed_after_it_in_6_4(program: Program) -> None:
    """The same page: "The prior behavior was [...] to return hipSuccess from line 2"."""
    ran = program.on(release="6.4").run("kept")
    assert ran.lines == ["hipErrorInvalidValue", *["hipSuccess"] * 4]


def test_extended_last_error_when_calls_succeed_after_it(program: Program) -> None:
    """The same page: hipExtGetLastError keeps "the prior functionality"."""
    ran = program.run("extended")
    assert ran.lines == ["hipErrorInvalidValue", "hipSuccess", "hipSuccess", "hipErrorInvalidValue"]


@pytest.mark.parametrize(("release", "last"), [("7.1", "hipSuccess"), ("6.2", "hipErrorNotReady")])
def test_last_error_when_a_stream_was_not_ready(program: Program, release: str, last: str) -> None:
    """The same page: "Neither hipSuccess nor hipErrorNotReady is considered an error"."""
    lines = program.on(release=release).run("not_ready").lines
    assert lines == ["hipSuccess", "hipSuccess", "hipErrorNotReady", last, "hipSuccess"]


def test_last_error_when_another_thread_asks(program: Program) -> None:
    """hip_runtime_api.h, hipGetLastError: of "the same host thread"."""
    kept = "hipErrorInvalidValue"
    assert program.run("per_thread").lines == [kept, "hipSuccess", kept]


def test_names_when_the_number_is_unknown(program: Program) -> None:
    """hip_runtime_api.h, hipDrvGetErrorName: hipErrorInvalidValue."""
    assert program.run("names").lines == [
        "hipErrorOutOfMemory",
        "hipErrorUnknown",
        "hipErrorInvalidValue",
        "untouched",
        "hipSuccess",
        "1",
    ]


def test_device_count_when_there_are_none(program: Program) -> None:
    """hip_runtime_api.h, hipGetDeviceCount: hipErrorNoDevice; CUDA leaves the count alone."""
    ran = program.on({"ECLOSION_EMULATOR_DEVICES": "0"}).run("count")
    assert ran.lines == ["hipErrorNoDevice", "0"]


def test_calls_when_there_are_no_devices(program: Program) -> None:
    ran = program.on({"ECLOSION_EMULATOR_DEVICES": "0"}).run("anything")
    assert ran.lines == ["hipErrorNoDevice", "hipErrorNoDevice", "hipSuccess", "7"]


def test_calls_when_the_process_was_forked_after_the_first(program: Program) -> None:
    """The runtime's threads are not in the child."""
    assert program.run("forked").lines == ["hipSuccess", "hipErrorNotInitialized"]


def test_calls_when_the_process_was_forked_before_the_first(program: Program) -> None:
    assert program.run("forked_before_use").lines == ["hipSuccess"]


def test_calls_when_faults_are_injected(program: Program) -> None:
    ran = program.on(faults="hipMalloc:1=2;hipRuntimeGetVersion=999").run("anything")
    assert ran.lines == ["hipErrorOutOfMemory", "hipSuccess", "hipErrorUnknown", "0"]
