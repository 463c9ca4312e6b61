"""Addresses of functions that HIP overloads: casts, and entries of lists for macros."""

import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from porting.config import Target
from porting.hipify import hipify
from porting.mapping import Names
from porting.rules.api import check
from porting.source import SourceFile
from porting.toolkits.sysroot import Sysroot

Port = Callable[..., Any]
CAST = "static_cast<hipError_t (*)(void**, size_t)>(&hipMalloc)"
MANAGED = "static_cast<hipError_t (*)(void**, size_t, unsigned int)>(&hipMallocManaged)"
DECLARE = "#define DECLARE(n) decltype(&n) p_##n;\n"

CASTS = [
    ("auto f = &cuMemAlloc;", f"auto f = {CAST};"),
    ("static const auto f = &cuMemAlloc_v2;", f"static const auto f = {CAST};"),
    ("auto* f = cuMemAlloc;", f"auto* f = {CAST};"),
    ("auto f = & cudaMalloc;", f"auto f = {CAST};"),
    ("auto f = &cuMemAllocManaged;", f"auto f = {MANAGED};"),
    ("decltype(&cuMemAlloc) f;", f"decltype({CAST}) f;"),
    ("using F = decltype( &cudaMallocManaged );", f"using F = decltype( {MANAGED} );"),
    (
        "void* p = reinterpret_cast<void*>(&cuMemAlloc);",
        f"void* p = reinterpret_cast<void*>({CAST});",
    ),
    ("void* p = (void*)&cuMemAlloc;", f"void* p = (void*){CAST};"),
    ("auto p = (const void *)cuMemAlloc;", f"auto p = (const void *){CAST};"),
    ("void* p = (void*) ::cudaMalloc;", f"void* p = (void*) {CAST};"),
    ("void* p[] = {(void*)&cuMemAlloc};", f"void* p[] = {{(void*){CAST}}};"),
    ("auto n = (uintptr_t)&cuMemAlloc;", f"auto n = (uintptr_t){CAST};"),
    ("auto n = (std::uintptr_t)cuMemAlloc;", f"auto n = (std::uintptr_t){CAST};"),
    (
        "auto n = reinterpret_cast<uintptr_t>(cuMemAlloc);",
        f"auto n = reinterpret_cast<uintptr_t>({CAST});",
    ),
    (
        "auto n = reinterpret_cast<void (*)(int)>(::cuMemAlloc);",
        f"auto n = reinterpret_cast<void (*)(int)>({CAST});",
    ),
    ("std::thread t(&cuMemAlloc, &p, 4);", f"std::thread t({CAST}, &p, 4);"),
    ("auto b = std::bind(cuMemAlloc, &p, 4);", f"auto b = std::bind({CAST}, &p, 4);"),
    (
        "std::function<int(void**, int)> f = cuMemAlloc;",
        f"std::function<int(void**, int)> f = {CAST};",
    ),
    (
        "std::function<int(void**, int)> f(&cuMemAlloc);",
        f"std::function<int(void**, int)> f({CAST});",
    ),
    ("hook.install(&cuMemAlloc);", f"hook.install({CAST});"),
]


@pytest.mark.parametrize(("text", "expected"), CASTS)
def test_address_gets_a_cast_when_nothing_else_types_it(
    ported: Port, text: str, expected: str
) -> None:
    found = ported(check, text + "\n", path="a.cpp")
    assert found.text == expected + "\n"
    assert [(d.code, d.severity.value) for d in found.findings] == [("API009", "note")]


@pytest.mark.parametrize(
    "text",
    [
        "CUresult (*f)(CUdeviceptr*, size_t) = &cuMemAlloc;",
        "auto f = &cuMemFree;",
        "auto r = cuMemAlloc(&p, 1);",
        "CHECK(cuMemAlloc, (&p, 1));",
        "CALL(cuMemAlloc, &p, 1);",
        "auto f = table.cuMemAlloc;",
        "auto f = x & cudaMalloc;",
        "auto f = (CUresult (*)(CUdeviceptr*, size_t))&cuMemAlloc;",
        "auto f = static_cast<Alloc>(&cuMemAlloc);",
        "auto f = (Alloc)&cuMemAlloc;",
        "Alloc f = cuMemAlloc;",
        "hook.install(cuMemFree);",
    ],
)
def test_other_mentions_are_left_alone(ported: Port, text: str) -> None:
    assert "API009" not in [d.code for d in ported(check, text + "\n", path="a.cpp").findings]


def test_c_has_no_overloads(ported: Port) -> None:
    assert ported(check, "void* p = (void*)&cuMemAlloc;\n", path="a.c").said() == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (DECLARE + "#define LIST(X) \\\n X(cuInit) \\\n X(cuMemAlloc)\n", [(4, "error")]),
        (DECLARE + "DECLARE(cuMemAlloc)\n", [(2, "error")]),
        ("#define LIST(X) X(cuMemAlloc) X(cuMemFree)\n", [(1, "warning")]),
        ("#define LIST(X) X(cuMemFree)\n" + DECLARE, []),
        ("decltype(cuMemAlloc)* f;\n", [(1, "error")]),
        ("#define ADDRESS(f) ((void*)&f)\nvoid* p = ADDRESS(cuMemAlloc);\n", [(2, "error")]),
        ("#define address(f) (void *)(f)\nvoid* p = address(cuMemAlloc);\n", [(2, "error")]),
        (
            "#define ADDRESS(f) reinterpret_cast<void*>(&f)\nvoid* p = ADDRESS(cuMemAlloc);\n",
            [(2, "error")],
        ),
    ],
)
def test_entry_of_a_list_for_macros_is_diagnosed_at_its_place(
    ported: Port, text: str, said: list[tuple[int, str]]
) -> None:
    found = [d for d in ported(check, text, path="a.h").findings if d.code == "API009"]
    assert [(d.line, d.severity.value) for d in found] == said
    assert all(d.topic == "api-signature" and d.help == f"write {CAST}" for d in found)


def test_casts_compile(sysroot: Sysroot) -> None:
    names = ("cuMemAlloc", "cuMemAllocManaged", "cuMemHostAlloc", "cuMemAllocAsync")
    more = ("cuMemAllocFromPoolAsync", "cudaMalloc", "cudaMallocPitch", "cudaHostAlloc")
    text = "#include <cuda.h>\n#include <cuda_runtime_api.h>\n" + "".join(
        f"auto f_{name} = &{name};\ndecltype(&{name}) g_{name};\n" for name in (*names, *more)
    )
    done = hipify(SourceFile("a.cpp", text.encode()), Target(), Names.load("7.1"))
    text += "".join(f"void* v_{name} = (void*)&{name};\n" for name in (*names, *more))
    flags = ("-D__HIP_PLATFORM_AMD__", "-std=c++17", "-fsyntax-only", f"-isystem{sysroot.include}")
    ran = subprocess.run(
        ["clang++-19", "-x", "c++", *flags, "-"],
        input=done.data,
        capture_output=True,
        check=False,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr.decode() + done.data.decode()
