"""What nvcc's options become for clang."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porting.buildfiles.flags import Translated, is_of_nvcc, offload_arch, rules, translate
from porting.diagnostics import Severity
from porting.toolkits.cuda import CudaHome


def _translated(text: str) -> Translated:
    return translate(text.split())


@pytest.mark.parametrize(
    ("nvcc", "clang"),
    [
        ("-gencode arch=compute_80,code=sm_80 -O3", "-O3"),
        ("-gencode=arch=compute_80,code=[sm_80,compute_80] a.cu", "a.cu"),
        ("-arch=sm_80 -code sm_80", ""),
        ("--gpu-architecture compute_90 -c", "-c"),
        ("--expt-relaxed-constexpr -extended-lambda", ""),
        ("-Xcompiler -fPIC -c", "-fPIC -c"),
        ("-Xcompiler=-fPIC,-Wall", "-fPIC -Wall"),
        ("--compiler-options -Wall", "-Wall"),
        ("-Xcompiler /wd4819,-fPIC", "-fPIC"),
        ("-Xcompiler -fno-gnu-unique,-O1", "-O1"),
        ("-Xptxas -O3 x.o", "x.o"),
        ("--ptxas-options=-v", "-Rpass-analysis=kernel-resource-usage"),
        ("--use_fast_math", "-ffast-math"),
        ("-lineinfo", "-gline-tables-only"),
        ("-maxrregcount 64 a.o", "a.o"),
        ("--threads 4 -t4 -t 4 a.o", "a.o"),
        ("-ccbin /usr/bin/g++ a.o", "a.o"),
        ("-ccbin=g++", ""),
        ("-std c++17", "-std=c++17"),
        ("--std=c++20", "-std=c++20"),
        ("--default-stream per-thread", "-fgpu-default-stream=per-thread"),
        ("--default-stream=legacy", "-fgpu-default-stream=legacy"),
        ("-diag-suppress 177,550 a.o", "a.o"),
        ("-O 3", "-O3"),
        ("-g -G", "-g -g"),
        ("-x cu", "-x hip"),
        ("-x=c++", "-x c++"),
        ("-Werror all-warnings", "-Werror"),
        ("-Werror=reorder", "-Werror=reorder"),
        ("-Werror a.o", "-Werror a.o"),
        ("-cudart shared a.o", "a.o"),
        ("--cudart=none", "-no-hip-rt"),
        ("-dlto", ""),
        ("-ftz=true -fmad false", "-fgpu-flush-denormals-to-zero -ffp-contract=off"),
        ("-prec-div=false", "-fno-hip-fp32-correctly-rounded-divide-sqrt"),
        ("-ftz=false", ""),
        ("-fatbin", "--offload-device-only"),
        ("-cubin", "--offload-device-only"),
        (
            "-DA=1 -D B -UC -I inc -Iinc -isystem x -L y -Ly",
            "-DA=1 -D B -UC -I inc -Iinc -isystem x -L y -Ly",
        ),
        ("-I=inc -D=A", "-Iinc -DA"),
        ("-Xlinker -rpath,/x", "-Wl,-rpath -Wl,/x"),
        ("-Xfatbin -compress-all", "--offload-compress"),
        ("-D__CUDA_NO_HALF_OPERATORS__", "-D__HIP_NO_HALF_OPERATORS__=1"),
        ("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1", "-fgpu-default-stream=per-thread"),
        ("-lcudart_static -lcublas -lcuda -lm", "-lamdhip64 -lhipblas -lamdhip64 -lm"),
        ("-lcudadevrt", ""),
        ("-rdc false", ""),
        ("-MD -MF x.d -MT x.o -o x.o", "-MD -MF x.d -MT x.o -o x.o"),
    ],
)
def test_options_when_translated(nvcc: str, clang: str) -> None:
    assert " ".join(_translated(nvcc).flags) == clang


@pytest.mark.parametrize("flag", ["-rdc=true", "-dc", "--relocatable-device-code true", "-ewp"])
def test_relocatable_code_is_linked_by_clang(flag: str) -> None:
    done = _translated(flag)
    assert done.flags[0] == "-fgpu-rdc"
    assert done.link == ("-fgpu-rdc", "--hip-link")


@pytest.mark.parametrize(
    ("flag", "severity"),
    [
        ("-lineinfo", None),
        ("--expt-relaxed-constexpr", Severity.NOTE),
        ("-ptx", Severity.WARNING),
        ("-optf=all.txt", Severity.WARNING),
        ("--unheard-of", Severity.WARNING),
        ("-dlink", Severity.ERROR),
        ("-optix-ir", Severity.ERROR),
        ("-Wall", None),
        ("-fPIC", None),
        ("$(FLAGS)", None),
    ],
)
def test_note_when_an_option_has_no_exact_counterpart(flag: str, severity: Severity | None) -> None:
    notes = _translated(flag).notes
    assert [note.severity for note in notes] == ([severity] if severity else [])
    assert all(note.flag == flag for note in notes)


def test_note_names_the_option_with_its_value() -> None:
    (note,) = _translated("-maxrregcount 64").notes
    assert note.flag == "-maxrregcount 64"
    assert "__launch_bounds__" in note.text


def test_architectures_are_told_apart_from_what_is_dropped() -> None:
    assert any(piece.arch for piece in _translated("-gencode arch=compute_80,code=sm_80").pieces)
    assert not any(piece.arch for piece in _translated("-O3").pieces)
    assert offload_arch(["gfx90a", "gfx942"]) == ("--offload-arch=gfx90a", "--offload-arch=gfx942")


@pytest.mark.parametrize(
    "word",
    ["-gencode", "-rdc=true", "--use_fast_math", "-Xcompiler=-fPIC", "-arch=sm_80", "-lineinfo"],
)
def test_option_is_nvccs_when_no_other_program_has_it(word: str) -> None:
    assert is_of_nvcc(word)


@pytest.mark.parametrize(
    "word", ["-O3", "-Wall", "--help", "-g", "-arch=x86_64", "-lcudart", "a.cu", "-std=c++17"]
)
def test_option_is_not_nvccs_alone_when_others_have_it(word: str) -> None:
    assert not is_of_nvcc(word)


_WORDS = st.one_of(
    st.sampled_from([name for rule in rules() for name in rule.names]),
    st.sampled_from(["true", "-v", "sm_80", "a.cu", "$(X)", "-Xcompiler=", "-D=", "-", "--", ""]),
    st.text(max_size=6),
)


@given(st.lists(_WORDS, max_size=8))
def test_pieces_cover_the_words_in_order(words: list[str]) -> None:
    done = translate(words)
    ends = [0, *(piece.end for piece in done.pieces)]
    assert [piece.start for piece in done.pieces] == ends[:-1]
    assert ends[-1] == len(words)


def test_translation_is_for_good() -> None:
    assert [flag for rule in rules() for flag in rule.to if is_of_nvcc(flag)] == []


def test_every_row_of_an_option_agrees_on_its_value() -> None:
    kinds: dict[str, set[str]] = {}
    for rule in rules():
        for name in rule.names:
            kinds.setdefault(name, set()).add("list" if rule.value == "optional" else rule.value)
        assert rule.reason
        assert rule.action in {"keep", "translate", "drop", "unwrap", "arch"}
    assert {name: kind for name, kind in kinds.items() if len(kind) > 1} == {}
    last = {name: rule for rule in rules() for name in rule.names}
    assert [name for name, rule in last.items() if rule.when is not None] == []


def test_every_option_that_nvcc_lists_is_in_the_table(cuda_home: CudaHome) -> None:
    nvcc = cuda_home.nvcc
    done = subprocess.run([nvcc, "--help"], capture_output=True, text=True, timeout=50, check=True)
    listed = re.findall(r"^(--?[\w-]+).*?(?:\((-[\w-]+)\))?\s*$", done.stdout, re.MULTILINE)
    known = {name for rule in rules() for name in rule.names}
    assert len(listed) > 100
    assert {name for pair in listed for name in pair if name} - known == set()


_CASES = sorted({" ".join(rule.to) for rule in rules() if rule.action == "translate"})


@pytest.mark.parametrize("option", [case for case in _CASES if "{}" not in case and case != "-c"])
def test_options_are_clangs(option: str, tmp_path: Path, program: Callable[[str], str]) -> None:
    clang = program("clang++-19")
    command = [clang, "--offload-arch=gfx942", "-nogpuinc", "-nogpulib", "-###", "-c", "-x", "hip"]
    words = option.replace("{1}", "HALF_OPERATORS").split()
    (tmp_path / "a.hip").write_text("")
    done = subprocess.run(
        [*command, "a.hip", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert not re.search(r"error:|unknown (argument|option)", done.stderr), done.stderr[-300:]
