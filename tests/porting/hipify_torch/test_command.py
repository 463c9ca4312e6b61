"""`python -m porting.hipify_torch`: hipify_cli.py's options and files."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from porting.hipify_torch.command import parse

from .conftest import Project


def _run(*words: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "porting.hipify_torch", *map(str, words)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_a_project_is_hipified_and_the_result_dumped(project: Project) -> None:
    root = project()
    done = _run("--project-directory", root, "--header-include-dirs", "[include]", cwd=root)
    assert done.returncode == 0, done.stderr
    dump = json.loads((root / "hipify_output_dict_dump.txt").read_text(encoding="utf-8"))
    assert dump[f"{root}/csrc/cuda/kernel.cu"] == {
        "hipified_path": f"{root}/csrc/hip/kernel.hip",
        "status": "[ok]",
    }
    assert f"{root}/include/api.h -> {root}/include/api_hip.h [ok]" in done.stdout


def test_lists_are_cmakes(project: Project) -> None:
    root = project()
    dump = root / "dump.json"
    done = _run(
        *("--project-directory", root, "--dump-dict-file", dump),
        *("--includes", "*.cu;*.cuh", "--ignores", "[*/common.cuh;*/nothing]"),
    )
    assert done.returncode == 0, done.stderr
    assert list(json.loads(dump.read_text(encoding="utf-8"))) == [f"{root}/csrc/cuda/kernel.cu"]


def test_a_config_file_has_the_options_and_its_paths_are_its_own(project: Project) -> None:
    root = project()
    config = {
        "project_directory": "project",
        "output_directory": "out",
        "header_include_dirs": ["include"],
        "includes": ["csrc/*"],
        "extra_files": ["csrc/bind.cpp"],
        "hipify_extra_files_only": True,
        "custom_map_json": "map.json",
        "dump_dict_file": "",
    }
    (root.parent / "map.json").write_text('{"custom_map": {"answer": "reply"}}', encoding="utf-8")
    file = root.parent / "config.json"
    file.write_text(json.dumps(config), encoding="utf-8")
    done = _run("--config-json", file, "--dump-dict-file", root / "dump.json")
    assert done.returncode == 0, done.stderr
    made = root.parent / "out/csrc/bind_hip.cpp"
    assert "reply()" in made.read_text(encoding="utf-8")
    assert not (root.parent / "out/csrc/hip/kernel.hip").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"project_directory": 1}', "project_directory is 1; a text is needed"),
        ('{"includes": []}', "has no project_directory"),
        ('{"project_directory": ".", "include": []}', "is it 'includes'?"),
        ('{"project_directory": ".", "includes": "*"}', "includes is '*'; a list of texts"),
        ("{", "no valid JSON"),
    ],
)
def test_a_wrong_config_is_said_and_ends_with_2(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "config.json"
    file.write_text(text, encoding="utf-8")
    done = _run("--config-json", file, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["config.json"]


def test_nothing_to_hipify_is_a_usage_error(tmp_path: Path) -> None:
    done = _run(cwd=tmp_path)
    assert done.returncode == 2
    assert "--project-directory" in done.stderr


def test_the_folder_of_the_cmake_module_is_printed() -> None:
    done = _run("--cmake-dir")
    assert (Path(done.stdout.strip()) / "Hipify.cmake").is_file()


def test_the_brackets_of_a_list_are_no_part_of_its_patterns() -> None:
    lists = ("--ignores", "[[ab]*;*[cd]]", "--includes", "*.c[u]")
    asked = parse(["--project-directory", "p", *lists])
    assert asked.arguments["ignores"] == ["[ab]*", "*[cd]"]
    assert asked.arguments["includes"] == ["*.c[u]"]


def test_names_of_files_need_not_be_text(project: Project) -> None:
    root = project()
    name = os.fsdecode(b"\xff.cu")
    (root / name).write_text("cudaStream_t s;\n#include <cudnn.h>\n", encoding="utf-8")
    dump, listed = root / "dump.json", root / "listed.cmake"
    done = subprocess.run(
        [
            *(sys.executable, "-m", "porting.hipify_torch", "--project-directory", str(root)),
            *("--dump-dict-file", str(dump), "--cmake-file", str(listed)),
        ],
        env={**os.environ, "PYTHONIOENCODING": "utf-8:strict"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"{root}/{name}" in json.loads(dump.read_text(encoding="utf-8"))
    assert os.fsencode(f"{root}/{name}") in listed.read_bytes()
    assert b".cu -> " in done.stdout
    assert b"cudnn.h" in done.stderr


@pytest.mark.usefixtures("signals_that_end")
@pytest.mark.parametrize(
    ("number", "code", "said"),
    [
        (signal.SIGINT, 130, "interrupted"),
        (signal.SIGTERM, 143, "ended by SIGTERM"),
        (signal.SIGHUP, 129, "ended by SIGHUP"),
    ],
)
def test_a_signal_ends_the_run_and_leaves_nothing(
    project: Project, number: signal.Signals, code: int, said: str
) -> None:
    root = project({"a.cu": "cudaStream_t s;\n"})
    pipe = root / "late.cu"
    os.mkfifo(pipe)
    config = root / "config.json"
    config.write_text('{"project_directory": ".", "extra_files": ["late.cu"]}', encoding="utf-8")
    with subprocess.Popen(  # noqa: SIM117 - the pipe is opened once the process reads it
        [sys.executable, "-m", "porting.hipify_torch", "--config-json", str(config)],
        cwd=root,
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        with pipe.open("wb"):  # it is being read now
            run.send_signal(number)
            _, errors = run.communicate(timeout=50)
    assert (run.returncode, errors) == (code, f"error: {said}; nothing half-written is left\n")
    assert sorted(path.name for path in root.iterdir()) == ["a.cu", "config.json", "late.cu"]
