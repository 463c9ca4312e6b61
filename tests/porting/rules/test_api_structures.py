"""The API family on memory locations, members of structures, and their initializers."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.rules.api import check

Port = Callable[..., Any]


def body(statement: str) -> str:
    """Put a statement into a function."""
    return f"int f() {{ {statement} }}\n"


LOCATIONS_7_1 = [
    (
        "cudaMemAdvise(p, n, a, {cudaMemLocationTypeDevice, 0})",
        "hipMemAdvise_v2(p, n, a, {cudaMemLocationTypeDevice, 0})",
    ),
    ("cudaMemPrefetchAsync(p, n, here, 0, s)", "hipMemPrefetchAsync_v2(p, n, here, 0, s)"),
    ("cudaMemPrefetchAsync_v2(p, n, x, 0)", "hipMemPrefetchAsync_v2(p, n, x, 0)"),
    ("cudaMemAdvise(p, n, a, here)", "hipMemAdvise_v2(p, n, a, here)"),
    ("cudaMemAdvise(p, n, a, places[i])", "hipMemAdvise_v2(p, n, a, places[i])"),
    ("cudaMemAdvise(p, n, a, this->home)", "hipMemAdvise_v2(p, n, a, this->home)"),
    ("cuMemAdvise(p, n, a, here)", "hipMemAdvise_v2(p, n, a, here)"),
    ("cudaMemAdvise(p, n, a, dev)", "cudaMemAdvise(p, n, a, dev)"),
    ("cudaMemPrefetchAsync(p, n, dev, s)", "cudaMemPrefetchAsync(p, n, dev, s)"),
    ("cudaMemPrefetchAsync(p, n, here.id, s)", "cudaMemPrefetchAsync(p, n, here.id, s)"),
]
PLACES = "struct S { cudaMemLocation here{}, places[4]; CUmemLocation home; };\n"


@pytest.mark.parametrize(("before", "after"), LOCATIONS_7_1)
def test_location_is_kept_when_the_release_has_it(ported: Port, before: str, after: str) -> None:
    found = ported(check, PLACES + body(f"return {before};"))
    assert found.text == PLACES + body(f"return {after};")


LOCATIONS_6_4 = [
    (
        "cudaMemAdvise(p, n, a, cudaMemLocation{cudaMemLocationTypeDevice, pick(0)})",
        "hipMemAdvise(p, n, a, pick(0))",
    ),
    (
        "cudaMemAdvise(p, n, a, {.type = cudaMemLocationTypeDevice, .id = dev})",
        "hipMemAdvise(p, n, a, dev)",
    ),
    (
        "cudaMemPrefetchAsync(p, n, {cudaMemLocationTypeHost, 0}, 0, s)",
        "hipMemPrefetchAsync(p, n, hipCpuDeviceId, s)",
    ),
]


@pytest.mark.parametrize(("before", "after"), LOCATIONS_6_4)
def test_location_is_unwrapped_when_its_kind_is_written(
    ported: Port, before: str, after: str
) -> None:
    found = ported(check, body(f"return {before};"), "6.4")
    assert found.text == body(f"return {after};")
    assert found.said() == [(1, "API002")]


@pytest.mark.parametrize(
    "call",
    [
        "cudaMemAdvise(p, n, a, here)",
        "cudaMemPrefetchAsync(p, n, here, 0, s)",
        "cudaMemPrefetchAsync(p, n, {cudaMemLocationTypeDevice, 0}, flags, s)",
        "cudaMemAdvise(p, n, a, {kind, 0})",
    ],
)
def test_location_is_refused_when_its_kind_is_not_known(ported: Port, call: str) -> None:
    found = ported(check, PLACES + body(f"return {call};"), "6.4")
    assert found.text == PLACES + body(f"return {call};")
    assert found.said() == [(2, "API003")]


def test_members_are_renamed_when_hip_calls_them_otherwise(ported: Port) -> None:
    text = (
        "void f(CUDA_KERNEL_NODE_PARAMS* k, CUlaunchConfig c, cudaDeviceProp p) {\n"
        "  k->gridDimX = c.gridDimX; use(p.sparseCudaArraySupported); }\n"
    )
    after = text.replace("k->gridDimX", "k->gridDim.x").replace("CudaArray", "HipArray")
    found = ported(check, text)
    assert found.text == after
    assert found.said() == [(2, "API006"), (2, "API006")]


def test_handle_type_member_is_renamed_when_the_release_has_the_singular(ported: Port) -> None:
    text = body("prop.requestedHandleTypes = t;")
    assert ported(check, text, "6.4").text == body("prop.requestedHandleType = t;")
    assert ported(check, text, "7.1").text == text


def test_member_is_reported_when_hip_lacks_it(ported: Port) -> None:
    found = ported(check, body("use(prop.hostNumaId, hostNumaId);"))
    assert [(d.code, d.column) for d in found.findings] == [("API005", 20)]


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("cudaMemsetParams m = {d, 0, 1, 4, 16, 1};", ["API008"]),
        ("use(cudaMemsetParams{d, 0, 1, 4, 16, 1});", ["API008"]),
        ("cudaKernelNodeParams k{(void*)f, g, b, 0, args, nullptr};", ["API008"]),
        ("cudaMemsetParams m = {};", []),
        ("cudaMemsetParams m{0};", []),
        ("cudaMemsetParams m = {.dst = d, .pitch = 0};", []),
        ("cudaMemcpy3DParms m = {0, 0};", []),
    ],
)
def test_initializer_is_refused_when_it_goes_by_position(
    ported: Port, text: str, codes: list[str]
) -> None:
    found = ported(check, body(text))
    assert [code for _, code in found.said()] == codes


def test_tag_is_renamed_when_hips_type_is_a_typedef(ported: Port) -> None:
    text = "struct cudaGraphicsResource; const struct cudaExternalMemoryHandleDesc* d;\n"
    after = "struct _hipGraphicsResource; const struct hipExternalMemoryHandleDesc_st* d;\n"
    assert ported(check, text).text == after


def test_tag_is_left_to_the_names_when_there_is_no_keyword(ported: Port) -> None:
    text = "cudaGraphicsResource* r; struct cudaDeviceProp p; x.cudaLaunchParams = 1;\n"
    assert ported(check, text).text == text
