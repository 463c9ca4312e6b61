"""Text that is opened, looked up, asked for or compiled at run time."""

from collections.abc import Callable
from typing import Any

import pytest

from porting.rules import collect_project, strings
from porting.source import SourceFile

LOAD = "void* h = dlopen(name, 1); void* s = dlsym(h, symbol);\n"


@pytest.mark.parametrize(
    ("rocm", "old", "new"),
    [
        ("7.1", "libcuda.so.1", "libamdhip64.so.7"),
        ("6.4", "libcuda.so.1", "libamdhip64.so.6"),
        ("7.1", "libcuda.so", "libamdhip64.so"),
        ("7.1", "libcudart.so.12", "libamdhip64.so.7"),
        ("7.1", "libcudart.so.12.0", "libamdhip64.so.7"),
        ("7.1", "libnccl.so.2", "librccl.so.1"),
        ("7.1", "libnvrtc.so.12", "libhiprtc.so.7"),
        ("7.1", "libcublas.so.12", "libhipblas.so.3"),
        ("6.4", "libcublas.so.12", "libhipblas.so.2"),
        ("7.1", "libcublasLt.so.12", "libhipblaslt.so.1"),
        ("7.1", "libcufft.so.11", "libhipfft.so.0"),
        ("7.1", "libcusparse.so.12", "libhipsparse.so.4"),
        ("7.1", "libcusolver.so.11", "libhipsolver.so.1"),
        ("7.1", "libcurand.so.10", "libhiprand.so.1"),
        ("7.1", "libnvToolsExt.so.1", "libroctx64.so.4"),
        ("7.1", "/usr/lib/libcuda.so.1", "/usr/lib/libamdhip64.so.7"),
        ("7.1", "nvcuda.dll", "amdhip64_7.dll"),
    ],
)
def test_library_gets_the_name_of_the_release(
    ported: Callable[..., Any], rocm: str, old: str, new: str
) -> None:
    done = ported(strings.check, f'void* h = dlopen("{old}", RTLD_NOW);\n', rocm)
    assert done.text == f'void* h = dlopen("{new}", RTLD_NOW);\n'
    assert {(d.code, d.topic, d.severity.value) for d in done.findings} == {
        ("STR001", "dlopen-string", "note")
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('#define LIB "libcuda.so.1"\n', '#define LIB "libamdhip64.so.7"\n'),
        (
            'const char* a[] = {"libcuda.so", "libcuda.so.1"};',
            'const char* a[] = {"libamdhip64.so", "libamdhip64.so.7"};',
        ),
        ('f(R"(libcuda.so.1)", u8"libnccl.so.2");', 'f(R"(libamdhip64.so.7)", u8"librccl.so.1");'),
        (
            'puts("cannot open libcuda.so.1: %s\\n");',
            'puts("cannot open libamdhip64.so.7: %s\\n");',
        ),
        ('puts("cannot open libcuda.so.");', 'puts("cannot open libamdhip64.so.");'),
        ('f("libcuda.so.1"s);', 'f("libamdhip64.so.7"s);'),
    ],
)
def test_library_is_renamed_wherever_it_is_named(
    ported: Callable[..., Any], text: str, expected: str
) -> None:
    assert ported(strings.check, text).text == expected


@pytest.mark.parametrize(
    "text",
    [
        '"libcurl.so.4"; "libcudaX.so"; "mylibcuda.so"; "libcuda.so.old";',
        "// libcuda.so.1\n/* libnccl.so.2 */",
        'puts("GPU driver library not found\\n");',
        'puts("libnvidia-ml.so.1 is missing");',
        '#include "libcuda.so"\n#error "libcuda.so.1"\n',
        '#ifdef USE_ROCM\n#else\nf("libcuda.so.1");\n#endif\n',
    ],
)
def test_other_text_stays_without_a_word(ported: Callable[..., Any], text: str) -> None:
    done = ported(strings.check, text)
    assert done.text == text
    assert done.findings == ()


