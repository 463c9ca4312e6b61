"""The table of libraries: complete, consistent with the name tables, and true of SONAMEs."""

import pytest

from porting.config import Target
from porting.errors import ConfigError, UsageError
from porting.libraries import Interface
from porting.link import How, libraries, link_plan, vendor_file
from porting.link.libraries import version_releases
from porting.mapping import Names, releases
from porting.rules.strings.sonames import DROP_INS, NO_DROP_INS, drop_in_file
from porting.toolkits.cuda.recipe import DRIVER_LIBRARIES
from porting.toolkits.cuda.recipe import LIBRARIES as CUDA_STUBS
from porting.toolkits.sysroot.hip_library import version_script
from porting.toolkits.sysroot.stub_libraries import LIBRARIES as ROCM_STUBS

# The SONAMEs that ROCm 7 carries.
ROCM_7 = (
    "libamdhip64.so.7 libhiprtc.so.7 librccl.so.1 libhipblas.so.3 libhipblaslt.so.1 libhipfft.so.0"
    " libhiprand.so.1 libhipsparse.so.4 libhipsolver.so.1 librocblas.so.5 libMIOpen.so.1"
    " libhsa-runtime64.so.1 libroctx64.so.4"
).split()


def test_tables_when_asked_which_library_their_names_need() -> None:
    tables = set(Names.load("7.1").libraries())
    headers = {"cub", "thrust", "libcudacxx"}  # have headers and namespaces only
    named = [table for library in libraries().values() for table in library.tables]
    assert set(named) == tables | headers
    assert len(named) == len(set(named))


@pytest.mark.parametrize("name", ROCM_7)
def test_soname_when_of_rocm_7(name: str) -> None:
    found = vendor_file(name)
    assert found is not None
    assert found.platform == "rocm"
    for rocm in ("7.0", "7.1", "7.2"):
        assert found.library.soname(rocm) == name


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("cudart", "libamdhip64.so.6", "libamdhip64.so.7"),
        ("cublas", "libhipblas.so.2", "libhipblas.so.3"),
        ("cublasLt", "libhipblaslt.so.0", "libhipblaslt.so.1"),
        ("cusparse", "libhipsparse.so.1", "libhipsparse.so.4"),
        ("nccl", "librccl.so.1", "librccl.so.1"),
        ("nvrtc-builtins", "libhiprtc-builtins.so.6", "libhiprtc-builtins.so.7"),
        ("nvToolsExt", "libroctx64.so.4", "libroctx64.so.4"),
    ],
)
def test_file_when_opened_by_name_is_that_of_the_release(name: str, old: str, new: str) -> None:
    assert drop_in_file(name, ".1", Target("6.4").release) == old
    assert drop_in_file(name, ".1", Target("7.2").release) == new
    assert drop_in_file(name, ".1", (10, 0)) is None


def test_libraries_when_opened_by_name_are_those_with_the_same_functions() -> None:
    assert set(DROP_INS) == {
        *("cuda", "cudart", "nvrtc", "nvrtc-builtins", "nccl", "cublas", "cublasLt", "cufft"),
        *("cufftw", "curand", "cusparse", "cusparseLt", "cusolver", "nvToolsExt"),
    }


def test_stand_ins_when_of_rocm_have_the_names_of_the_table() -> None:
    assert {stub.soname("7.1") for stub in ROCM_STUBS} <= set(ROCM_7)
    assert {stub.stub.name: stub.target for stub in ROCM_STUBS}["hipfft"] == "hip::hipfft"


def test_libraries_when_compared_with_those_of_the_cuda_home() -> None:
    for stub, soname in (*CUDA_STUBS, *DRIVER_LIBRARIES):
        found = vendor_file(soname)
        assert found is not None, soname
        assert found.library.cuda is not None, soname
        assert found.library.cuda.name == stub.name
        assert found.version  # what is linked against carries a number
        assert found.is_of_driver is any(soname == name for _, name in DRIVER_LIBRARIES)


def test_libraries_when_known_to_the_rules() -> None:
    """A library without counterpart has advice; one with another interface says so."""
    by_name = {library.cuda.name: library for library in libraries().values() if library.cuda}
    for name, library in by_name.items():
        if library.rocm.how is How.NONE:
            assert name in NO_DROP_INS
        elif library.interface is Interface.SAME and library.rocm.how is not How.HEADERS:
            assert name in {*DROP_INS, "ibverbs"}


