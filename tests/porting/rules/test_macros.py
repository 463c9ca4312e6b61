"""Conditions on compiler, architecture and version; header guards; branches for one platform."""

import subprocess

import pytest

from porting.config import Target
from porting.hipify import Hipified, hipify
from porting.mapping import Names
from porting.source import SourceFile
from porting.toolkits.sysroot import Sysroot

NAMES = Names.load("7.1")
DEVICE = "defined(__HIP_DEVICE_COMPILE__)"
PTX = 'asm volatile("wgmma.fence.sync.aligned;");'
MISSING = "cuTensorMapEncodeTiled(a);"


def port(text: str, path: str = "a.h") -> Hipified:
    done = hipify(SourceFile(path, text.encode()), Target(), NAMES)
    again = hipify(SourceFile(path, done.data), Target(), NAMES)
    assert again.data == done.data
    return done


def text_of(text: str) -> str:
    return port(text).data.decode()


def said(text: str) -> list[tuple[int, str, str]]:
    return [(d.line, d.code, d.severity.value) for d in port(text).diagnostics]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("#ifdef __CUDACC__", "#ifdef __HIPCC__"),
        ("#if defined(__CUDACC__) && X", "#if defined(__HIPCC__) && X"),
        ("#ifdef __NVCC__", "#ifdef __HIPCC__"),
        ("#ifndef __CUDACC_EXTENDED_LAMBDA__", "#ifndef __HIPCC__"),
        ("#ifdef __CUDACC_RTC__", "#ifdef __HIPCC_RTC__"),
        ("#if defined(__CUDACC__) || defined(__HIPCC__)",) * 2,
        ("#if defined(__CUDACC__) && !defined(__HIPCC__)",) * 2,
        ("#if defined(__NVCC__) && !defined(__clang__)",) * 2,
    ],
)
def test_compiler_macro_becomes_hips_in_conditions_for_cuda_alone(
    condition: str, expected: str
) -> None:
    assert text_of(f"{condition}\nint a;\n#endif\n") == f"{expected}\nint a;\n#endif\n"


def test_nvcc_stays_beside_cudacc_and_in_front_of_its_pragmas() -> None:
    text = (
        "#if defined(__CUDACC__) || defined(__NVCC__)\n#endif\n"
        "#ifdef __NVCC__\n#pragma nv_diag_suppress 177\n#endif\n"
    )
    assert text_of(text) == text.replace("__CUDACC__", "__HIPCC__")
    assert said(text) == [(1, "MAC001", "note"), (3, "MAC001", "note"), (4, "MAC011", "note")]


def test_undef_of_half_switches_follows() -> None:
    text = "#undef __CUDA_NO_HALF_OPERATORS__\n"
    assert text_of(text) == "#undef __HIP_NO_HALF_OPERATORS__\n"


def test_other_macro_of_nvidias_compiler_is_a_warning() -> None:
    assert said("#if __CUDA_ARCH_FEAT_SM90_ALL\nint a;\n#endif\n") == [(1, "MAC002", "warning")]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("#ifdef __CUDA_ARCH__", "#ifdef __HIP_DEVICE_COMPILE__"),
        ("#if defined(__CUDA_ARCH__)", f"#if {DEVICE}"),
        ("#if !defined __CUDA_ARCH__", "#if !defined __HIP_DEVICE_COMPILE__"),
        ("#if __CUDA_ARCH__", f"#if {DEVICE}"),
        ("#if __CUDA_ARCH__ >= 700", f"#if {DEVICE}"),
        ("#if 700 <= __CUDA_ARCH__", f"#if {DEVICE}"),
        ("#if __CUDA_ARCH__ < 700", f"#if !{DEVICE}"),
        ("#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 530", f"#if {DEVICE}"),
        ("#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ >= 530)", f"#if {DEVICE}"),
        ("#if (__CUDA_ARCH__ >= 530) && X", f"#if ({DEVICE}) && X"),
    ],
)
def test_architecture_condition_takes_the_branch_for_new_gpus(
    condition: str, expected: str
) -> None:
    text = f"{condition}\nint a;\n#else\nint b;\n#endif\n"
    assert text_of(text) == f"{expected}\nint a;\n#else\nint b;\n#endif\n"
    assert said(text) == [(1, "MAC003", "note")]


def test_every_condition_of_a_chain_is_written_for_the_device() -> None:
    text = "#if __CUDA_ARCH__ >= 700\n1\n#elif defined(__CUDA_ARCH__)\n2\n#else\n3\n#endif\n"
    expected = f"#if {DEVICE}\n1\n#elif {DEVICE}\n2\n#else\n3\n#endif\n"
    assert text_of(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ < 600)\ndouble add(double*);\n#endif\n",
        "#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600\n#else\nint a;\n#endif\n",
    ],
)
def test_condition_stays_where_undefined_takes_the_right_branch(text: str) -> None:
    assert text_of(text) == text
    assert said(text) == [(1, "MAC003", "note")]


