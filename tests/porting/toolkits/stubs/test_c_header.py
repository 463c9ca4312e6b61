"""C headers written from stubs: what stubs leave out, and what compilers say to them."""

import re
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from porting.errors import ToolchainError
from porting.toolkits.stubs import values
from porting.toolkits.stubs.c_header import render
from porting.toolkits.stubs.libraries import STUB_SETS, STUBS_7_1, Library
from porting.toolkits.stubs.pxd import Constant, Declaration, Enum, Prototype, Record, Typedef
from porting.toolkits.stubs.values import Value
from porting.toolkits.sysroot import Origin, Sysroot

DEMO = Library("demo", "demo/demo.h", "hip/cdemo.pxd", ("stdio.h",))
STATUS = Enum("demoStatus_t", ("DEMO_OK", "DEMO_BAD"))
VALUES: dict[str, Value] = {
    "DEMO_OK": 0,
    "DEMO_BAD": -3,
    "DEMO_VERSION": 203,
    "DEMO_NAME": "demo",
    "DEMO_A": 1,
}


def written(library: Library, *declarations: Declaration) -> str:
    """Return a header without its notice."""
    text = render(library, declarations, VALUES, "7.1", "demo==1.0")
    return text.partition("#include <stdint.h>\n")[2]


def test_header_when_read_by_a_person() -> None:
    text = render(DEMO, [STATUS], VALUES, "7.1", "demo==1.0")
    assert text.startswith("/* Generated for ROCm 7.1 from demo==1.0, hip/cdemo.pxd.\n")
    assert "Declarations for checking that code compiles" in text


def test_enum_when_written() -> None:
    text = written(DEMO, STATUS, Enum("", ("DEMO_A",)))
    assert "typedef enum demoStatus_t {\n  DEMO_OK = 0,\n  DEMO_BAD = -3,\n} demoStatus_t;" in text
    assert "enum {\n  DEMO_A = 1,\n};" in text


def test_enum_when_two_headers_declare_it() -> None:
    text = written(replace(DEMO, guards={"demoStatus_t": "DEMO_STATUS_DECLARED"}), STATUS)
    assert "#ifndef DEMO_STATUS_DECLARED\n#define DEMO_STATUS_DECLARED\ntypedef enum" in text


def test_constants_when_written() -> None:
    text = written(DEMO, Constant("DEMO_VERSION"), Constant("DEMO_NAME"))
    assert '#define DEMO_VERSION (203)\n#define DEMO_NAME "demo"\n' in text


def test_value_when_unknown() -> None:
    with pytest.raises(ToolchainError, match=r"^no value is known for DEMO_NEW; regenerate "):
        written(DEMO, Constant("DEMO_NEW"))


def test_names_when_other_headers_have_them() -> None:
    library = replace(DEMO, skip=("uint4",))
    strangers = (
        Record("struct", "uint4", ("unsigned int x",)),
        Enum("", ("FP_NAN", "FP_ZERO")),
        Prototype("int", "__demo_has_symbol", "const char* name"),
    )
    assert written(library, *strangers) == written(library)


def test_types_when_the_stub_names_the_wrong_one() -> None:
    library = replace(DEMO, parameter_types=((r"demoH\w+", "unsigned short", "demoHalf"),))
    text = written(
        library,
        Prototype("int", "demoHgemm", "const unsigned short * a"),
        Prototype("int", "demoSgemm", "const unsigned short * a"),
    )
    assert "int demoHgemm(const demoHalf * a);" in text
    assert "int demoSgemm(const unsigned short * a);" in text


def test_variant_when_one_macro_chooses_it() -> None:
    text = written(
        replace(DEMO, variant=("DEMO_V2", "_v2")),
        Prototype("int", "demoRun", "void * h"),
        Prototype("int", "demoRun_v2", "void * h"),
        Prototype("int", "demoRun_64", "void * h"),
        Prototype("int", "demoRun_v2_64", "void * h"),
        Prototype("int", "demoStop", ""),
    )
    defines = "#define demoRun demoRun_v2\n#define demoRun_64 demoRun_v2_64\n"
    assert text.endswith(f"#ifdef DEMO_V2\n{defines}#endif\n\n")
    assert "int demoStop(void);" in text