def test_rows_when_checked_for_completeness() -> None:
    for name, library in libraries().items():
        rocm = library.rocm
        linked = rocm.how in (How.SHARED, How.DLOPEN)
        assert linked is bool(library.majors), name
        assert bool(rocm.package) is bool(rocm.target), name
        assert (library.interface is Interface.MISSING) is (rocm.how is How.NONE), name
        assert (library.interface is Interface.ROCM) is (library.cuda is None), name
        if library.cuda and library.cuda.how is How.DLOPEN:
            assert library.version, name  # what is opened by name has a number
        assert list(library.majors) == sorted(library.majors), name


def test_major_when_the_release_is_not_known_yet() -> None:
    hip = libraries()["cudart"]
    assert (hip.major("6.4"), hip.major("7.2"), hip.major("10.0")) == ("6", "7", None)
    assert hip.soname("10.0") == "libamdhip64.so"


@pytest.mark.parametrize(
    ("name", "library", "version"),
    [
        ("libcudart.so.12", "cudart", "12"),
        ("libcudart-9335f6a2.so.12.4.99", "cudart", "12.4.99"),
        ("/opt/rocm/lib/libamdhip64.so.7.1.25424", "cudart", "7.1.25424"),
        ("libnvidia-ml.so.1", "nvml", "1"),
        ("libhiprtc-builtins.so.7", "hiprtc-builtins", "7"),
    ],
)
def test_vendor_file_when_named(name: str, library: str, version: str) -> None:
    found = vendor_file(name)
    assert found is not None
    assert (found.library.id, found.version) == (library, version)
    assert found.major == version.partition(".")[0]


@pytest.mark.parametrize("name", ["libc.so.6", "libcudartish.so.1", "libcudart.a", "amdhip64", ""])
def test_vendor_file_when_it_is_none(name: str) -> None:
    assert vendor_file(name) is None


def test_symbol_versions_when_compared_with_those_measured() -> None:
    """The nodes of the generated libamdhip64 are those seen in real files."""
    names = {"hipMalloc", "hipGraphLaunch", "hipMemCreate", "hipGetDevicePropertiesR0600"}
    nodes = [word for word in version_script(names).split() if word.startswith("hip_")]
    assert {node.strip(";") for node in nodes} <= version_releases().keys()
    assert set(version_releases().values()) <= {Target(r.name).release for r in releases()}


def test_plan_when_for_each_platform() -> None:
    uses = ["cudart", "cuda", "cublas", "nccl", "nvjpeg"]
    rocm = link_plan("rocm", Target("6.4", ("gfx942",)), uses)
    assert [(item.name, item.how, item.soname) for item in rocm.libraries] == [
        ("amdhip64", "shared", "libamdhip64.so.6"),
        ("hipblas", "shared", "libhipblas.so.2"),
        ("rccl", "dlopen", "librccl.so.1"),
    ]
    assert (rocm.archs, rocm.runpath, rocm.system) == (("gfx942",), ("lib",), ("dl",))
    assert rocm.missing == (("nvjpeg", NO_DROP_INS["nvjpeg"]),)
    cuda = link_plan("cuda", Target(), uses)
    assert [(item.name, item.how, item.soname) for item in cuda.libraries] == [
        ("cudart_static", "static", ""),
        ("cuda", "dlopen", "libcuda.so.1"),
        ("cublas", "shared", "libcublas.so"),
        ("nccl", "dlopen", "libnccl.so.2"),
        ("nvjpeg", "shared", "libnvjpeg.so"),
    ]
    assert (cuda.archs, cuda.runpath, cuda.system) == ((), (), ("rt", "pthread", "dl"))


def test_plan_when_a_tree_links_what_is_opened_by_default() -> None:
    plan = link_plan("rocm", Target(), {"nccl": How.SHARED, "cublas": How.DLOPEN})
    assert {item.name: item.how for item in plan.libraries} == {
        "hipblas": "dlopen",
        "rccl": "shared",
    }


def test_plan_when_asked_for_the_unknown() -> None:
    with pytest.raises(
        UsageError, match=r"^'cublass' is no library of the link plan; it knows cud"
    ):
        link_plan("rocm", Target(), ["cublass"])
    with pytest.raises(UsageError, match=r"^'metal' is no platform; one of cuda, rocm is needed$"):
        link_plan("metal", Target())
    with pytest.raises(ConfigError, match="is not a ROCm release"):
        libraries()["cudart"].major("seven")