ATOMIC = (
    "__device__ double atomicAdd(double* address, double val)\n{\n"
    "    unsigned long long int* address_as_ull = (unsigned long long int*)address;\n"
    "    unsigned long long int old = *address_as_ull, assumed;\n"
    "    do {\n        assumed = old;\n        old = atomicCAS(address_as_ull, assumed,\n"
    "            __double_as_longlong(val + __longlong_as_double(assumed)));\n"
    "    } while (assumed != old);\n    return __longlong_as_double(old);\n}\n"
)


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("#if __CUDA_ARCH__ < 600\n{}#endif\n", "defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600"),
        ("#if 600 > __CUDA_ARCH__\n{}#endif\n", "defined(__CUDA_ARCH__) && 600 > __CUDA_ARCH__"),
        (
            "#if __CUDA_ARCH__ >= 600\n#else\n{}#endif\n",
            "!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600",
        ),
        (
            "#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 600\n{}#endif\n",
            "defined(__CUDA_ARCH__) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 600)",
        ),
        (
            "#if __CUDA_ARCH__ < 600 && !defined(MINE)\n{}#endif\n",
            "defined(__CUDA_ARCH__) && (__CUDA_ARCH__ < 600 && !defined(MINE))",
        ),
        (
            "#if !(__CUDA_ARCH__ >= 600)\n{}#endif\n",
            "defined(__CUDA_ARCH__) && !(__CUDA_ARCH__ >= 600)",
        ),
        ("#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600\n{}#endif\n", None),
        ("#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600\n#else\n{}#endif\n", None),
    ],
)
def test_device_function_that_hip_has_is_defined_in_no_pass(
    before: str, expected: str | None
) -> None:
    text = before.format(ATOMIC)
    first, rest = text.split("\n", 1)
    assert text_of(text) == (f"#if {expected}" if expected else first) + f"\n{rest}"
    assert {code for _, code, _ in said(text)} == {"MAC003"}
    assert {severity for _, _, severity in said(text)} == {"note"}


def test_part_of_a_condition_is_rewritten_where_the_whole_is_unknown() -> None:
    first = "#if defined(MINE) && __CUDA_ARCH__ >= 600\nint a;\n"
    second = f"#elif __CUDA_ARCH__ < 600\n{ATOMIC}#endif\n"
    assert text_of(first + second) == (
        "#if defined(MINE) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600)\nint a;\n"
        + second.replace("__CUDA_ARCH__ <", "defined(__CUDA_ARCH__) && __CUDA_ARCH__ <")
    )


@pytest.mark.parametrize(
    "condition",
    [
        "#if __CUDA_ARCH__ < 600",
        "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600",
        "#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600\n#else",
        "#if __CUDA_ARCH__ >= 600\n#else",
    ],
)
def test_double_atomic_compiles_on_host_and_device(condition: str, sysroot: Sysroot) -> None:
    use = "__global__ void k(double* p) { atomicAdd(p, 1.0); }\n"
    done = port(f"#include <cuda_runtime.h>\n{condition}\n{ATOMIC}#endif\n{use}", "a.cu")
    for side in ("--offload-host-only", "--offload-device-only"):
        clang_accepts(done.data, sysroot, side)


