"""Which plan a built file follows, and what is wrong with it."""

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from porting.toolkits.cuda import CudaHome
    from tests.porting.link.conftest import Bench

HIDDEN = '__attribute__((visibility("hidden")))'


def test_plan_when_healthy_for_rocm(bench: "Bench") -> None:
    file = bench.one(bench.hip_user(), platform="rocm")
    assert (file.follows, file.findings) == ("rocm", ())
    assert file.places["libamdhip64.so.7"] == str(bench.rocm / "libamdhip64.so.7")


def test_plan_when_healthy_for_cuda(bench: "Bench") -> None:
    shared = bench.one(bench.cuda_user(), platform="cuda")
    static = bench.one(bench.static_cuda_user(), platform="cuda")
    assert (shared.follows, [f.code for f in shared.findings]) == ("cuda-shared", ["LNK006"])
    assert (static.follows, static.findings) == ("cuda-static", ())


def test_plan_when_a_static_cudart_is_stripped(bench: "Bench") -> None:
    path = bench.static_cuda_user()
    subprocess.run(["strip", path], check=True, timeout=50)
    assert bench.one(path).follows == "cuda-static"


@pytest.mark.parametrize("stripped", [False, True])
def test_plan_when_forwarders_have_the_names_of_cudart(bench: "Bench", *, stripped: bool) -> None:
    """Those that a ported crate has: hidden functions under CUDA's names that call HIP."""
    forwarders = (
        "extern int hipMalloc(void **, long); extern int hipFree(void *);"
        f"{HIDDEN} int cudaGetDeviceCount(int *n) {{ return hipFree(n); }}"
        f"{HIDDEN} int cudaMalloc(void **p, long n) {{ return hipMalloc(p, n); }}"
        "int use(int *n) { return cudaGetDeviceCount(n) + cudaMalloc(0, 1); }"
    )
    library = bench.hip_library()
    path = bench.build("a.so", forwarders, library, f"-Wl,-rpath,{bench.rocm}")
    if stripped:
        subprocess.run(["strip", path], check=True, timeout=50)
    file = bench.one(path)
    assert file.follows == "rocm"
    assert "LNK016" not in [finding.code for finding in file.findings]


@pytest.mark.parametrize("stripped", [False, True])
@pytest.mark.parametrize("with_rocm", [False, True])
def test_plan_when_nvidias_own_cudart_is_linked_in(
    bench: "Bench", cuda_home: "CudaHome", *, with_rocm: bool, stripped: bool
) -> None:
    text = "int cudaFree(void *); int use(void) { return cudaFree(0); }"
    rocm = [bench.hip_library()] if with_rocm else []
    static = cuda_home.path / "lib64/libcudart_static.a"
    path = bench.build("a.so", text, *rocm, static, "-ldl", "-lpthread", "-lrt")
    if stripped:
        subprocess.run(["strip", path], check=True, timeout=50)
    file = bench.one(path)
    assert file.follows == ("mixed" if with_rocm else "cuda-static")
    assert ("LNK016" in [finding.code for finding in file.findings]) is with_rocm


def test_plan_when_kernels_are_registered_inside_a_stripped_file(bench: "Bench") -> None:
    """Objects of nvcc call __cudaRegisterFatBinary: undefined means that cudart is shared."""
    segment = '__attribute__((section(".nvFatBinSegment"), used)) int fatbin = 1;'
    call = (
        "extern int __cudaRegisterFatBinary(void); int r(void){return __cudaRegisterFatBinary();}"
    )
    shared = bench.build("a.so", segment + call, bench.cuda_library())
    held = f"{HIDDEN} int __cudaRegisterFatBinary(void) {{ return 1; }}"
    static = bench.build("b.so", segment + held + call)
    for path, plan in ((shared, "cuda-shared"), (static, "cuda-static")):
        subprocess.run(["strip", path], check=True, timeout=50)
        assert bench.one(path, separate=True).follows == plan


def test_plan_when_no_gpu_is_used(bench: "Bench") -> None:
    file = bench.one(bench.build("a.so", "int cu(void) { return 1; }"))
    assert (file.follows, file.findings) == ("none", ())


def test_plan_when_a_library_gives_cudarts_functions_to_others(bench: "Bench") -> None:
    """An emulator of cudart defines its functions for all to see: nothing is linked in."""
    path = bench.build("libemulated.so", "int cudaGetDeviceCount(int *n) { return 35; }")
    assert bench.one(path).follows == "none"


@pytest.mark.parametrize(
    ("name", "plan"), [("libcudart.so.13", "cuda-shared"), ("libamdhip64.so.7", "rocm")]
)
def test_plan_when_the_file_is_a_vendors_own(bench: "Bench", name: str, plan: str) -> None:
    path = bench.library(bench.root / name, name, "int cudaGetDeviceCount(int*n){return 0;}")
    assert bench.one(path).follows == plan


def test_plan_when_not_linked_yet(bench: "Bench") -> None:
    cuda = bench.build(
        "a.o", "int cudaFree(void*); int f(void){return cudaFree(0);}", "-c", shared=False
    )
    hip = bench.build(
        "b.o", "int hipFree(void*); int f(void){return hipFree(0);}", "-c", shared=False
    )
    plans = [file.follows for file in bench.audit(cuda, hip).files]
    assert plans == ["cuda", "rocm"]


def test_platform_when_another_was_asked_about(bench: "Bench") -> None:
    path = bench.hip_user()
    (finding,) = bench.one(path, platform="cuda").findings
    assert finding.code == "LNK017"
    assert finding.message == "the file follows the plan rocm, and cuda was asked about"
    assert bench.codes(bench.static_cuda_user(), platform="rocm") == ["LNK017"]
    assert bench.codes(path, platform="rocm") == []


