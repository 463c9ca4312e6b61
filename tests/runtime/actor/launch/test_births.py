"""What a process has when its main function begins: all that was asked for, and nothing else."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Host = Any  # of conftest.py, which is no module of a package
CPUS = sorted(os.sched_getaffinity(0))


def test_descriptors_when_forked(host: Host) -> None:
    read, write = os.pipe()
    os.set_inheritable(read, True)  # noqa: FBT003 - as a shell's descriptors are
    host.start("wait").hears()  # an elder, whose descriptors are not for the younger
    heard = host.start("look_around", fds={"extra": write}).hears()
    os.close(read)
    os.close(write)
    assert set(heard["fds"]) == {"told", "extra"}
    assert set(heard["open"]) == {0, 1, 2, *heard["fds"].values()}
    assert heard["links"]["0"] == "/dev/null"
    assert heard["links"]["1"] == heard["links"]["2"]


def test_descriptors_when_executed(host: Host) -> None:
    read, write = os.pipe()
    heard = host.start("look_around", fds={"extra": write}, argv=("env",)).hears()
    os.close(read)
    os.close(write)
    assert set(heard["open"]) == {0, 1, 2, *heard["fds"].values()}
    assert heard["links"]["0"] == "/dev/null"


@pytest.mark.parametrize("argv", [(), ("env",)], ids=["forked", "executed"])
def test_birth_when_nothing_special_is_asked(host: Host, argv: tuple[str, ...]) -> None:
    node = host.start("look_around", argv=argv)
    heard = node.hears()
    assert heard["pid"] == host.exit_of(node).pid == heard["group"]
    assert heard["session"] == heard["parent"] != os.getsid(0)
    assert heard["name"] == f"node-{node.number}"
    assert heard["title"] == f"eclosion: node-{node.number}"
    assert heard["argv"] == [f"node-{node.number}"]
    assert heard["path"] == sys.path
    assert heard["cwd"] == str(Path.cwd())
    assert heard["cpus"] == CPUS
    assert (heard["interrupt"], heard["terminate"], heard["blocked"]) == (True, True, [])
    assert heard["executable"] == sys.executable


def test_variables_when_set_and_unset(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAUNCH_GOES", "1")
    monkeypatch.setenv("LAUNCH_STAYS", "1")
    host.start("wait").hears()
    monkeypatch.delenv("LAUNCH_GOES")
    monkeypatch.setenv("LAUNCH_COMES", "2")
    names = "LAUNCH_GOES LAUNCH_STAYS LAUNCH_COMES LAUNCH_OWN"
    heard = host.start("look_around", names.encode(), environment={"LAUNCH_OWN": "3"}).hears()
    assert list(heard["variables"].values()) == [None, "1", "2", "3"]


def test_zygotes_when_variables_act_later(host: Host) -> None:
    parents = {
        host.start("look_around", environment={"RANK": rank}).hears()["parent"] for rank in "012"
    }
    assert len(parents) == 1


def test_zygotes_when_variables_act_at_start(host: Host) -> None:
    asked = [{"OMP_NUM_THREADS": "1"}, {"OMP_NUM_THREADS": "2"}, {"OMP_NUM_THREADS": "1"}]
    heard = [host.start("look_around", environment=each).hears() for each in asked]
    parents = [each["parent"] for each in heard]
    assert parents[0] == parents[2] != parents[1]
    assert "OMP_NUM_THREADS=2" in heard[1]["inherited"]


@pytest.mark.parametrize("argv", [(), ("env",)], ids=["forked", "executed"])
def test_loader_when_a_library_path_is_given(
    host: Host, tmp_path: Path, argv: tuple[str, ...]
) -> None:
    source = tmp_path / "planted.c"
    source.write_text("int planted(void) { return 41; }\n", encoding="utf-8")
    library = tmp_path / "libplanted.so"
    subprocess.run(["cc", "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
    environment = {"LD_LIBRARY_PATH": str(tmp_path)}
    node = host.start("load_planted", environment=environment, argv=argv)
    assert node.hears()["planted"] == 41


def test_python_when_hashing_is_seeded(host: Host) -> None:
    heard = [
        host.start("tell_hash", environment={"PYTHONHASHSEED": seed}).hears()["hash"]
        for seed in ("1", "2", "1")
    ]
    assert heard[0] == heard[2] != heard[1]


def test_cwd_when_given(host: Host, tmp_path: Path) -> None:
    assert host.start("look_around", cwd=str(tmp_path)).hears()["cwd"] == str(tmp_path)
    heard = host.start("look_around", cwd=str(tmp_path), argv=("env",)).hears()
    assert heard["cwd"] == str(tmp_path)


def test_cwd_when_the_gateway_moved(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.start("wait").hears()
    monkeypatch.chdir(tmp_path)
    assert host.start("look_around").hears()["cwd"] == str(tmp_path)


def test_path_when_the_gateway_changed_it(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.start("wait").hears()
    (tmp_path / "late_module.py").write_text("def main(fds, argument): return 9\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert host.exit_of(host.start("late_module:main")).status == 9


def test_affinity_when_given(host: Host) -> None:
    assert host.start("look_around", affinity=CPUS[-1:]).hears()["cpus"] == CPUS[-1:]


def test_affinity_when_no_such_cpu(host: Host) -> None:
    told = host.exit_of(host.start("look_around", affinity={4095}))
    assert told.status == 1
    assert "CPUs [4095] are none of those here" in told.error


def test_argv_when_a_program_starts_the_interpreter(host: Host, tmp_path: Path) -> None:
    wrapper = tmp_path / "wrapper"
    wrapper.write_text('#!/bin/sh\nexport WRAPPED="$1"\nshift\nexec "$@"\n', encoding="utf-8")
    wrapper.chmod(0o755)
    node = host.start("look_around", b"WRAPPED", argv=(str(wrapper), "yes"))
    heard = node.hears()
    assert heard["variables"] == {"WRAPPED": "yes"}
    assert host.exit_of(node).status == 0
    assert host.exit_of(host.start("return_status", b"6", argv=("env",))).status == 6


def test_argv_when_the_program_is_missing(host: Host) -> None:
    told = host.exit_of(host.start("wait", argv=("/no/such/program",)))
    assert told.status == 1
    assert "FileNotFoundError" in told.error
    assert "/no/such/program" in told.error


def test_argument_when_executed_and_large(host: Host) -> None:
    heard = host.start("count_bytes", b"\x01" * 3_000_000, argv=("env",)).hears()
    assert (heard["size"], heard["total"]) == (3_000_000, 3_000_000)


def test_interpreter_when_another_is_asked_for(host: Host, tmp_path: Path) -> None:
    other = tmp_path / "python"
    other.write_text(f'#!/bin/sh\nexport OTHER=yes\nexec {sys.executable} "$@"\n', "utf-8")
    other.chmod(0o755)
    asked = {"python": str(other), "environment": {"PYTHONPATH": MAINS}}
    heard = host.start("look_around", b"", **asked).hears()
    assert "OTHER=yes" in heard["inherited"]
    assert heard["path"] != sys.path
    assert host.exit_of(host.start("return_status", b"6", argv=("env",), **asked)).status == 6


MAINS = str(Path(__file__).parent)


def test_random_numbers_when_forked_from_one_zygote(new_host: Callable[..., Host]) -> None:
    host = new_host(preload=["random"])
    heard = [host.start("roll_dice").hears()["random"] for _ in range(3)]
    assert len(set(heard)) == 3


def test_random_numbers_when_numpy_is_loaded(new_host: Callable[..., Host]) -> None:
    pytest.importorskip("numpy")
    host = new_host(preload=["numpy"])
    heard = [host.start("roll_dice").hears()["numpy"] for _ in range(3)]
    assert None not in heard
    assert len(set(heard)) == 3


def test_preload_when_modules_are_named(new_host: Callable[..., Host]) -> None:
    assert "decimal" not in new_host().start("look_around").hears()["modules"]
    host = new_host(preload=["decimal"])
    assert "decimal" in host.start("look_around").hears()["modules"]


def test_preload_when_a_module_is_missing(new_host: Callable[..., Host]) -> None:
    host = new_host(preload=["decimal", "no_such_module"])
    nodes = [host.start("wait") for _ in range(3)]
    for told in map(host.exit_of, nodes):
        assert (told.pid, told.status, told.signal) == (0, None, None)
        assert told.error == (
            "preload of decimal, no_such_module failed: "
            "ModuleNotFoundError: No module named 'no_such_module'"
        )


def test_preload_when_a_module_exits(new_host: Callable[..., Host], tmp_path: Path) -> None:
    host = new_host(preload=["exiting_module"])
    told = host.exit_of(host.start("wait"))
    assert "preload of exiting_module failed: SystemExit: 3" in told.error


def test_close_when_a_module_does_not_end_its_import(new_host: Callable[..., Host]) -> None:
    host = new_host(preload=["hanging_module"])
    node = host.start("wait")
    before = time.monotonic()
    host.launcher.close(10.0)
    assert time.monotonic() - before < 5
    assert host.exit_of(node).pid == 0


def test_preload_when_a_module_starts_a_thread(new_host: Callable[..., Host]) -> None:
    host = new_host(preload=["threaded_module"])
    told = host.exit_of(host.start("wait"))
    assert "RuntimeError: 1 threads run after the import" in told.error


@pytest.mark.parametrize("flags", [(), ("-I",), ("-s",), ("-E", "-X", "dev"), ("-P",), ("-O",)])
def test_path_when_the_gateway_has_flags(flags: tuple[str, ...]) -> None:
    command = [sys.executable, *flags, str(Path(__file__).parent / "gateway.py"), "look"]
    environment = {**os.environ, "LAUNCH_PATH": json.dumps([MAINS, *sys.path])}
    done = subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True, timeout=50
    )
    gateway, heard = json.loads(done.stdout)
    assert heard["path"] == gateway["path"]
    assert heard["flags"] == gateway["flags"]