def clang_accepts(text: bytes, sysroot: Sysroot, side: str) -> None:
    archs = [] if "host" in side else ["--offload-arch=gfx942", "--offload-arch=gfx1100"]
    command = [
        *("clang++-19", "-x", "hip", "-std=c++17", "-fsyntax-only", "-nogpulib", side, *archs),
        *(f"--rocm-path={sysroot.path}", f"-isystem{sysroot.include}", "-Wno-everything", "-"),
    ]
    done = subprocess.run(command, input=text, capture_output=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr.decode() + text.decode()


def test_device_function_of_the_users_own_keeps_the_rewrite() -> None:
    text = "#if __CUDA_ARCH__ < 600\n__device__ int mine(int* p) { return *p; }\n#endif\n"
    assert text_of(text) == text.replace("__CUDA_ARCH__ < 600", f"!{DEVICE}")


def test_atomic_on_halves_that_hip_lacks_stays_defined() -> None:
    text = "#if __CUDA_ARCH__ < 700\n__device__ half atomicAdd(half* p, half v);\n#endif\n"
    assert text_of(text) == text


@pytest.mark.parametrize(
    ("text", "threshold"),
    [
        ("#if __CUDA_ARCH__ >= 900\n#define HAVE_TMA 1\n#endif\n", "900"),
        ("#if __CUDA_ARCH__ > 890\n#define A 1\n#define B 2\n#endif\n", "890"),
        ("#if __CUDA_ARCH__ >= 700\n#define HAVE_WMMA\n#else\n#define NO_WMMA\n#endif\n", "700"),
        ("#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800\n#define A 1\n#endif\n", "800"),
        ("#if __CUDA_ARCH__ < 800\n#define EMULATE 1\n#endif\n", "800"),
        ("#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900\n#define A 1\n#endif\n", "900"),
        ("#if __CUDA_ARCH__ >= 800\ncp_async16(d, s);\n#else\nd[0] = s[0];\n#endif\n", "800"),
        ("#if __CUDA_ARCH__ >= 800\nmma_m16n8k16(d, s);\n#endif\n", "800"),
        ("#if __CUDA_ARCH__ >= 900\nload_tma(d, s);\n#endif\n", "900"),
    ],
)
def test_features_of_new_gpus_are_not_turned_on_silently(text: str, threshold: str) -> None:
    done = port(text)
    assert done.data.decode() == text
    loud = [d for d in done.diagnostics if d.severity.value != "note"]
    assert [(d.line, d.code, d.topic, d.severity.value) for d in loud] == [
        (1, "MAC004", "arch-guard", "warning")
    ]
    assert threshold in loud[0].message


def test_features_give_way_to_the_older_branch_of_the_device() -> None:
    text = (
        "#if __CUDA_ARCH__ >= 800\ncp_async16(d, s);\n#elif defined(__CUDA_ARCH__)\nd[0] = s[0];\n"
        "#else\nhost();\n#endif\n"
    )
    assert text_of(text) == text.replace("defined(__CUDA_ARCH__)", DEVICE)
    assert [(n, s) for n, _, s in said(text) if s == "warning"] == [(1, "warning")]


@pytest.mark.parametrize("code", ["gamma(d, s);", "comma_x = 1;", "format(d);"])
def test_other_words_than_features_take_the_branch_for_new_gpus(code: str) -> None:
    text = f"#if __CUDA_ARCH__ >= 800\n{code}\n#endif\n"
    assert text_of(text) == text.replace("__CUDA_ARCH__ >= 800", DEVICE)


def test_switches_that_all_amd_gpus_satisfy_are_turned_on() -> None:
    text = "#if __CUDA_ARCH__ >= 530\n#define HAVE_HALF 1\n#endif\n"
    assert text_of(text) == text.replace("__CUDA_ARCH__ >= 530", DEVICE)
    assert [s for *_, s in said(text)] == ["note"]


def test_older_branch_is_taken_where_the_newest_has_no_port() -> None:
    text = (
        f"__device__ void f() {{\n#if __CUDA_ARCH__ >= 900\n{PTX}\n#elif defined(__CUDA_ARCH__)\n"
        "g();\n#else\nh();\n#endif\n}\n"
    )
    done = port(text)
    expected = text.replace("#elif defined(__CUDA_ARCH__)", f"#elif {DEVICE}")
    assert done.data.decode() == expected
    assert {d.severity.value for d in done.diagnostics} == {"note"}


def test_condition_without_a_branch_that_has_a_port_is_a_warning() -> None:
    text = f"__device__ void f() {{\n#if __CUDA_ARCH__ >= 900\n{PTX}\n#endif\n}}\n"
    done = port(text)
    assert done.data.decode() == text
    assert [(d.line, d.code, d.topic) for d in done.diagnostics if d.severity.value != "note"] == [
        (2, "MAC004", "arch-guard")
    ]


def test_architecture_as_a_value_is_an_error() -> None:
    text = "__device__ int f() { return __CUDA_ARCH__; }\n"
    assert said(text) == [(1, "MAC004", "error")]


def test_architecture_in_a_macro_is_a_warning_but_for_defined() -> None:
    assert said("#define NEW (__CUDA_ARCH__ >= 700)\n") == [(1, "MAC004", "warning")]
    text = "#define ON_GPU defined(__CUDA_ARCH__)\n"
    assert text_of(text) == "#define ON_GPU defined(__HIP_DEVICE_COMPILE__)\n"


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("#if CUDA_VERSION >= 11000", "#if !defined(CUDA_VERSION) || CUDA_VERSION >= 11000"),
        ("#if CUDART_VERSION < 11000", "#if defined(CUDART_VERSION) && CUDART_VERSION < 11000"),
        (
            "#if CUDA_VERSION >= 11000 && defined(X)",
            "#if (!defined(CUDA_VERSION) || CUDA_VERSION >= 11000) && defined(X)",
        ),
        (
            "#if defined(CUDA_VERSION) && CUDA_VERSION >= 11000",
            "#if defined(HIP_VERSION) && (!defined(CUDA_VERSION) || CUDA_VERSION >= 11000)",
        ),
        (
            "#if __CUDACC_VER_MAJOR__ >= 11",
            "#if !defined(__CUDACC_VER_MAJOR__) || __CUDACC_VER_MAJOR__ >= 11",
        ),
    ],
)
def test_version_condition_takes_the_branch_for_the_newest(condition: str, expected: str) -> None:
    text = f"{condition}\nint a;\n#else\nint b;\n#endif\n"
    assert text_of(text) == f"{expected}\nint a;\n#else\nint b;\n#endif\n"
    assert said(text) == [(1, "MAC005", "note")]


