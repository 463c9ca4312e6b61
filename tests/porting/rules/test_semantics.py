"""The family of silent differences: found, located, and quiet where nothing differs."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.rules.semantics import check

Port = Callable[..., Any]


def test_nothing_is_rewritten_when_differences_are_found(ported: Port) -> None:
    text = "int f(cudaDeviceProp p) { return p.major >= 8; }\n"
    found = ported(check, text)
    assert found.text == text
    assert found.said() == [(1, "SEM006")]


RELAXED = "cudaStreamCaptureModeRelaxed"
SWAP = "cudaThreadExchangeStreamCaptureMode(&m);"
CAPTURES = [
    (
        "cudaStreamBeginCapture(s, m);\ncudaMallocAsync(&p, n, o);\ncudaStreamEndCapture(s, &g);",
        [2],
    ),
    (
        "cudaStreamBeginCapture(s, m);\ncudaMallocAsync(&p, n, s);\ncudaStreamEndCapture(s, &g);",
        [],
    ),
    (
        "cudaStreamBeginCapture(s, m);\ncudaStreamEndCapture(s, &g);\ncudaMallocAsync(&p, n, o);",
        [],
    ),
    ("cudaMallocAsync(&p, n, s);\ncudaStreamBeginCapture(s, m);", []),
    (
        f"{SWAP}\ncudaMallocFromPoolAsync(&p, n, pool, s);\n{SWAP}\ncudaFreeAsync(p, s);",
        [2],
    ),
    (f"Guard g{{{RELAXED}}};\nCHECK(cudaMalloc(&p, n));", [2]),
    (
        f"cudaStreamBeginCapture(s, {RELAXED}); cudaStreamEndCapture(s, &g); cudaFree(p);",
        [],
    ),
    (
        "cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL);\nCK(cuMemAllocAsync(&p, n, t));",
        [2],
    ),
    ("auto run = [&] { cudaMallocAsync(&p, n, s); };", []),
]


@pytest.mark.parametrize(("text", "lines"), CAPTURES)
def test_allocation_is_reported_when_a_stream_may_be_capturing(
    ported: Port, text: str, lines: list[int]
) -> None:
    found = ported(check, f"void f() {{ {text} }}\nvoid g() {{ cudaMallocAsync(&p, n, s); }}\n")
    assert found.said() == [(line, "SEM001") for line in lines]
    assert all(d.topic == "capture-alloc" for d in found.findings)


COUNTS = [
    ("int n = -1; cudaGetDeviceCount(&n); return n;", ["SEM002"]),
    ("int n{1}; (void)cudaGetDeviceCount(&n); return n;", ["SEM002"]),
    ("int n = 0; cudaGetDeviceCount(&n); return n;", []),
    ("int n; cudaGetDeviceCount(&n); return n;", []),
    ("int n = 4; if (cudaGetDeviceCount(&n) != cudaSuccess) return 0;", []),
    ("int n = 4; auto e = cudaGetDeviceCount(&n);", []),
    ("int n = 4; CHECK(cudaGetDeviceCount(&n));", []),
]


@pytest.mark.parametrize(("text", "codes"), COUNTS)
def test_count_is_reported_when_read_without_its_result(
    ported: Port, text: str, codes: list[str]
) -> None:
    found = ported(check, f"int f() {{ {text} }}\n")
    assert [code for _, code in found.said()] == codes


DRIVERS = [
    ("if (e == cudaErrorInsufficientDriver) return 1;", ["SEM003"]),
    ("switch (e) { case cudaErrorInsufficientDriver: return 1; }", ["SEM003"]),
    ("if (e == cudaErrorInsufficientDriver || e == cudaErrorNoDevice) return 1;", []),
    ("log(cudaErrorInsufficientDriver);", []),
]


@pytest.mark.parametrize(("text", "codes"), DRIVERS)
def test_missing_driver_is_reported_when_known_by_one_code(
    ported: Port, text: str, codes: list[str]
) -> None:
    found = ported(check, f"int f(int e) {{ {text} }}\n")
    assert [code for _, code in found.said()] == codes


NUMBERS = [
    ("if (err == 46) return 1;", ["SEM005"]),
    ("if (46 != err) return 1;", ["SEM005"]),
    ("if (err == 2 || err == 0 || err == 700) return 1;", []),
    ("if (count == 46) return 1;", []),
    ("if (err == cudaErrorUnknown) return 1;", []),
]


@pytest.mark.parametrize(("text", "codes"), NUMBERS)
def test_number_is_reported_when_hip_has_no_such_error(
    ported: Port, text: str, codes: list[str]
) -> None:
    found = ported(check, f"int f(cudaError_t err, int count) {{ {text} }}\n")
    assert [code for _, code in found.said()] == codes


LAUNCHES = [
    ("k<<<1, 1>>>();\ncudaDeviceSynchronize();\nreturn cudaGetLastError();", [3]),
    ("k<<<1, 1>>>();\nreturn cudaGetLastError();", []),
    ("k<<<1, 1>>>();\ncudaError_t e = cudaPeekAtLastError();\ncudaDeviceSynchronize();", []),
    ("k<<<1, 1, 0, cudaStreamPerThread>>>();\nreturn cudaGetLastError();", []),
    ("cudaDeviceSynchronize();\nreturn cudaGetLastError();", []),
]


@pytest.mark.parametrize(("text", "lines"), LAUNCHES)
def test_deferred_check_is_reported_when_the_release_overwrites_it(
    ported: Port, text: str, lines: list[int]
) -> None:
    found = ported(check, f"int f() {{ {text} }}\n", "6.4")
    assert found.said() == [(line, "SEM004") for line in lines]
    assert ported(check, f"int f() {{ {text} }}\n", "7.0").said() == []


GATES = [
    ("if (prop.major >= 8) fast();", ["SEM006"]),
    ("int sm = prop->major * 10 + prop->minor;", ["SEM006"]),
    ("bool h = at::cuda::getCurrentDeviceProperties()->major == 9;", ["SEM006"]),
    ("if (7 < props[i].major) fast();", ["SEM006"]),
    ("cudaDeviceGetAttribute(&v, cudaDevAttrComputeCapabilityMajor, d);", ["SEM006"]),
    ('printf("%d.%d", prop.major, prop.minor);', []),
    ("if (version.major >= 8) fast();", []),
    ("int major = 8; if (major >= 7) fast();", []),
]


@pytest.mark.parametrize(("text", "codes"), GATES)
def test_capability_is_reported_when_it_decides(ported: Port, text: str, codes: list[str]) -> None:
    found = ported(check, f"void f() {{ {text} }}\n")
    assert [code for _, code in found.said()] == codes


VERSIONS = [
    ("int v; cudaRuntimeGetVersion(&v); if (v >= 12000) g();", ["SEM007"]),
    ('int v; cudaDriverGetVersion(&v); printf("%d", v / 1000);', ["SEM007"]),
    ("int v; cudaRuntimeGetVersion(&v); if (v < CUDART_VERSION) g();", ["SEM007"]),
    ('int v; cudaRuntimeGetVersion(&v); printf("%d", v);', []),
]


@pytest.mark.parametrize(("text", "codes"), VERSIONS)
def test_version_is_reported_when_read_as_cudas(ported: Port, text: str, codes: list[str]) -> None:
    found = ported(check, f"void f() {{ {text} }}\n")
    assert [code for _, code in found.said()] == codes


MENTIONS = [
    ("cudaHostRegister(p, n, cudaHostRegisterIoMemory);", [("SEM009", "warning")]),
    ("cudaGraphInstantiate(&e, g, cudaGraphInstantiateFlagDeviceLaunch);", [("SEM009", "warning")]),
    ("cudaDeviceSetCacheConfig(cudaFuncCachePreferL1);", [("SEM011", "note")]),
    ("cudaHostAlloc(&p, n, cudaHostAllocWriteCombined);", [("SEM011", "note")]),
    ("if (a.type == cudaMemoryTypeUnregistered) g();", [("SEM013", "warning")]),
    ("cuStreamWaitValue32(s, p, 1, 0);", [("SEM014", "warning")]),
    ("cudaMallocManaged(&p, n); cudaMallocManaged(&q, n);", [("SEM012", "note")]),
    ("cuMemGetHandleForAddressRange(&h, p, n, t, 0);", [("SEM012", "warning")]),
    ("X(cuMemGetHandleForAddressRange)", [("SEM012", "note")]),
    ("cuModuleLoadData(&m, image);", [("SEM012", "warning")]),
    ("nvrtcGetPTX(p, image); cuModuleLoadData(&m, image);", [("SEM012", "note")]),
    ("cudaProfilerStart();", []),
    ("CHECK(cudaProfilerStart());", [("SEM010", "warning")]),
    ("cudaHostRegister(p, n, cudaHostRegisterPortable);", []),
]


@pytest.mark.parametrize(("text", "told"), MENTIONS)
def test_name_is_told_when_hip_does_not_do_the_same(
    ported: Port, text: str, told: list[tuple[str, str]]
) -> None:
    found = ported(check, f"void f() {{ {text} }}\n")
    assert [(d.code, d.severity.value) for d in found.findings] == told


@pytest.mark.parametrize(
    "text",
    [
        "void f() { cudaMallocManaged(&p, n); }",
        "void f() { cudaMemcpyBatchAsync(a, b, c); }",
        "void f() { nvrtcGetPTX(p, i); cuModuleLoadData(&m, i); }",
        "#define LIST(X) X(cuMemGetHandleForAddressRange)",
        "void f() { cudaStreamCreateWithPriority(&s, 0, -5); }",
        "__global__ void __launch_bounds__(1024, 2) k();",
    ],
)
def test_note_demands_nothing(ported: Port, text: str) -> None:
    notes = [d for d in ported(check, text + "\n").findings if d.severity.value == "note"]
    assert notes
    assert all(not note.help for note in notes)


def test_launch_bounds_are_noted_when_they_have_two_arguments(ported: Port) -> None:
    text = "__global__ void __launch_bounds__(256, 8) a();\nvoid __launch_bounds__(256) b();\n"
    found = ported(check, text).findings
    assert [(d.line, d.code, d.severity.value) for d in found] == [(1, "SEM015", "note")]
    assert found[0].help == ""


def test_code_for_one_platform_is_left_alone_when_guarded(ported: Port) -> None:
    text = (
        "#if !defined(USE_ROCM)\nint f(cudaDeviceProp p) { return p.major >= 8; }\n#endif\n"
        "// cudaHostRegisterIoMemory\n"
    )
    assert ported(check, text).said() == []


def test_per_thread_streams_are_reported_when_asked_for_by_the_macro(ported: Port) -> None:
    text = "#define CUDA_API_PER_THREAD_DEFAULT_STREAM 1\n"
    found = ported(check, text)
    assert [(d.code, d.severity.value) for d in found.findings] == [("SEM016", "warning")]
    assert "-fgpu-default-stream=per-thread" in found.findings[0].help


@pytest.mark.parametrize(("value", "codes"), [("-5", ["SEM012"]), ("-1", []), ("high", [])])
def test_priority_is_noted_when_outside_of_hips_range(
    ported: Port, value: str, codes: list[str]
) -> None:
    text = f"void f() {{ cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, {value}); }}\n"
    assert [code for _, code in ported(check, text).said()] == codes


CAPABILITIES_THROUGH_VARIABLES = [
    ("cudaDeviceProp p; switch (p.major) { case 8: use(); }", ["SEM006"]),
    ("cudaDeviceProp p; int m = p.major; if (m >= 8) use();", ["SEM006"]),
    ("cudaDeviceProp p; int m = p.major; switch (m) { case 9: use(); }", ["SEM006"]),
    ("cudaDeviceProp p; int m = p.major; print(m);", []),
]


@pytest.mark.parametrize(("text", "codes"), CAPABILITIES_THROUGH_VARIABLES)
def test_capability_is_reported_when_a_switch_or_variable_decides(
    ported: Port, text: str, codes: list[str]
) -> None:
    found = ported(check, f"void f() {{ {text} }}\n")
    assert [code for _, code in found.said()] == codes


def test_error_number_is_reported_when_auto_holds_the_error(ported: Port) -> None:
    text = (
        "void f() { auto e = cudaMalloc(&p, n); if (e == 74) use(); }\n"
        "void g() { auto e = count(); if (e == 74) use(); }\n"
    )
    assert ported(check, text).said() == [(1, "SEM005")]