def test_initializer_when_a_struct_has_one() -> None:
    config = Record(
        "struct",
        "demoConfig_v2",
        ("size_t size", "unsigned magic", "unsigned version", "int n", "const char * s", "float t"),
    )
    library = replace(DEMO, initializers={"DEMO_INIT": (r"demoConfig_v\d+", "0xcafe")})
    assert (
        "#define DEMO_INIT { sizeof(struct demoConfig_v2), 0xcafe, NCCL_VERSION_CODE, "
        "NCCL_CONFIG_UNDEF_INT, NCCL_CONFIG_UNDEF_PTR, NCCL_UNDEF_FLOAT }"
    ) in written(library, config)


def test_records_when_opaque_or_not() -> None:
    text = written(
        DEMO,
        Record("struct", "demoOpaque", ()),
        Typedef("demoHandle_t", "demoOpaque * demoHandle_t"),
        Record("union", "demoValue", ("int i",)),
    )
    assert "typedef struct demoOpaque demoOpaque;\ntypedef demoOpaque * demoHandle_t;" in text
    assert "typedef union demoValue demoValue;\nunion demoValue {\n  int i;\n};" in text


@pytest.mark.parametrize("stubs", STUB_SETS, ids=lambda s: s.values)
def test_values_when_loaded(stubs: object) -> None:
    assert stubs in STUB_SETS
    for stub_set in STUB_SETS:
        loaded = values.load(stub_set.values)
        assert set(loaded) == {library.module for library in stub_set.libraries}


def test_libraries_when_they_borrow() -> None:
    modules = {library.module for library in STUBS_7_1.libraries}
    lent = [library.borrowed for library in STUBS_7_1.libraries if library.borrowed]
    assert lent
    assert {item.module for item in lent} <= modules


def generated(tree: Sysroot) -> list[str]:
    """Return the generated headers of a tree."""
    return sorted(n for n, header in tree.headers.items() if header.origin is Origin.GENERATED)


