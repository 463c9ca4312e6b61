"""The error state of CUDA, the words for errors, and injected failures."""

import pytest

from porting.toolkits.cuda import CudaHome
from tests.porting.emulate.cuda_programs import RELEASE, build
from tests.porting.emulate.hip_programs import Program

pytestmark = [pytest.mark.timeout(600), pytest.mark.xdist_group("errors of CUDA")]

CASES = r"""
__global__ void beyond(int* p) { p[1 << 20] = 1; }
CASE(kept) {
  T(cudaFreeHost(reinterpret_cast<void*>(8)));
  T(cudaSetDevice(0));
  T(cudaPeekAtLastError());
  T(cudaGetLastError());
  T(cudaGetLastError());
}
CASE(not_ready) {
  cudaStream_t s;
  T(cudaStreamCreate(&s));
  std::atomic<bool> go{false};
  T(cudaLaunchHostFunc(s, [](void* f) {
    while (!*static_cast<std::atomic<bool>*>(f)) usleep(100);
  }, &go));
  T(cudaStreamQuery(s));
  T(cudaGetLastError());
  go = true;
  T(cudaStreamSynchronize(s));
}
CASE(per_thread) {
  T(cudaFreeHost(reinterpret_cast<void*>(8)));
  std::thread([] { T(cudaGetLastError()); }).join();
  T(cudaGetLastError());
}
CASE(words) {
  std::puts(cudaGetErrorName(cudaErrorMemoryAllocation));
  std::puts(cudaGetErrorString(cudaErrorMemoryAllocation));
  std::puts(cudaGetErrorString(static_cast<cudaError_t>(4242)));
  const char* text = "untouched";
  D(cuGetErrorString(CUDA_ERROR_INVALID_CONTEXT, &text));
  std::puts(text);
  D(cuGetErrorName(static_cast<CUresult>(4242), &text));
  V(text == nullptr);
}
CASE(broken) {
  int* p;
  T(cudaMalloc(&p, 64));
  beyond<<<1, 1>>>(p);
  T(cudaGetLastError());
  T(cudaDeviceSynchronize());
  T(cudaMalloc(&p, 64));
  T(cudaGetLastError());
  T(cudaGetLastError());
  T(cudaDeviceReset());
  cudaGetLastError();
  T(cudaMalloc(&p, 64));
}
CASE(count) {
  int n = 77;
  T(cudaGetDeviceCount(&n));
  V(n);
}
CASE(injected) {
  void* p;
  T(cudaMalloc(&p, 64));
  T(cudaMalloc(&p, 64));
  T(cudaMalloc(&p, 64));
  T(cudaGetLastError());
}
CASE(missing) {
  cudaArray_t a;
  T(cudaMallocArray(&a, nullptr, 1));
  T(cudaMallocArray(&a, nullptr, 1));
  T(cudaGetLastError());
}
CASE(forked) {
  T(cudaFree(nullptr));
  std::fflush(stdout);
  if (fork() == 0) {
    T(cudaFree(nullptr));
    CUdeviceptr p;
    D(cuMemAlloc(&p, 64));
    std::fflush(stdout);
    _exit(0);
  }
  wait(nullptr);
}
CASE(in_host_function) {
  T(cudaLaunchHostFunc(nullptr, [](void*) { T(cudaFree(nullptr)); }, nullptr));
  T(cudaDeviceSynchronize());
}
"""


