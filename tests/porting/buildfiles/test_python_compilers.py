"""Build scripts that make setuptools run nvcc: its path, its options, the folder of the runtime."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from porting.buildfiles import BuildFiles
from porting.config import Mode

Convert = Callable[..., BuildFiles]
Write = Callable[..., Path]

FINDS = {
    "own function": "def find_in_path(name, path):\n    return '/opt/nv/bin/' + name\n"
    "nvcc = find_in_path('nvcc', os.environ['PATH'])\n",
    "join": "from os.path import join as pjoin\nnvcc = pjoin('/opt/nv', 'bin', 'nvcc')\n",
    "sum": "nvcc = '/opt/nv' + '/bin/nvcc'\n",
    "text": "home = '/opt/nv'\nnvcc = f'{home}/bin/nvcc'\n",
}
LITERAL = """\
class Compiler:
    def set_executable(self, key, value): self.path = value
    def set_executables(self, **paths): self.path = paths["compiler_so"]
compiler = Compiler()
"""


def _printed(script: Path, platform: str, rocm: Path) -> Any:  # noqa: ANN401 - what JSON has
    environment = {"PATH": "/usr/bin:/bin", "GPU_PLATFORM": platform, "ROCM_PATH": str(rocm)}
    command = [sys.executable, str(script)]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=50, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def rocm(tmp_path: Path) -> Path:
    """Return a folder that looks like ROCm's."""
    root = tmp_path / "rocm"
    for name in ("include/hip/hip_runtime_api.h", "lib/libamdhip64.so", "bin/hipcc"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    return root


@pytest.mark.parametrize("form", FINDS)
def test_path_of_nvcc_is_hipccs_in_a_rocm_build(
    convert: Convert, write: Write, rocm: Path, form: str
) -> None:
    files = {"setup.py": f"import json, os\n{FINDS[form]}print(json.dumps(nvcc))\n"}
    tree = write(files, convert(files))
    assert _printed(tree / "setup.py", "rocm", rocm) == str(rocm / "bin/hipcc")


@pytest.mark.parametrize("call", ["set_executable('compiler_so', 'nvcc')",
                                  "set_executables(compiler_so='nvcc')"])  # fmt: skip
def test_compiler_that_setuptools_is_given_is_hipcc(
    convert: Convert, write: Write, rocm: Path, call: str
) -> None:
    text = f"import json, os\n{LITERAL}compiler.{call}\nprint(json.dumps(compiler.path))\n"
    files = {"setup.py": text}
    tree = write(files, convert(files))
    words = [str(rocm / "bin/hipcc"), f"--rocm-path={rocm}", "-x", "hip"]
    assert _printed(tree / "setup.py", "rocm", rocm) == words


PLAIN = """\
import json, os
class Extension:
    def __init__(self, name, sources, **options):
        self.options = options
e = Extension("x", ["a.cu"], libraries=["cudart"], runtime_library_dirs=RUNTIME,
    extra_compile_args={"gcc": [], "nvcc": ["-arch=sm_70", "--compiler-options", "'-fPIC'"]})
print(json.dumps(e.options))
"""


@pytest.mark.parametrize("folders", [[], ["/usr/local/cuda/lib64"]])
def test_plain_extension_has_architectures_and_one_run_path(
    convert: Convert, write: Write, rocm: Path, folders: list[str]
) -> None:
    files = {"setup.py": PLAIN.replace("RUNTIME", repr(folders))}
    tree = write(files, convert(files))
    options = _printed(tree / "setup.py", "rocm", rocm)
    library = str(rocm / "lib")
    found = [f"-Wl,-rpath,{path}" for path in options["runtime_library_dirs"]]
    assert [*found, *options["extra_link_args"]] == [f"-Wl,-rpath,{library}"]
    assert options["library_dirs"] == [library]
    nvcc = ["-fPIC", "--offload-arch=gfx90a", "--offload-arch=gfx942"]
    assert options["extra_compile_args"] == {"gcc": [], "nvcc": nvcc}


def test_plain_extension_stays_in_a_cuda_build(convert: Convert, write: Write, rocm: Path) -> None:
    files = {"setup.py": PLAIN.replace("RUNTIME", "['/usr/local/cuda/lib64']")}
    tree = write(files, convert(files, Mode.COMPAT))
    before = tree / "before.py"
    before.write_text(files["setup.py"])
    assert _printed(tree / "setup.py", "none", rocm) == _printed(before, "none", rocm)


GUARDS = {
    "join": "os.path.exists(os.path.join(home, 'include', 'cuda_runtime.h'))",
    "join of a part": "os.path.isfile(os.path.join(home, 'include/cuda.h'))",
    "sum": "os.path.exists(home + '/include/cuda_runtime_api.h')",
    "text": "os.path.exists(f'{home}/lib64/libcudart.so')",
    "Path": "(pathlib.Path(home) / 'include' / 'cuda_runtime.h').is_file()",
    "literal": "os.path.exists('/usr/local/nowhere/include/cuda.h')",
    "literal Path": "pathlib.Path('/usr/local/nowhere/include/cuda.h').exists()",
}


@pytest.mark.parametrize("form", GUARDS)
def test_guard_by_a_file_of_the_runtime_asks_for_rocms(
    convert: Convert, write: Write, rocm: Path, form: str
) -> None:
    (rocm / "include/hip/hip_runtime.h").touch()
    text = (
        "import json, os, pathlib\nhome = os.environ.get('CUDA_HOME', '/nowhere')\n"
        f"if not {GUARDS[form]}:\n    raise SystemExit('no CUDA')\nprint(json.dumps(home))\n"
    )
    files = {"setup.py": text}
    tree = write(files, convert(files))
    assert _printed(tree / "setup.py", "rocm", rocm) == str(rocm)


def test_guard_by_a_file_of_the_runtime_stays_in_a_cuda_build(
    convert: Convert, write: Write, rocm: Path
) -> None:
    text = (
        "import json, os\nhome = os.environ.get('CUDA_HOME', '/nowhere')\n"
        f"print(json.dumps({GUARDS['join']}))\n"
    )
    files = {"setup.py": text}
    tree = write(files, convert(files, Mode.COMPAT))
    assert "gpu_build.file(" in (tree / "setup.py").read_text()
    assert _printed(tree / "setup.py", "none", rocm) is False