def compile_text(tree: Sysroot, text: str, *flags: str) -> str:
    """Compile text against a tree; return the errors."""
    command = ["clang-19", *flags, "-D__HIP_PLATFORM_AMD__", "-isystem", str(tree.include)]
    command += ["-w", "-fsyntax-only", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return "\n".join(line for line in done.stderr.splitlines() if "error" in line)


def hip_flags(tree: Sysroot, side: str) -> tuple[str, ...]:
    """Return the flags that compile one side of HIP."""
    place = f"--rocm-path={tree.path}"
    return ("-x", "hip", "--offload-arch=gfx942", f"--offload-{side}-only", "-nogpulib", place)


@pytest.mark.parametrize("language", [("-x", "c"), ("-x", "c++", "-std=c++17")], ids=["c", "c++"])
@pytest.mark.parametrize("release", ["7.1", pytest.param("6.2", marks=pytest.mark.soak)])
def test_headers_when_compiled_for_the_host(
    sysroot: Sysroot, sysroot_6_2: Sysroot, language: tuple[str, ...], release: str
) -> None:
    tree = {"7.1": sysroot, "6.2": sysroot_6_2}[release]
    assert len(generated(tree)) >= 8
    failures = {
        name: errors
        for name in generated(tree)
        if (errors := compile_text(tree, f"#include <{name}>\n", *language))
    }
    assert failures == {}


@pytest.mark.parametrize("macro", ["-DHIPBLAS_V2", "-DHIPBLAS_USE_HIP_HALF"])
def test_headers_when_all_are_in_one_unit(
    sysroot: Sysroot, sysroot_6_2: Sysroot, macro: str
) -> None:
    for tree in (sysroot, sysroot_6_2):
        text = "".join(f"#include <{name}>\n" for name in generated(tree))
        for order in (text, "".join(reversed(text.splitlines(keepends=True)))):
            assert compile_text(tree, order, *hip_flags(tree, "device"), macro) == ""


CALLS = """
#include <hipblas/hipblas.h>
#include <hipfft/hipfft.h>
#include <hiprand/hiprand.h>
#include <hipsolver/hipsolver.h>
#include <hipsparse/hipsparse.h>
#include <hip/hiprtc.h>
#include <rccl/rccl.h>
int gemm(hipblasHandle_t h, void *x) {
  float one = 1;
  return hipblasGemmEx(h, HIPBLAS_OP_N, HIPBLAS_OP_T, 1, 1, 1, &one, x, HIP_R_16F, 1, x, HIP_R_16F,
                       1, &one, x, HIP_R_16F, 1, HIPBLAS_COMPUTE_32F, HIPBLAS_GEMM_DEFAULT);
}
int complex(hipblasHandle_t h, const hipComplex *a, hipComplex *c) {
  return hipblasCgemm(h, HIPBLAS_OP_N, HIPBLAS_OP_C, 1, 1, 1, a, a, 1, a, 1, a, c, 1) +
         hipblasCgerc(h, 1, 1, a, a, 1, a, 1, c, 1);
}
int fft(hipfftHandle plan, hipfftComplex *data) {
  return hipfftPlan1d(&plan, 8, HIPFFT_C2C, 1) +
         hipfftExecC2C(plan, data, data, HIPFFT_FORWARD);
}
int solve(hipsolverDnHandle_t h, float *a, int *n) {
  hipsolverFillMode_t fill = HIPSOLVER_FILL_MODE_LOWER;
  return hipsolverDnSpotrf_bufferSize(h, fill, 4, a, 4, n) +
         hipsolverDnSgetrf_bufferSize(h, 4, 4, a, 4, n);
}
int draw(hiprandGenerator_t g, float *out, __half *half) {
  return hiprandGenerateUniform(g, out, 4) + hiprandGenerateUniformHalf(g, half, 4);
}
int sparse(hipsparseHandle_t h, hipsparseDnVecDescr_t v, float *x) {
  return hipsparseCreateDnVec(&v, 4, x, HIP_R_32F) + hipsparseDestroy(h);
}
int reduce(ncclComm_t c, float *x, hipStream_t s) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  ncclUniqueId id;
  config.blocking = 0;
  return ncclCommInitRankConfig(&c, 2, id, 0, &config) +
         ncclAllReduce(x, x, 4, ncclFloat, ncclSum, c, s);
}
int rtc(hiprtcProgram p, const char *s) { return hiprtcCreateProgram(&p, s, "a", 0, 0, 0); }
"""


@pytest.mark.parametrize("release", ["7.1", pytest.param("6.2", marks=pytest.mark.soak)])
def test_calls_when_written_as_for_rocm(
    sysroot: Sysroot, sysroot_6_2: Sysroot, release: str
) -> None:
    tree = {"7.1": sysroot, "6.2": sysroot_6_2}[release]
    for side in ("host", "device"):
        assert compile_text(tree, CALLS, *hip_flags(tree, side), "-DHIPBLAS_V2") == ""


def test_calls_when_wrong(sysroot: Sysroot) -> None:
    wrong = CALLS.replace("hipfftPlan1d(&plan, 8,", "hipfftPlan1d(plan, 8,")
    assert "no matching function" in compile_text(sysroot, wrong, *hip_flags(sysroot, "host"))


def known_values() -> Mapping[str, Value]:
    """Return the values of hipBLAS, some of which AMD's hipblas-common.h has too."""
    return values.load(STUBS_7_1.values)["hipblas"]


def test_values_when_compared_with_amds_header(sysroot: Sysroot) -> None:
    """hipblas-common.h is AMD's own, so it can contradict what was read from the bindings."""
    header = (sysroot.include / "hipblas-common/hipblas-common.h").read_text()
    names = [name for name in known_values() if re.search(rf"\b{name}\b", header)]
    assert len(names) > 20
    asserts = "".join(f'_Static_assert({name} == {known_values()[name]}, "");\n' for name in names)
    text = f"#include <hipblas-common/hipblas-common.h>\n{asserts}"
    assert compile_text(sysroot, text, "-x", "c") == ""


def test_sources_when_said_in_the_header(sysroot: Sysroot) -> None:
    for stub_set in STUB_SETS[::2]:
        text = Path(sysroot.include / stub_set.libraries[0].header).read_text()
        assert stub_set.wheel.pin in text