@pytest.mark.parametrize(
    ("library", "word"),
    [
        ("libnvidia-ml.so.1", "AMD SMI"),
        ("libcudnn.so.9", "MIOpen"),
        ("libcupti.so.12", "rocprofiler"),
    ],
)
def test_library_without_drop_in_is_an_error_that_names_another(
    ported: Callable[..., Any], library: str, word: str
) -> None:
    done = ported(strings.check, f'dlopen("{library}", 1);')
    (found,) = done.findings
    assert (found.code, found.severity.value) == ("STR002", "error")
    assert word in found.help


@pytest.mark.parametrize(
    "text",
    [
        'snprintf(b, n, "libcudart.so.%d", v);',
        'dlopen("libcuda.so" ".1", 1);',
        'dlopen("libcuda.so" VERSION, 1);',
        'std::string n = "libcudart.so." + v;',
        'std::string n = std::string("libcudart.so") + v;',
    ],
)
def test_library_name_joined_at_run_time_is_an_error(ported: Callable[..., Any], text: str) -> None:
    done = ported(strings.check, text)
    assert done.text == text
    assert [d.code for d in done.findings] == ["STR003"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('f = dlsym(h, "cuInit");', 'f = dlsym(h, "hipInit");'),
        ('f = (T)dlsym(load(), "cuDeviceGetCount");', 'f = (T)dlsym(load(), "hipGetDeviceCount");'),
        ('f = GetProcAddress(h, "cuMemAlloc_v2");', 'f = GetProcAddress(h, "hipMalloc");'),
        (
            'f = dlsym(h, "cudaGetDeviceProperties");',
            'f = dlsym(h, "hipGetDevicePropertiesR0600");',
        ),
        (
            'f = dlsym(h, v2 ? "cuMemAlloc_v2" : "cuMemAlloc");',
            'f = dlsym(h, v2 ? "hipMalloc" : "hipMalloc");',
        ),
        ('f = dlsym(h, (const char*)("cuInit"));', 'f = dlsym(h, (const char*)("hipInit"));'),
        (
            f'{LOAD}E t[] = {{{{"cuInit", &a}}, {{"cuCtxSynchronize", &b}}}};',
            f'{LOAD}E t[] = {{{{"hipInit", &a}}, {{"hipCtxSynchronize", &b}}}};',
        ),
        (f'{LOAD}const char* n = "cuInit";', f'{LOAD}const char* n = "hipInit";'),
        (f'{LOAD}auto f = symbol_of<F>("cuInit");', f'{LOAD}auto f = symbol_of<F>("hipInit");'),
        (f'{LOAD}auto f = load<F>("cuInit");', f'{LOAD}auto f = load<F>("hipInit");'),
        (f'{LOAD}bind(&pfn_cuInit, "cuInit");', f'{LOAD}bind(&pfn_cuInit, "hipInit");'),
        ('f = dlsym(h, "ncclAllReduce");', 'f = dlsym(h, "ncclAllReduce");'),
        ('f = dlsym(h, "nvrtcCreateProgram");', 'f = dlsym(h, "hiprtcCreateProgram");'),
    ],
)
def test_looked_up_symbol_follows(ported: Callable[..., Any], text: str, expected: str) -> None:
    assert ported(strings.check, text, path="a.cpp").text == expected


@pytest.mark.parametrize(
    "text",
    [
        'puts("cudaMalloc failed; see cudaGetLastError docs");',
        'check(cudaMalloc(&p, 4), "cudaMalloc");',
        f'{LOAD}log_error("cuInit");',
        f'{LOAD}throw std::runtime_error("cuInit");',
        'm.def("cudaMalloc", &f);',
        'const char* n = "cuInit";',
        'case 1: return "cudaMalloc";',
    ],
)
def test_name_that_is_told_to_people_stays(ported: Callable[..., Any], text: str) -> None:
    assert ported(strings.check, text, path="a.cpp").text == text