def test_file_when_linked_with_both_vendors(bench: "Bench") -> None:
    source = "int hipMalloc(void**,long); int use(void){ return hipMalloc(0,1) + cudaMalloc(0,1); }"
    flags = (bench.hip_library(), bench.cuda_library(), f"-Wl,-rpath,{bench.rocm}:{bench.cuda}")
    file = bench.one(bench.build("a.so", source, *flags))
    assert file.follows == "mixed"
    messages = {finding.code: finding.message for finding in file.findings}
    both = "the file is linked with libcudart.so.13 and with libamdhip64.so.7"
    assert messages["LNK016"] == both
    assert "LNK008" not in messages  # the cudart that it needs defines the function


def test_cudarts_when_one_file_holds_one_and_needs_another(bench: "Bench") -> None:
    path = bench.static_cuda_user("a.so", bench.cuda_library(), f"-Wl,-rpath,{bench.cuda}")
    findings = {f.code: f for f in bench.one(path).findings}
    message = "the file holds a static cudart and needs libcudart.so.13 too"
    assert findings["LNK001"].message == message
    assert "LNK001" not in bench.codes(bench.static_cuda_user("b.so"))


def test_driver_when_linked_and_when_opened(bench: "Bench") -> None:
    driver = bench.library(
        bench.cuda / "libcuda.so.1", "libcuda.so.1", "int cuInit(int f){return 0;}"
    )
    source = "int cuInit(int); int use(void) { return cuInit(0); }"
    finding, absent = bench.one(bench.build("a.so", source, driver)).findings
    assert absent.code == "LNK019"
    assert (finding.code, finding.severity, finding.symbol) == ("LNK018", "warning", "libcuda.so.1")
    assert finding.message.endswith("the file does not load on a machine without the driver")
    opened = 'void *dlopen(const char*,int); void *o(void) { return dlopen("libcuda.so.1", 2); }'
    file = bench.one(bench.build("b.so", opened))
    assert (file.findings, file.file.libraries) == ((), ("libcuda.so.1",))


def test_communication_when_linked(bench: "Bench") -> None:
    rccl = bench.library(
        bench.rocm / "librccl.so.1", "librccl.so.1", "int ncclGetVersion(int*v){return 0;}"
    )
    (finding,) = bench.one(bench.hip_user("a.so", rccl)).findings
    assert (finding.code, finding.severity) == ("LNK018", "note")
    assert bench.audit(bench.root / "a.so").exit_code == 0


def test_texts_when_a_rocm_file_names_cudas_libraries(bench: "Bench") -> None:
    text = 'const char *name(void) { return "libnccl.so.2"; }'
    source = "int hipMalloc(void**,long); int use(void) { return hipMalloc(0,1); }" + text
    flags = (bench.hip_library(), f"-Wl,-rpath,{bench.rocm}")
    (finding,) = bench.one(bench.build("a.so", source, *flags)).findings
    assert (finding.code, finding.severity) == ("LNK021", "note")
    assert finding.help == "in its place ROCm has librccl.so.1"


def test_functions_of_cuda_when_left_in_a_rocm_file(bench: "Bench") -> None:
    source = (
        "int f(void) { return hipMalloc(0,1) + cudaMalloc(0,1) + cuMemFree_v2(0) + my_cuda(0); }"
    )
    path = bench.build("a.so", source, bench.hip_library(), f"-Wl,-rpath,{bench.rocm}")
    findings = bench.one(path).findings
    assert [(f.code, f.symbol) for f in findings] == [
        ("LNK008", "cuMemFree_v2"),
        ("LNK008", "cudaMalloc"),
    ]
    assert findings[1].message == "cudaMalloc is undefined, and no library of ROCm defines it"
    assert findings[1].help == "HIP's is hipMalloc; port the source that calls it"
    assert "hipFree" in findings[0].help


def test_functions_of_cuda_when_optional_or_defined_elsewhere(bench: "Bench") -> None:
    weak = "extern int cudaMalloc(void**,long) __attribute__((weak)); int cudaFree(void*);"
    source = (
        weak + "int f(void){return hipMalloc(0,1) + (cudaMalloc ? cudaMalloc(0,1) : cudaFree(0));}"
    )
    shim = bench.library(
        bench.rocm / "libshim.so", "libshim.so", "int cudaFree(void *p) { return 0; }"
    )
    path = bench.build("a.so", source, bench.hip_library(), shim, f"-Wl,-rpath,{bench.rocm}")
    assert bench.codes(path) == []


def test_functions_of_hip_when_left_in_a_cuda_file(bench: "Bench") -> None:
    source = "int f(void) { return cudaMalloc(0,1) + hipFree(0); }"
    path = bench.build("a.so", source, bench.cuda_library())
    (finding, _) = bench.one(path).findings
    assert (finding.code, finding.symbol) == ("LNK009", "hipFree")
    assert "LNK009" not in bench.codes(bench.cuda_user("b.so"))


def test_audit_when_a_file_is_no_binary(bench: "Bench") -> None:
    text = bench.root / "notes.txt"
    text.write_text("nothing")
    result = bench.audit(text, bench.hip_user())
    assert result.exit_code == 2
    assert [path for path, _ in result.unreadable] == [str(text)]
    assert len(result.files) == 1


def test_folder_when_given_in_place_of_files(bench: "Bench") -> None:
    path = bench.hip_user("package/ext.so")
    (path.parent / "notes.txt").write_text("no binary")
    (path.parent / "link.so").symlink_to(path)
    files = bench.audit(path.parent).files
    assert [Path(file.file.name) for file in files] == [path]
