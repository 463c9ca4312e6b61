"""Which libraries a tree uses."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from porting.link import How
from porting.link.uses import tree_uses

MakeTree = Callable[[Mapping[str, str | bytes]], Path]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("#include <cublas_v2.h>\n", {"cublas": None}),
        ("#include <cub/cub.cuh>\n", {"cub": None}),
        ("void f(void *p) { cudaFree(p); }\n", {"cudart": None}),
        ("#include <cuda.h>\nCUdeviceptr p;\n", {}),
        ("#include <cuda.h>\nvoid f() { cuInit(0); }\n", {"cuda": How.SHARED}),
        ('void *h = dlopen("libcuda.so.1", 2);\n', {"cuda": How.DLOPEN}),
        ("#include <nccl.h>\n", {"nccl": How.SHARED}),
        ('#include <nccl.h>\nvoid *h = dlopen("libnccl.so.2", 2);\n', {"nccl": How.DLOPEN}),
        ("#include <infiniband/verbs.h>\n", {"ibverbs": How.SHARED}),
        ('void *h = dlopen("libibverbs.so.1", 2);\n', {"ibverbs": How.DLOPEN}),
        ("// cublasCreate(&h); #include <cublas_v2.h>\n", {}),
        ('const char *s = "cufftPlan1d";\n', {}),
    ],
)
def test_source_when_read(make_tree: MakeTree, text: str, found: dict[str, How | None]) -> None:
    assert tree_uses(make_tree({"a.cpp": text})).ways() == found


def test_tree_when_of_several_languages(make_tree: MakeTree) -> None:
    tree = make_tree(
        {
            "k.cu": "__global__ void k() {}\n",
            "src/ffi.rs": 'extern "C" { fn cufftDestroy(plan: i32) -> i32; }\n',
            "tool.py": 'import ctypes\nlib = ctypes.CDLL("libnvidia-ml.so.1")\n',
            "notes.txt": "cusparseCreate",
            "data.h": b"\0cusolverDnCreate",
        }
    )
    uses = tree_uses(tree)
    assert uses.ways() == {"cudart": None, "cufft": None, "nvml": How.DLOPEN}
    signs = {name: uses.first(name) for name in uses.ways()}
    assert {name: (sign.file, sign.name) for name, sign in signs.items() if sign} == {
        "cudart": ("k.cu", "a CUDA source"),
        "cufft": ("src/ffi.rs", "cufftDestroy"),
        "nvml": ("tool.py", "libnvidia-ml.so.1"),
    }


def test_example_when_read() -> None:
    example = Path(__file__).parents[3] / "examples/cuda_project"
    ways = tree_uses(example).ways()
    assert ways["cuda"] is How.DLOPEN
    assert ways["nccl"] is How.DLOPEN
    assert {"cudart", "cublas"} <= ways.keys()
