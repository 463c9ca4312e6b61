"""The API family: calls, members and initializers that HIP takes differently."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from porting.config import Target
from porting.hipify import hipify
from porting.mapping import Action, Names
from porting.rules.api import check
from porting.rules.api.locations import FUNCTIONS
from porting.rules.api.signatures import SIGNATURES
from porting.source import SourceFile
from porting.toolkits.sysroot import Sysroot

DIFFERENCES = {Action.ARGUMENTS, Action.SYMBOL, Action.CAST}
Port = Callable[..., Any]
Check = Callable[..., None]


def whole(text: str, rocm: str = "7.1", path: str = "k.cu") -> Any:  # noqa: ANN401
    """Port a text with every family."""
    return hipify(SourceFile(path, text.encode()), Target(rocm), Names.load(rocm))


def body(statement: str) -> str:
    """Put a statement into a function."""
    return f"int f() {{ {statement} }}\n"


SYMBOLS = [
    ("cudaMemcpyToSymbol(taps, h, n)", "cudaMemcpyToSymbol(HIP_SYMBOL(taps), h, n)"),
    ("cudaMemcpyFromSymbol(h, taps, n)", "cudaMemcpyFromSymbol(h, HIP_SYMBOL(taps), n)"),
    ("cudaGetSymbolAddress(&p, ns::w)", "cudaGetSymbolAddress(&p, HIP_SYMBOL(ns::w))"),
    ("cudaGetSymbolSize(&n, *sym)", "cudaGetSymbolSize(&n, HIP_SYMBOL(*sym))"),
    (
        "cudaMemcpyToSymbol(taps[ix(1, 0)], h, n, 4)",
        "cudaMemcpyToSymbol(HIP_SYMBOL(taps[ix(1, 0)]), h, n, 4)",
    ),
    (
        "cudaMemcpyToSymbol( /* to */ taps , h, n)",
        "cudaMemcpyToSymbol( /* to */ HIP_SYMBOL(taps) , h, n)",
    ),
    (
        "cudaMemcpyToSymbol(lut<float, 4>, h, n)",
        "cudaMemcpyToSymbol(HIP_SYMBOL((lut<float, 4>)), h, n)",
    ),
    (
        "cudaMemcpyToSymbolAsync(taps, h, n)",
        "cudaMemcpyToSymbolAsync(HIP_SYMBOL(taps), h, n, 0, hipMemcpyHostToDevice)",
    ),
    (
        "cudaMemcpyFromSymbolAsync(h, taps, n, 8)",
        "cudaMemcpyFromSymbolAsync(h, HIP_SYMBOL(taps), n, 8, hipMemcpyDeviceToHost)",
    ),
    (
        "cudaGraphAddMemcpyNodeToSymbol(&d, g, 0, 0, taps, h, n, 0, k)",
        "cudaGraphAddMemcpyNodeToSymbol(&d, g, 0, 0, &taps, h, n, 0, k)",
    ),
    (
        "cudaGraphExecMemcpyNodeSetParamsFromSymbol(e, d, h, a ? x : y, n, 0, k)",
        "cudaGraphExecMemcpyNodeSetParamsFromSymbol(e, d, h, &(a ? x : y), n, 0, k)",
    ),
]


@pytest.mark.parametrize(("before", "after"), SYMBOLS)
def test_symbol_is_wrapped_alone_when_it_is_an_argument(
    ported: Port, before: str, after: str
) -> None:
    found = ported(check, body(f"return {before};"))
    assert found.text == body(f"return {after};")
    assert found.said() == [(1, "API001")]


def test_symbol_is_wrapped_when_the_call_stands_in_a_macro(ported: Port) -> None:
    text = "#define COPY(sym, ...) \\\n  CHECK(cudaMemcpyToSymbol(sym, __VA_ARGS__))\n"
    after = text.replace("ToSymbol(sym,", "ToSymbol(HIP_SYMBOL(sym),")
    assert ported(check, text).text == after


def test_symbol_is_left_alone_when_it_is_wrapped_already(ported: Port) -> None:
    text = body("return cudaMemcpyToSymbol(HIP_SYMBOL(taps), h, n);")
    assert ported(check, text).text == text


def test_symbol_is_refused_when_it_is_a_string(ported: Port) -> None:
    text = body('return cudaMemcpyToSymbol("taps", h, n);')
    found = ported(check, text)
    assert found.text == text
    assert found.said() == [(1, "API003")]


ADAPTED = [
    ("cudaGraphInstantiate(&e, g, 0)", "hipGraphInstantiateWithFlags(&e, g, 0)"),
    ("cudaGraphInstantiate(&e, g)", "hipGraphInstantiateWithFlags(&e, g, 0)"),
    ("cuGraphInstantiate(&e, g, flags)", "hipGraphInstantiateWithFlags(&e, g, flags)"),
    ("cudaGraphInstantiateWithFlags(&e, g)", "cudaGraphInstantiateWithFlags(&e, g, 0)"),
    ("cudaGraphAddDependencies(g, a, b, nullptr, 1)", "hipGraphAddDependencies(g, a, b, 1)"),
    ("cudaGraphGetEdges(g, a, b, NULL, &n)", "hipGraphGetEdges(g, a, b, &n)"),
    ("cudaGraphNodeGetDependencies(d, a, 0, &n)", "hipGraphNodeGetDependencies(d, a, &n)"),
    ("cudaStreamGetCaptureInfo(s, &c)", "hipStreamGetCaptureInfo_v2(s, &c)"),
    (
        "cudaStreamGetCaptureInfo(s, &c, &i, &g, &d, nullptr, &n)",
        "hipStreamGetCaptureInfo_v2(s, &c, &i, &g, &d, &n)",
    ),
    (
        "cudaStreamUpdateCaptureDependencies(s, d, nullptr, n)",
        "hipStreamUpdateCaptureDependencies(s, d, n)",
    ),
    ("cudaEventCreate(&e, cudaEventDefault)", "hipEventCreateWithFlags(&e, cudaEventDefault)"),
    ("cuCtxCreate(&c, nullptr, 0, dev)", "hipCtxCreate(&c, 0, dev)"),
    ("cuCtxCreate_v3(&c, nullptr, 0, flags, dev)", "hipCtxCreate(&c, flags, dev)"),
    ("cuMemcpy(d, s, n)", "hipMemcpy(d, s, n, hipMemcpyDefault)"),
    ("cuMemcpyAsync(d, s, n, st)", "hipMemcpyAsync(d, s, n, hipMemcpyDefault, st)"),
    ("cudaHostGetDevicePointer(&d, h, 0)", "cudaHostGetDevicePointer((void**)&d, h, 0)"),
    (
        "cudaFuncSetAttribute(k<float>, a, 1)",
        "cudaFuncSetAttribute(reinterpret_cast<const void*>(k<float>), a, 1)",
    ),
    (
        "cudaFuncSetAttribute(&k<T, 3>, a, 1)",
        "cudaFuncSetAttribute(reinterpret_cast<const void*>(&k<T, 3>), a, 1)",
    ),
    (
        "cudaLaunchKernel<void(T*)>(k, 1, 32, a, 0, s)",
        "cudaLaunchKernel(reinterpret_cast<const void*>(k), 1, 32, a, 0, s)",
    ),
    (
        "cuStreamGetCaptureInfo_v2(s, &c, &i, &g, &d, &n)",
        "hipStreamGetCaptureInfo_v2(s, &c, (unsigned long long*)&i, &g, &d, &n)",
    ),
    (
        "cudaFuncGetAttributes(&a, k)",
        "cudaFuncGetAttributes(&a, reinterpret_cast<const void*>(k))",
    ),
    (
        "cudaLaunchKernel(k, g, b, args)",
        "cudaLaunchKernel(reinterpret_cast<const void*>(k), g, b, args)",
    ),
    (
        "cudaLaunchCooperativeKernel(k, g, b, args)",
        "cudaLaunchCooperativeKernel(k, g, b, args, 0, nullptr)",
    ),
    (
        "cuOccupancyMaxPotentialBlockSize(&g, &b, f, nullptr, 0, 0)",
        "hipModuleOccupancyMaxPotentialBlockSize(&g, &b, f, 0, 0)",
    ),
    (
        "cudaMemcpy3DBatchAsync(n, ops, 0, s)",
        "cudaMemcpy3DBatchAsync(n, ops, nullptr, 0, s)",
    ),
    ("cudaGraphCreate(&g)", "cudaGraphCreate(&g, 0)"),
    ("nvmlInit()", "amdsmi_init(AMDSMI_INIT_AMD_GPUS)"),
    ("cuGetProcAddress(name, &p, v, 0)", "cuGetProcAddress(name, &p, v, 0, nullptr)"),
]


@pytest.mark.parametrize(("before", "after"), ADAPTED)
def test_call_is_fitted_when_the_lists_differ(ported: Port, before: str, after: str) -> None:
    found = ported(check, body(f"return {before};"))
    assert found.text == body(f"return {after};")
    assert found.said() == [(1, "API002")]


UNCHANGED = [
    "cudaGraphInstantiate(&e, g, nullptr, nullptr, 0)",
    "cudaGraphAddDependencies(g, a, b, 1)",
    "cudaStreamGetCaptureInfo(s, &c, &i)",
    "cudaStreamUpdateCaptureDependencies(s, d, n, 0)",
    "cudaEventCreate(&e)",
    "cuCtxCreate(&c, 0, dev)",
    "cudaFuncSetAttribute((const void*)k, a, 1)",
    "cudaFuncSetAttribute(reinterpret_cast<const void*>(&k<T>), a, 1)",
    "cudaHostGetDevicePointer((void**)&d, h, 0)",
    "cudaHostGetDevicePointer(reinterpret_cast<void**>(&d), h, 0)",
    "cudaLaunchCooperativeKernel(k, g, b, args, 0, s)",
    "cuMemcpyHtoD(d, src, n)",
    "cudaMallocPitch(&d, &pitch, w, h)",
]


@pytest.mark.parametrize("call", UNCHANGED)
def test_call_is_left_to_the_names_when_the_lists_agree(ported: Port, call: str) -> None:
    found = ported(check, body(f"return {call};"))
    assert found.text == body(f"return {call};")
    assert found.said() == []


REFUSED = [
    "cudaGraphExecUpdate(e, g, &info)",
    "cudaGraphAddDependencies(g, a, b, edges, 1)",
    "cuCtxCreate(&c, &params, 0, dev)",
    "cuMemcpyPeer(d, c1, s, c2, n)",
    "cuFuncSetAttribute(f, a, 1)",
    "cuOccupancyMaxPotentialBlockSize(&g, &b, f, sizes, 0, 0)",
    "cudaLibraryLoadData(&l, code, options, values, 1, 0, 0, 0)",
    "cudaUserObjectCreate(&o, p, 1, 0)",
    "cusparseSpSM_solve(h, a, b, &x, m, n, o, t, g, d)",
]


@pytest.mark.parametrize("call", REFUSED)
def test_call_keeps_its_cuda_name_when_hip_has_no_form(call: str) -> None:
    found = whole(f"#include <cuda_runtime.h>\nint f() {{ return {call}; }}\n")
    name = call.partition("(")[0]
    told = [d for d in found.diagnostics if d.symbol == name and d.severity.value == "error"]
    assert [(d.code, d.line) for d in told] == [("API003", 2)]
    assert name.encode() in found.data
    assert told[0].help


def test_call_is_fitted_per_release_when_the_forms_changed(ported: Port) -> None:
    text = body("return cuMemcpyHtoD(d, src + 1, n) + cudaMallocPitch(&p, &n, 4, 4);")
    after = body(
        "return cuMemcpyHtoD(d, (void*)(src + 1), n) + cudaMallocPitch((void**)&p, &n, 4, 4);"
    )
    assert ported(check, text, "6.4").text == after
    assert ported(check, text, "7.1").text == text


def test_call_through_a_member_is_only_reported(ported: Port) -> None:
    text = body("return api->cuMemcpyAsync(d, s, n, st) + t.cudaMemcpyToSymbol(x, h, n);")
    found = ported(check, text)
    assert found.text == text
    assert found.said() == [(1, "API004")]


def test_call_is_fitted_when_a_macro_takes_its_arguments_in_brackets(ported: Port) -> None:
    text = body("RUN(cuMemcpyAsync, (d, s, n, st)); RUN(cudaMemcpyToSymbol, (taps, h, n), 1);")
    after = body(
        "RUN(hipMemcpyAsync, (d, s, n, hipMemcpyDefault, st));"
        " RUN(cudaMemcpyToSymbol, (HIP_SYMBOL(taps), h, n), 1);"
    )
    assert ported(check, text).text == after


def test_function_is_reported_when_taken_as_a_value(ported: Port) -> None:
    text = body("auto p = &cuMemcpyAsync; run(cuFuncSetAttribute, f, a);")
    found = ported(check, text)
    assert found.text == text
    assert found.said() == [(1, "API004"), (1, "API004")]


def test_count_is_not_guessed_when_a_pack_stands_in_the_call(ported: Port) -> None:
    text = "#define RUN(...) cudaGraphInstantiate(__VA_ARGS__)\n"
    found = ported(check, text)
    assert found.text == text
    assert found.said() == [(1, "API004")]


def test_table_when_its_targets_are_looked_up() -> None:
    names = Names.load("7.1")
    known = {name.target for name in names if name.target}
    written = {
        change.target
        for forms in SIGNATURES.values()
        for form in forms
        for change in form.changes
        if hasattr(change, "target")
    }
    assert written <= known
    assert all(names.get(name) is not None for name in SIGNATURES if not name.endswith("_v2"))


def test_table_when_the_name_tables_know_a_difference() -> None:
    differ = {
        name.name
        for name in Names.load("7.1")
        if name.target and name.kind == "function" and name.action in DIFFERENCES
    }
    assert len(differ) > 40
    named = {name.removesuffix("_ptsz") for name in differ}
    assert named - SIGNATURES.keys() - FUNCTIONS.keys() == set()


def test_table_when_a_refusal_is_worded() -> None:
    refused = [f for forms in SIGNATURES.values() for f in forms if f.refuse]
    assert len(refused) > 5
    assert [form.name for form in refused if not form.help] == []


EXAMPLE = """#include <cuda_runtime.h>
#include <cuda.h>
#define OK(x) do { if ((x) != cudaSuccess) return 1; } while (0)
template <class T, int N> __global__ void tk(T* p) { p[0] = N; }
__global__ void k(float* p) { p[0] = 0; }
__constant__ float taps[5];
__device__ int scalar;
template <class T> int kernels(void** args, cudaStream_t s) {
  int b = 0, g = 0;
  auto kern = &tk<T, 8>;
  cudaFuncAttributes a;
  OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&b, tk<T, 4>, 128, 0));
  OK(cudaOccupancyMaxPotentialBlockSize(&g, &b, k));
  OK(cudaFuncSetAttribute(tk<T, 4>, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024));
  OK(cudaFuncSetAttribute(kern, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024));
  OK(cudaFuncGetAttributes(&a, k));
  OK(cudaLaunchKernel(kern, dim3(1), dim3(32), args, 0, s));
  OK(cudaLaunchCooperativeKernel((void*)tk<T, 3>, 1, 32, args));
  return a.numRegs;
}
int graphs(float* h, cudaStream_t s, cudaGraph_t g) {
  cudaGraphNode_t d; cudaGraphExec_t e; size_t n; unsigned long long i;
  cudaStreamCaptureStatus st; const cudaGraphNode_t* deps;
  OK(cudaMemcpyToSymbol(taps[2], h, 4));
  OK(cudaMemcpyToSymbolAsync(taps, h, 4));
  OK(cudaMemcpyFromSymbolAsync(h, scalar, 4, 0));
  OK(cudaGraphAddMemcpyNodeToSymbol(&d, g, nullptr, 0, scalar, h, 4, 0, cudaMemcpyHostToDevice));
  OK(cudaGraphInstantiate(&e, g));
  OK(cudaGraphInstantiate(&e, g, 0));
  OK(cudaGraphInstantiate(&e, g, nullptr, nullptr, 0));
  OK(cudaGraphAddDependencies(g, &d, &d, nullptr, 1));
  OK(cudaStreamGetCaptureInfo(s, &st));
  OK(cudaStreamGetCaptureInfo(s, &st, &i, &g, &deps, nullptr, &n));
  return 0;
}
int memory(void* p, size_t n, int dev, cudaStream_t s, const float* src, CUdeviceptr q) {
  float *h, *d; cudaEvent_t ev; CUcontext c;
  OK(cudaMallocHost(&h, 16));
  OK(cudaHostAlloc(&h, 16, cudaHostAllocMapped));
  OK(cudaHostGetDevicePointer(&d, h, 0));
  OK(cudaMallocPitch(&d, &n, 16, 2));
  OK(cudaEventCreate(&ev, cudaEventDisableTiming));
  OK(cudaMemAdvise(p, n, cudaMemAdviseSetReadMostly, {cudaMemLocationTypeDevice, dev}));
  OK(cudaMemPrefetchAsync(p, n, dev, s));
  cuCtxCreate(&c, nullptr, 0, 0); cuMemcpy(q, q, 4); cuMemcpyHtoDAsync(q, src + 1, 4, s);
  return 0;
}
int main() { return kernels<float>(nullptr, nullptr); }
"""


@pytest.mark.parametrize("rocm", ["7.1", pytest.param("6.2", marks=pytest.mark.soak)])
def test_output_compiles_when_every_family_has_run(
    request: pytest.FixtureRequest, compiles: Check, sysroot: Sysroot, rocm: str
) -> None:
    tree = sysroot if rocm == "7.1" else request.getfixturevalue("sysroot_6_2")
    found = whole(EXAMPLE, rocm)
    assert [str(d) for d in found.diagnostics if d.severity.value != "note"] == []
    text = found.data.decode()
    assert not re.search(r"\bcu(da)?[A-Z]", text)
    compiles(text, tree, "--offload-host-only")
    compiles(text, tree)
