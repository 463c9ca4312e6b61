"""__CUDACC_VER__, which nvcc had before CUDA 9."""

from porting.config import Target
from porting.hipify import hipify
from porting.mapping import Names
from porting.source import SourceFile

NAMES = Names.load("7.1")


def found(text: str) -> list[tuple[str, str]]:
    source = SourceFile("a.h", text.encode())
    return [(d.code, d.severity.value) for d in hipify(source, Target(), NAMES).diagnostics]


def test_old_version_of_nvcc_when_a_condition_asks_for_it_is_undefined() -> None:
    assert found("#if __CUDACC_VER__ >= 70000\nint a;\n#endif\n") == [("MAC001", "note")]


def test_old_version_of_nvcc_when_code_prints_it_is_an_error() -> None:
    assert found("int cuda = __CUDACC_VER__;\n") == [("NAM001", "error")]
