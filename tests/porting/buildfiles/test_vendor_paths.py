"""NVIDIA's files, tools, libraries and variables are told in Python and in shell scripts."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porting.buildfiles import BuildFiles
from porting.buildfiles.vendor_paths.shell import words

Convert = Callable[..., BuildFiles]


def told(done: BuildFiles) -> list[tuple[int, str, str]]:
    return [(found.line, found.code, found.symbol) for found in done.diagnostics]


PYTHON = {
    "import os\nok = os.path.exists('/dev/nvidiactl')": (2, "BLD160", "/dev/nvidiactl"),
    "x = open('/proc/driver/nvidia/version')": (1, "BLD160", "/proc/driver/nvidia/version"),
    "import subprocess\nsubprocess.run(['nvidia-smi', '-L'])": (2, "BLD161", "nvidia-smi"),
    "import subprocess as s\ns.check_output('nvcc -V', shell=True)": (2, "BLD161", "nvcc"),
    "import shutil\nif shutil.which('nvidia-smi'):\n    pass": (2, "BLD161", "nvidia-smi"),
    "import pynvml": (1, "BLD161", "pynvml"),
    "import ctypes\nctypes.CDLL('libcuda.so.1')": (2, "BLD162", "libcuda.so.1"),
    "from ctypes.util import find_library\nfind_library('cudart')": (2, "BLD162", "libcudart"),
    "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '0'": (2, "BLD163", "CUDA_VISIBLE_DEVICES"),
    "import os\nos.environ.get('NVIDIA_VISIBLE_DEVICES')": (2, "BLD163", "NVIDIA_VISIBLE_DEVICES"),
    "import torch\nassert torch.version.cuda is not None": (2, "BLD164", "torch.version.cuda"),
    "import torch\nif torch.version.cuda:\n    pass": (2, "BLD164", "torch.version.cuda"),
    "import torch\nok = torch.cuda.get_device_capability() >= (8, 0)": (
        *(2, "BLD164"),
        "get_device_capability",
    ),
    "from torch.utils.cpp_extension import load\n"
    "load('x', ['a.cu'], extra_cuda_cflags=['--expt-relaxed-constexpr'])": (
        *(2, "BLD165"),
        "--expt-relaxed-constexpr",
    ),
}


@pytest.mark.parametrize("code", PYTHON)
def test_place_is_told_in_python(convert: Convert, code: str) -> None:
    done = convert({"tool.py": code + "\n"})
    assert told(done) == [PYTHON[code]]
    assert done.outputs == {}
    assert {found.topic for found in done.diagnostics} == {"build-system"}


@pytest.mark.parametrize("code", PYTHON)
def test_place_is_not_told_when_the_code_around_speaks_of_amd(convert: Convert, code: str) -> None:
    body = "".join(f"    {line}\n" for line in code.splitlines())
    both = f"def find():\n{body}    return shutil.which('rocm-smi')\n"
    assert told(convert({"tool.py": both})) == []


@pytest.mark.parametrize(
    "code",
    [
        '"""Set CUDA_VISIBLE_DEVICES; see /dev/nvidia0."""',
        "# nvidia-smi",
        "raise ValueError('libcuda.so.1 is missing')",
        "print('run nvidia-smi')",
        "import torch\nif torch.cuda.is_available():\n    pass",
        "device = 'cuda'",
        "import subprocess\nsubprocess.run(['ls', 'nvcc_tests'])",
    ],
)
def test_words_about_cuda_are_not_told(convert: Convert, code: str) -> None:
    assert told(convert({"tool.py": code + "\n"})) == []


SHELL = {
    "if ! command -v nvidia-smi >/dev/null; then exit 1; fi": (1, "BLD161", "nvidia-smi"),
    'x="$(nvcc --version | tail -1)"': (1, "BLD161", "nvcc"),
    "[ -e /dev/nvidia0 ] || exit 1": (1, "BLD160", "/dev/nvidia0"),
    "ldconfig -p | grep -q libcuda.so.1": (1, "BLD162", "libcuda.so.1"),
    "# x\nexport CUDA_VISIBLE_DEVICES=0,1": (2, "BLD163", "CUDA_VISIBLE_DEVICES"),
    "NCCL_NVLS_ENABLE=0 torchrun a.py": (1, "BLD163", "NCCL_NVLS_ENABLE"),
}


@pytest.mark.parametrize("code", SHELL)
def test_place_is_told_in_shell(convert: Convert, code: str) -> None:
    assert told(convert({"run.sh": f"{code}\n"})) == [SHELL[code]]


@pytest.mark.parametrize("code", SHELL)
def test_shell_script_for_both_vendors_is_not_told(convert: Convert, code: str) -> None:
    assert told(convert({"run.sh": f"{code}\nrocm-smi\n"})) == []


@pytest.mark.parametrize(
    "code",
    [
        "# nvidia-smi /dev/nvidia0",
        "echo 'run nvidia-smi'",
        "cat <<EOF\nnvidia-smi\nEOF",
        "cat <<-'EOF'\n\tnvcc\n\tEOF",
        "ls nvcc",
    ],
)
def test_comments_messages_and_documents_in_shell_are_not_told(convert: Convert, code: str) -> None:
    assert told(convert({"run.sh": f"{code}\n"})) == []


def test_file_of_a_ci_service_is_not_told(convert: Convert) -> None:
    assert told(convert({".github/run.sh": "nvidia-smi\n"})) == []


@given(st.text(alphabet="ab \n\t\"'\\$(){};|&<>#`=EOF-", max_size=40))
def test_words_of_any_shell_text_lie_in_it_in_order(text: str) -> None:
    at = 0
    for word in words(text):
        assert word.start >= at
        assert text[word.start : word.start + len(word.text)] == word.text
        at = word.start