@pytest.fixture(scope="module")
def program(cuda_home: CudaHome, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Return the program of this file's cases."""
    return build(cuda_home, tmp_path_factory.mktemp("errors"), CASES)


def test_last_error_when_it_is_read(program: Program) -> None:
    """CUDA C++ Programming Guide, "Error Checking": kept until cudaGetLastError reads it."""
    assert program.run("kept").lines == [
        "cudaErrorInvalidValue",
        "cudaSuccess",
        *["cudaErrorInvalidValue"] * 2,
        "cudaSuccess",
    ]


def test_last_error_when_work_is_not_done(program: Program) -> None:
    """Other than with HIP 7, an answer of "not ready" is an error to be read."""
    lines = program.run("not_ready").lines
    assert lines[2:] == ["cudaErrorNotReady", "cudaErrorNotReady", "cudaSuccess"]


def test_last_error_when_another_thread_asks(program: Program) -> None:
    assert program.run("per_thread").lines[1:] == ["cudaSuccess", "cudaErrorInvalidValue"]


def test_words_when_asked_for(program: Program) -> None:
    assert program.run("words").lines == [
        "cudaErrorMemoryAllocation",
        "out of memory",
        "unrecognized error code",
        "CUDA_SUCCESS",
        "invalid device context",
        "CUDA_ERROR_INVALID_VALUE",
        "1",
    ]


def test_broken_context_when_used_and_reset(program: Program) -> None:
    """driver_types.h, cudaErrorIllegalAddress: the process's context is left unusable."""
    ran = program.run("broken")
    assert ran.lines == [
        *["cudaSuccess"] * 2,
        *["cudaErrorIllegalAddress"] * 4,
        *["cudaSuccess"] * 2,
    ]
    assert [finding["code"] for finding in ran.findings] == ["EMU001"]


def test_count_when_no_device_is_visible(program: Program) -> None:
    """cuda_runtime_api.h, cudaGetDeviceCount; the number is left as it is."""
    hidden = program.on({"CUDA_VISIBLE_DEVICES": ""}, release=RELEASE)
    assert hidden.run("count").lines == ["cudaErrorNoDevice", "77"]


def test_count_when_some_devices_are_visible(program: Program) -> None:
    some = program.on({"CUDA_VISIBLE_DEVICES": "2,0"}, release=RELEASE, devices=3)
    assert some.run("count").lines == ["cudaSuccess", "2"]


def test_call_when_a_failure_is_injected(program: Program) -> None:
    faulty = program.on(release=RELEASE, faults="cudaMalloc:2=2")
    assert faulty.run("injected").lines == [
        "cudaSuccess",
        "cudaErrorMemoryAllocation",
        "cudaSuccess",
        "cudaErrorMemoryAllocation",
    ]


@pytest.mark.parametrize(
    ("number", "error"),
    [
        (700, "cudaErrorIllegalAddress"),
        (715, "cudaErrorIllegalInstruction"),
        (719, "cudaErrorLaunchFailure"),
        (999, "cudaErrorUnknown"),
    ],
)
def test_kernel_when_a_failure_is_injected_gives_its_number(
    program: Program, number: int, error: str
) -> None:
    ran = program.on(release=RELEASE, faults=f"kernel beyond:1={number}").run("broken")
    # The second line is of the call after the launch, which may come before the failure.
    assert ran.lines[2:] == [*[error] * 4, *["cudaSuccess"] * 2]
    assert not ran.findings


@pytest.mark.parametrize("number", [600, 12345])
def test_kernel_when_it_cannot_end_with_the_injected_number(program: Program, number: int) -> None:
    ran = program.on(release=RELEASE, faults=f"kernel beyond:1={number}").run(
        "broken", succeeds=False
    )
    assert ran.status == 2
    assert f"has {number} for the kernel beyond(int*), which cannot end with it" in ran.errors


def test_faults_when_no_call_was_theirs_are_told_at_the_end(program: Program) -> None:
    faults = "cudaMaloc:1=2;cudaMalloc:9=2;cudaMalloc:3=2;kernel nobody=700"
    ran = program.on(release=RELEASE, faults=faults).run("injected")
    assert ran.errors.splitlines() == [
        "ECLOSION_EMULATOR_FAULTS has 'cudaMaloc:1=2', and nothing of that name was called",
        "ECLOSION_EMULATOR_FAULTS has 'cudaMalloc:9=2', and there were only 3 calls",
        "ECLOSION_EMULATOR_FAULTS has 'kernel nobody=700', and nothing of that name was called",
    ]


def test_function_when_it_is_not_emulated(program: Program) -> None:
    ran = program.run("missing")
    assert ran.lines == ["cudaErrorNotSupported"] * 3
    assert ran.errors.count("cudaMallocArray is not emulated") == 1


def test_child_when_forked_from_a_process_with_a_context(program: Program) -> None:
    assert program.run("forked").lines == [
        "cudaSuccess",
        "cudaErrorInitializationError",
        "CUDA_ERROR_NOT_INITIALIZED",
    ]


def test_call_when_made_by_a_function_of_the_host(program: Program) -> None:
    """cuda_runtime_api.h, cudaLaunchHostFunc: such a call is not permitted."""
    lines = program.run("in_host_function").lines  # it may print before its launch does
    assert sorted(lines) == ["cudaErrorNotPermitted", "cudaSuccess", "cudaSuccess"]
