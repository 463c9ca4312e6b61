"""What programs of a build say, as located problems."""

import pytest

from porting.building.problems import Problem, problems

GCC = "src/a.cpp: In function 'int main()':\nsrc/a.cpp:7:3: error: 'x' was not declared\n"
NVCC = 'kernels/k.cu(12): error: identifier "foo" is undefined\n\n1 error detected in k.cu.\n'
CMAKE = "CMake Error at CMakeLists.txt:14 (find_path):\n  Could not find NCCL_INCLUDE_DIR\n"
RUST = "error[E0425]: cannot find function `f` in this scope\n  --> src/lib.rs:10:5\n   |\n"
MAKE = "Makefile:3: *** missing separator.  Stop.\n"
MESON = "\nmeson.build:1:0: ERROR: Unknown compiler(s): [['nvcc']]\n"
PYTHON = (
    'Traceback (most recent call last):\n  File "setup.py", line 3, in <module>\n'
    "    import torch\nModuleNotFoundError: No module named 'torch'\n"
)
LINKER = (
    "/usr/bin/ld: k.o: in function `f':\nk.cpp:(.text+0x5): undefined reference to `cudaMalloc'\n"
    "collect2: error: ld returned 1 exit status\n"
)


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (GCC, Problem("'x' was not declared", "src/a.cpp", 7)),
        (NVCC, Problem('identifier "foo" is undefined', "kernels/k.cu", 12)),
        (CMAKE, Problem("Could not find NCCL_INCLUDE_DIR", "CMakeLists.txt", 14)),
        (RUST, Problem("cannot find function `f` in this scope", "src/lib.rs", 10)),
        (MAKE, Problem("*** missing separator. Stop.", "Makefile", 3)),
        (MESON, Problem("Unknown compiler(s): [['nvcc']]", "meson.build", 1)),
        (PYTHON, Problem("ModuleNotFoundError: No module named 'torch'", "setup.py", 3)),
        (LINKER, Problem("undefined reference to `cudaMalloc'")),
    ],
    ids=["gcc", "nvcc", "cmake", "rustc", "make", "meson", "python", "ld"],
)
def test_problem_when_a_program_tells_it(output: str, expected: Problem) -> None:
    assert (
        problems(f"[ 10%] building\n{output}make: *** [Makefile:9: all] Error 1\n")[0] == expected
    )


LOST_TARGET = """\
CMake Error at CMakeLists.txt:36 (target_link_libraries):
  Target "imgproc" links to:

    CUDA::cuda_driver

  but the target was not found.  Possible reasons include:

    * There is a typo in the target name.
    * An ALIAS target is missing.

Call Stack (most recent call first):
  CMakeLists.txt:2 (include)


CMake Error at sub/CMakeLists.txt:3 (message):
  no


-- Configuring incomplete, errors occurred!
"""


def test_problems_when_cmake_tells_them_over_many_lines() -> None:
    assert problems(f"-- The CXX compiler\n{LOST_TARGET}") == [
        Problem(
            'Target "imgproc" links to: CUDA::cuda_driver but the target was not found.',
            "CMakeLists.txt",
            36,
        ),
        Problem("no", "sub/CMakeLists.txt", 3),
    ]


@pytest.mark.parametrize(
    "wrapper",
    [
        (
            'Traceback (most recent call last):\n  File "setup.py", line 3, in <module>\n'
            "    subprocess.check_call(words)\n"
            "subprocess.CalledProcessError: Command '['nvcc']' returned non-zero exit status 1.\n"
        ),
        "error: command '/usr/bin/g++' failed with exit code 1\n",
        "error: failed to run custom build command for `x v0.1.0`\n  --> x/build.rs:1:1\n",
    ],
)
def test_problems_when_a_program_tells_that_another_failed(wrapper: str) -> None:
    """One fault counts once, and is what the first one says; alone it is told all the same."""
    missing = "src/a.cpp:2:10: fatal error: x.h: No such file or directory\n"
    assert [problem.text for problem in problems(missing + wrapper)] == [
        "x.h: No such file or directory"
    ]
    assert len(problems(wrapper)) == 1


def test_problems_when_there_are_many() -> None:
    output = "".join(f"a.cpp:{line}:1: error: no\n" for line in range(1, 100))
    assert [problem.line for problem in problems(output)] == list(range(1, 21))


def test_problems_when_nothing_is_told() -> None:
    assert problems("all is well\n") == []