def test_version_condition_stays_where_the_newest_has_no_port() -> None:
    text = f"#if CUDA_VERSION >= 12000\n{MISSING}\n#else\nint b;\n#endif\n"
    assert text_of(text) == text
    assert {severity for _, _, severity in said(text)} == {"note"}


def test_version_condition_that_leaves_nothing_is_a_warning() -> None:
    text = f"#if CUDA_VERSION >= 12000\n{MISSING}\n#endif\n"
    assert text_of(text) == text
    assert [s for s in said(text) if s[2] != "note"] == [(1, "MAC006", "warning")]


def test_version_asked_for_by_name_means_the_header() -> None:
    assert text_of("#ifdef CUDA_VERSION\n#endif\n") == "#ifdef HIP_VERSION\n#endif\n"
    text = "int v = CUDA_VERSION;\n"
    assert text_of(text) == "int v = HIP_VERSION;\n"
    assert said(text) == [(1, "MAC005", "note")]


def test_inner_branch_that_is_left_out_does_not_count_against_the_outer_one() -> None:
    text = (
        "#if CUDA_VERSION >= 11000\n#if CUDA_VERSION >= 12000\n"
        f"{MISSING}\n#else\nint a;\n#endif\n#else\nint b;\n#endif\n"
    )
    outer = "#if CUDA_VERSION >= 11000\n"
    expected = text.replace(outer, "#if !defined(CUDA_VERSION) || CUDA_VERSION >= 11000\n")
    assert text_of(text) == expected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("__HIP_PLATFORM_HCC__", "__HIP_PLATFORM_AMD__"),
        ("__HIP_PLATFORM_NVCC__", "__HIP_PLATFORM_NVIDIA__"),
        ("__HCC__", "__HIP__"),
    ],
)
def test_old_platform_macro_becomes_the_new_one_with_a_warning(old: str, new: str) -> None:
    text = f"#ifdef {old}\nint lanes = 64;\n#endif\n"
    assert text_of(text) == text.replace(old, new)
    assert [s for s in said(text) if s[2] == "warning"] == [(1, "MAC009", "warning")]


def test_old_platform_macro_stays_beside_the_new_one() -> None:
    text = "#if defined(__HIP_PLATFORM_AMD__) || defined(__HIP_PLATFORM_HCC__)\nint a;\n#endif\n"
    assert text_of(text) == text
    assert said(text) == []


def test_compiler_macro_stays_when_hips_compiler_has_a_block_of_its_own() -> None:
    text = (
        "#if defined(__CUDACC__) && !defined(NO_GPU)\n#define MY_CUDACC __CUDACC__\n#endif\n"
        "#if defined(__HIPCC__)\n#define MY_HIPCC __HIPCC__\n#endif\n"
        "#if defined(MY_CUDACC) || defined(MY_HIPCC)\n#define BOTH __host__ __device__\n#endif\n"
    )
    assert text_of(text) == text
    assert {severity for _, _, severity in said(text)} == {"note"}


def test_compiler_macro_is_hips_when_other_conditions_name_both_compilers() -> None:
    both = "#if defined(__HIPCC__) || defined(__CUDACC__)\nint a;\n#endif\n"
    text = f"#ifdef __CUDACC__\n#define BOTH __host__ __device__\n#endif\n{both}"
    assert text_of(text) == text.replace("#ifdef __CUDACC__", "#ifdef __HIPCC__")
    negated = "#if !defined(__HIPCC__)\nint a;\n#endif\n#ifdef __CUDACC__\nint b;\n#endif\n"
    assert "#ifdef __HIPCC__" in text_of(negated)


def test_branch_for_one_platform_stays_with_one_note_over_its_lines() -> None:
    text = (
        "#if defined(USE_ROCM)\n#include <hip/hip_runtime.h>\n#else\n#include <cuda_runtime.h>\n"
        "int a = cudaSuccess;\nint b = cudaFree(p);\n#endif\nint c = cudaFree(q);\n"
    )
    done = port(text)
    assert done.data.decode() == text.replace("cudaFree(q)", "hipFree(q)")
    assert [(d.line, d.end_line, d.code, d.topic) for d in done.diagnostics] == [
        (3, 6, "MAC010", "dual-platform")
    ]


def test_branch_without_cuda_names_is_not_worth_a_note() -> None:
    assert said("#ifdef USE_ROCM\nint lanes = 64;\n#else\nint lanes = 32;\n#endif\n") == []