def test_a_list_of_functions_and_symbols_follows_where_the_tree_opens_the_driver(
    ported: Callable[..., Any],
) -> None:
    """The look-up itself may be in another tree, behind an interface of its own."""
    listed = '#define LIST(X) X(cuInit, "cuInit") X(cuMemFree, "cuMemFree_v2")\n'
    opens = SourceFile("open.cpp", b'auto lib = Library::open("libcuda.so.1");\n')
    tree = collect_project([opens, SourceFile("k.cu", listed.encode())])
    done = ported(strings.check, listed, project=tree)
    assert done.text == '#define LIST(X) X(cuInit, "hipInit") X(cuMemFree, "hipFree")\n'


def test_message_in_the_same_function_follows_the_symbol(ported: Callable[..., Any]) -> None:
    text = (
        'void f() { p = dlsym(h, "cuInit"); if (!p) puts("no cuInit in libcuda.so.1"); }\n'
        'void g() { puts("cuInit failed"); }\n'
    )
    expected = text.replace('"cuInit"', '"hipInit"').replace(
        "no cuInit in libcuda.so.1", "no hipInit in libamdhip64.so.7"
    )
    assert ported(strings.check, text, path="a.cpp").text == expected


@pytest.mark.parametrize("name", ["nvmlInit_v2", "cuMemcpyAsync", "cuTensorMapEncodeTiled"])
def test_symbol_that_cannot_be_replaced_is_an_error(ported: Callable[..., Any], name: str) -> None:
    text = f'f = dlsym(h, "{name}");'
    done = ported(strings.check, text, path="a.cpp")
    assert done.text == text
    assert [(d.code, d.topic, d.severity.value) for d in done.findings] == [
        ("STR005", "dlsym-string", "error")
    ]


def test_symbol_joined_at_run_time_is_an_error(ported: Callable[..., Any]) -> None:
    text = 'f = dlsym(h, (std::string("cu") + name).c_str());'
    done = ported(strings.check, text, path="a.cpp")
    assert [d.code for d in done.findings] == ["STR005"]


LEVEL = "HIP_VERSION_MAJOR * 100 + HIP_VERSION_MINOR"


@pytest.mark.parametrize(
    ("rocm", "text", "expected"),
    [
        (
            "7.1",
            "cuGetProcAddress(n, &f, 12000, flags, &st);",
            f"cuGetProcAddress(n, &f, {LEVEL}, flags, &st);",
        ),
        (
            "7.1",
            "cuGetProcAddress(n, &f, CUDA_VERSION, CU_GET_PROC_ADDRESS_DEFAULT, &st);",
            f"cuGetProcAddress(n, &f, {LEVEL}, 0, &st);",
        ),
        (
            "7.1",
            "cudaGetDriverEntryPoint(n, &f, cudaEnableDefault);",
            "hipGetDriverEntryPoint(n, &f, cudaEnableDefault, nullptr);",
        ),
        (
            "7.1",
            "cudaGetDriverEntryPointByVersion(n, &f, 12050, x, &st);",
            "hipGetDriverEntryPoint(n, &f, x, &st);",
        ),
        (
            "6.4",
            "cudaGetDriverEntryPoint(n, &f, cudaEnableDefault);",
            f"hipGetProcAddress(n, &f, {LEVEL}, 0, nullptr);",
        ),
    ],
)
def test_look_up_by_version_asks_for_hips(
    ported: Callable[..., Any], rocm: str, text: str, expected: str
) -> None:
    done = ported(strings.check, text, rocm, path="a.cpp")
    assert done.text == expected
    assert [d.code for d in done.findings] == ["STR006"]


def test_look_up_that_an_older_release_lacks_is_an_error(ported: Callable[..., Any]) -> None:
    text = "cudaGetDriverEntryPointByVersion(n, &f, 12050, x, &st);"
    done = ported(strings.check, text, "6.4", path="a.cpp")
    assert done.text == text
    assert [(d.code, d.topic) for d in done.findings] == [("STR007", "entry-point")]


def test_symbol_of_other_form_in_a_look_up_by_version_is_an_entry_point_error(
    ported: Callable[..., Any],
) -> None:
    text = 'cuGetProcAddress("cuMemcpyAsync", &f, 12050, 0, &st);'
    done = ported(strings.check, text, path="a.cpp")
    assert ("STR007", "error") in {(d.code, d.severity.value) for d in done.findings}


@pytest.mark.parametrize(
    "text",
    [
        'open("/dev/nvidia0", O_RDWR);',
        'std::ifstream f("/proc/driver/nvidia/version");',
        'f("/sys/module/nvidia_peermem/version");',
        'system("nvidia-smi -L");',
        'popen("nvidia-smi pmon", "r");',
        'const char* query = "nvidia-smi --query-gpu=name --format=csv";',
        'run("/usr/bin/nvidia-smi | grep MiB");',
        'std::string command = "nvcc -ptx " + file;',
        'std::getenv("CUDA_LAUNCH_BLOCKING");',
        'setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);',
        'const char* home = getenv("CUDA_HOME");',
    ],
)
def test_what_only_nvidias_driver_provides_is_a_warning(
    ported: Callable[..., Any], text: str
) -> None:
    done = ported(strings.check, text, path="a.cpp")
    assert done.text == text
    assert [(d.code, d.severity.value) for d in done.findings] == [("STR008", "warning")]


def test_visible_devices_variable_is_a_note_as_hip_honours_it(
    ported: Callable[..., Any],
) -> None:
    done = ported(strings.check, 'getenv("CUDA_VISIBLE_DEVICES");', path="a.cpp")
    assert [(d.code, d.severity.value) for d in done.findings] == [("STR008", "note")]


@pytest.mark.parametrize(
    "text",
    [
        'puts("set CUDA_LAUNCH_BLOCKING=1");',
        'f("nvidia");',
        'f("CUDA_HOME");',
        'f("run nvidia-smi");',
        'f("nvidia-smi not found");',
        'f("nvidia-smi - was not found");',
    ],
)
def test_prose_about_the_environment_stays_without_a_word(
    ported: Callable[..., Any], text: str
) -> None:
    assert ported(strings.check, text, path="a.cpp").findings == ()


@pytest.mark.parametrize(
    "text",
    [
        'const char* s = R"(__global__ void k(float* p) { p[0] = __shfl_sync(~0u, p[0], 1); })";',
        'const char* s = "__global__ void k(float* p) {\\n"\n "p[0] = __shfl_sync(1, p[0], 1); }";',
    ],
)
def test_device_code_in_a_string_is_a_warning_that_lists_names(
    ported: Callable[..., Any], text: str
) -> None:
    done = ported(strings.check, text, path="a.cpp")
    (found,) = done.findings
    assert (found.code, found.topic, found.severity.value) == ("STR009", "string-kernel", "warning")
    assert "__shfl_sync" in found.message
    assert found.end_line == text.count("\n") + 1


@pytest.mark.parametrize(
    "text",
    [
        'const char* p = ".version 7.0\\n.target sm_80\\n";',
        'cuModuleLoad(&m, "k.ptx");',
        'cuModuleLoad(&m, "k.cubin");',
        'const char* o[] = {"--gpu-architecture=compute_80"};',
        'nvrtcCompileProgram(p, 1, o); const char* o = "sm_90";',
    ],
)
def test_code_and_options_for_nvidia_gpus_are_errors(ported: Callable[..., Any], text: str) -> None:
    done = ported(strings.check, text, path="a.cpp")
    assert [(d.code, d.severity.value) for d in done.findings] == [("STR010", "error")]


def test_prose_about_kernels_is_no_device_code(ported: Callable[..., Any]) -> None:
    text = 'puts("call __syncthreads() in a __global__ function; compute_80 is old");'
    assert ported(strings.check, text, path="a.cpp").findings == ()


def test_function_with_another_export_is_a_warning_in_a_list_for_macros(
    ported: Callable[..., Any],
) -> None:
    done = ported(strings.check, f"{LOAD}#define LIST(X) X(cudaGetDeviceProperties) X(cuInit)\n")
    (found,) = done.findings
    assert (found.line, found.code, found.severity.value) == (2, "STR005", "warning")
    assert "hipGetDevicePropertiesR0600" in found.message
