"""Copies of directories on hosts: what is sent, what is gone, what is there already."""

import fcntl
import hashlib
import os
import resource
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from runtime import actor as ra
from runtime.actor import Workspace, WorkspaceError
from runtime.actor.workspaces.listing import entries_of
from runtime.actor.workspaces.placing import Placing
from runtime.actor.workspaces.workspace import directories
from tests.runtime.actor.host_processes import TRUST, HostProcess

SECONDS = 30.0
Start = Callable[..., HostProcess]


def _file(path: Path, text: str, mode: int = 0o644) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def _names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Give a directory with one of each."""
    top = tmp_path / "project"
    _file(top / "main.py", "print(1)\n")
    _file(top / "run.sh", "#!/bin/sh\n", 0o755)
    _file(top / "deep/er/two.py", "two = 2\n")
    _file(top / "deep/empty", "")
    _file(top / "deep/empty too", "")
    (top / "nothing").mkdir()
    (top / "deep/link").symlink_to("../main.py")
    (top / "readonly").mkdir()
    _file(top / "readonly/kept", "kept\n", 0o400)
    (top / "readonly").chmod(0o555)
    return top


def put(source: Path, root: Path, below: str = "project") -> list[str]:
    """Copy a directory without a network; return the hashes that were sent."""
    placing = Placing(str(root), below, entries_of(str(source)))
    try:
        sent = placing.missing()
        contents = [
            path.read_bytes() for path in source.rglob("*") if path.is_file() and os.access(path, 4)
        ]
        for data in contents:
            digest = hashlib.sha256(data).hexdigest()
            if digest in placing.missing():
                placing.receive(digest, data[:3], last=False)
                placing.receive(digest, data[3:], last=True)
        placing.prepare()
        placing.place()
    finally:
        placing.close()
    return sent


def test_a_copy_has_all_of_it_and_nothing_else_is_left(source: Path, tmp_path: Path) -> None:
    assert len(put(source, tmp_path / "ws")) == 5  # the two empty files are one content
    assert entries_of(str(tmp_path / "ws/project")) == entries_of(str(source))
    assert _names(tmp_path / "ws") == ["project"]


def test_a_copy_again_sends_only_what_differs(source: Path, tmp_path: Path) -> None:
    put(source, tmp_path / "ws")
    before = (tmp_path / "ws/project/run.sh").stat()
    (source / "deep/er").rename(source / "moved")
    (source / "deep/link").unlink()
    _file(source / "main.py", "print(2)\n")
    (source / "nothing").rmdir()
    _file(source / "nothing", "a file now\n")
    (source / "run.sh").chmod(0o755)
    sent = put(source, tmp_path / "ws")
    assert len(sent) == 2  # what was moved is there already
    assert entries_of(str(tmp_path / "ws/project")) == entries_of(str(source))
    after = (tmp_path / "ws/project/run.sh").stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert put(source, tmp_path / "ws") == []


def test_files_of_one_content_are_files_of_their_own(source: Path, tmp_path: Path) -> None:
    put(source, tmp_path / "ws")
    (tmp_path / "ws/project/deep/empty").write_text("no more")
    assert (tmp_path / "ws/project/deep/empty too").read_text() == ""


def test_whoever_reads_meanwhile_sees_the_old_copy_or_the_new_one(
    source: Path, tmp_path: Path
) -> None:
    put(source, tmp_path / "ws")
    place = tmp_path / "ws/project"
    held = os.open(place, os.O_RDONLY)
    _file(source / "main.py", "print(3)\n")
    placing = Placing(str(tmp_path / "ws"), "project", entries_of(str(source)))
    (digest,) = placing.missing()
    placing.receive(digest, b"print(3)\n", last=True)
    placing.prepare()
    assert (place / "main.py").read_text() == "print(1)\n"
    placing.place()
    assert (place / "main.py").read_text() == "print(3)\n"
    with os.fdopen(os.open("main.py", os.O_RDONLY, dir_fd=held)) as file:  # not changed under it
        assert file.read() == "print(1)\n"
    placing.close()
    os.close(held)


def test_a_copy_that_does_not_come_to_its_place_leaves_nothing(
    source: Path, tmp_path: Path
) -> None:
    put(source, tmp_path / "ws")
    before = entries_of(str(tmp_path / "ws"))
    _file(source / "main.py", "print(4)\n")
    placing = Placing(str(tmp_path / "ws"), "project", entries_of(str(source)))
    (digest,) = placing.missing()
    with pytest.raises(ValueError, match=r"^a file has changed while it was copied; "):
        placing.receive(digest, b"something else", last=True)
    with pytest.raises(ValueError, match="was not asked for"):
        placing.receive("0" * 64, b"", last=True)
    placing.close()
    assert entries_of(str(tmp_path / "ws")) == before


def test_a_copy_that_is_prepared_writes_nothing_more(source: Path, tmp_path: Path) -> None:
    (source / "deep").rename(tmp_path / "deep")
    (tmp_path / "deep/link").unlink()
    entries = entries_of(str(tmp_path / "deep"))
    placing = Placing(str(tmp_path / "ws"), "deep", entries)
    contents = [b"two = 2\n", b""]
    for data in contents:
        placing.receive(hashlib.sha256(data).hexdigest(), data, last=True)
    placing.prepare()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))  # as on a disk that is full
    try:
        placing.place()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    placing.close()
    assert entries_of(str(tmp_path / "ws/deep")) == entries


def test_what_a_killed_host_left_is_removed_and_what_another_works_on_is_not(
    source: Path, tmp_path: Path
) -> None:
    ws = tmp_path / "ws"
    _file(ws / ".project.sync-dead/tree/main.py", "half")
    held = _file(ws / ".project.sync-alive/tree/main.py", "half").parent.parent
    fd = os.open(held, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    put(source, ws)
    assert _names(ws) == [".project.sync-alive", "project"]
    os.close(fd)


@pytest.mark.parametrize("below", ["/etc", "../up", "a/../../b", "a/..", "nul\0"])
def test_a_place_that_is_not_below_the_root(source: Path, tmp_path: Path, below: str) -> None:
    with pytest.raises(ValueError, match="is not below WORKSPACE_DIR"):
        put(source, tmp_path / "ws", below)
    with pytest.raises(ValueError, match="is not below WORKSPACE_DIR"):
        directories({source: below})


def test_links_that_are_there_already_are_not_followed(source: Path, tmp_path: Path) -> None:
    outside = _file(tmp_path / "outside/main.py", "mine\n").parent
    ws = tmp_path / "ws"
    ws.mkdir()
    (ws / "deep").symlink_to(outside)
    with pytest.raises(NotADirectoryError, match=r"^deep in .*ws is a link or a file; remove it$"):
        put(source, ws, "deep/er")
    with pytest.raises(NotADirectoryError, match=r"^deep is there and is no directory"):
        put(source, ws, "deep")
    put(source, ws)
    place = ws / "project/deep"
    place.rename(ws / "away")
    place.symlink_to(outside)
    (ws / "project/main.py").unlink()
    (ws / "project/main.py").symlink_to(outside / "main.py")
    put(source, ws)
    assert entries_of(str(ws / "project")) == entries_of(str(source))
    assert entries_of(str(outside)) == [
        ("main.py", "f", 0o644, hashlib.sha256(b"mine\n").hexdigest())
    ]


def test_what_cannot_be_copied_is_named(source: Path) -> None:
    (source / "out").symlink_to("/etc/passwd")
    with pytest.raises(ValueError, match=r"^the link .*/out leads to '/etc/passwd', which is not"):
        entries_of(str(source))
    (source / "out").unlink()
    os.mkfifo(source / "pipe")
    with pytest.raises(ValueError, match=r"pipe is neither a file, a directory nor a link"):
        entries_of(str(source))


def test_what_vanishes_while_it_is_listed_is_left_out(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = {"run.sh": Path.unlink, "link": Path.unlink, "nothing": Path.rmdir}
    asked = os.stat

    def stat_and_remove(path: str, **options: Any) -> os.stat_result:  # noqa: ANN401
        status = asked(path, **options)
        if options.get("dir_fd") is not None and path in gone:
            gone.pop(path)(Path(f"/proc/self/fd/{options['dir_fd']}", path))
        return status

    monkeypatch.setattr(os, "stat", stat_and_remove)
    found = {path for path, *_ in entries_of(str(source))}
    assert not gone
    assert found & {"run.sh", "deep/link"} == set()
    assert found >= {"main.py", "deep/er/two.py", "readonly/kept"}


def test_a_folder_that_becomes_a_link_while_it_is_listed_is_not_followed(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = os.stat

    def stat_and_change(path: str, **options: Any) -> os.stat_result:  # noqa: ANN401
        status = asked(path, **options)
        if path == "nothing":
            (source / path).rmdir()
            (source / path).symlink_to("deep")
        return status

    monkeypatch.setattr(os, "stat", stat_and_change)
    found = {path for path, *_ in entries_of(str(source))}
    assert {path for path in found if path.startswith("nothing/")} == set()
    assert "readonly/kept" in found


def test_workspaces_when_they_are_written_in_each_way(source: Path, tmp_path: Path) -> None:
    assert directories(source) == directories([str(source)]) == {source: "project"}
    assert directories(Workspace({source: ""}, env="conda")) == {source: ""}
    assert directories({source: "a/./b/"}) == {source: "a/b"}
    with pytest.raises(NotADirectoryError, match="is no directory"):
        directories(source / "main.py")
    with pytest.raises(ValueError, match=r"has 'a' and 'a/b', and what is in the one replaces"):
        directories({source: "a", tmp_path: "a/b"})
    with pytest.raises(TypeError, match="is a Workspace or paths, not 3"):
        directories(3)
    with pytest.raises(ValueError, match="directory is ''"):
        Workspace([""])


@pytest.fixture
def hosts(start: Start, tmp_path: Path, quiet: None) -> Iterator[ra.HostMesh]:
    """Give two hosts, each with a WORKSPACE_DIR of its own."""
    started = [
        start(f"ipc://{tmp_path}/{n}", environment={"WORKSPACE_DIR": str(tmp_path / f"ws{n}")})
        for n in "ab"
    ]
    with ra.attach_to_workers(ca=TRUST, workers=[host.address for host in started]) as mesh:
        yield mesh


def test_a_workspace_when_it_is_copied_to_hosts(
    hosts: ra.HostMesh, source: Path, tmp_path: Path
) -> None:
    _file(source / "large", "0123456789abcdef" * 600_000)
    hosts.sync_workspace(Workspace([source])).get(SECONDS)
    _file(tmp_path / "wsa/project/extra", "of nobody")
    (tmp_path / "wsb/project/main.py").unlink()
    (source / "run.sh").unlink()
    hosts.spawn_procs({"gpus": 2}).slice(gpus=1).sync_workspace([source]).get(SECONDS)
    for place in ("wsa/project", "wsb/project"):
        assert entries_of(str(tmp_path / place)) == entries_of(str(source))
        assert stat.S_IMODE((tmp_path / place).stat().st_mode) == 0o755


def test_a_workspace_when_one_host_cannot_have_it_changes_no_other(
    hosts: ra.HostMesh, source: Path, tmp_path: Path
) -> None:
    _file(tmp_path / "wsb/project", "a file is in the way")
    (tmp_path / "wsb").chmod(0o755)
    (tmp_path / "wsb/deep").symlink_to("/")
    with pytest.raises(WorkspaceError, match=r"^the workspace was not copied: host 1: deep in "):
        hosts.sync_workspace({source: "deep/er"}).get(SECONDS)
    assert not (tmp_path / "wsa/deep/er").exists()
    assert _names(tmp_path / "wsa/deep") == []
    with pytest.raises(WorkspaceError, match=r"host 1: project is there and is no directory; "):
        hosts.sync_workspace({source / "readonly": "first", source: "project"}).get(SECONDS)
    assert _names(tmp_path / "wsa") == ["deep"]
    assert _names(tmp_path / "wsb") == ["deep", "project"]


def test_a_workspace_when_several_directories_are_copied(
    hosts: ra.HostMesh, source: Path, tmp_path: Path
) -> None:
    hosts.sync_workspace({source / "readonly": "one", source: "two/below"}).get(SECONDS)
    for place in ("wsa", "wsb"):
        assert _names(tmp_path / place) == ["one", "two"]
        assert entries_of(str(tmp_path / place / "two/below")) == entries_of(str(source))


def test_a_workspace_when_a_host_is_lost_changes_no_other(
    start: Start, source: Path, tmp_path: Path, quiet: None
) -> None:
    started = [
        start(f"ipc://{tmp_path}/{n}", environment={"WORKSPACE_DIR": str(tmp_path / f"ws{n}")})
        for n in "ab"
    ]
    mesh = ra.attach_to_workers(ca=TRUST, workers=[host.address for host in started])
    mesh.initialized.get(SECONDS)
    started[1].kill()
    with pytest.raises(
        ra.SupervisionError, match=r"sync_workspace has no answer: host .*/b is out"
    ):
        mesh.sync_workspace(source).get(SECONDS)
    assert not (tmp_path / "wsa/project").exists()
    mesh.slice(hosts=slice(0, 1)).sync_workspace(source).get(SECONDS)
    assert entries_of(str(tmp_path / "wsa/project")) == entries_of(str(source))
    mesh.stop().get(SECONDS)


def test_a_workspace_when_the_host_has_no_place_for_it(
    source: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("WORKSPACE_DIR", raising=False)
    with pytest.raises(WorkspaceError, match="host 0: WORKSPACE_DIR is not set there; set it"):
        ra.this_host().sync_workspace(source).get(SECONDS)
    monkeypatch.setenv("WORKSPACE_DIR", str(tmp_path / "here"))
    ra.this_host().sync_workspace({source: ""}).get(SECONDS)
    assert entries_of(str(tmp_path / "here")) == entries_of(str(source))


def test_a_workspace_when_more_is_asked_than_there_is(source: Path) -> None:
    with pytest.raises(NotImplementedError, match="conda environments are not copied"):
        ra.this_host().sync_workspace(source, conda=True)
    with pytest.raises(NotImplementedError, match="spawn processes after sync_workspace"):
        ra.this_host().sync_workspace(source, auto_reload=True)


@pytest.mark.parametrize("call", ["activate()", "rank_tensor('r')", "rank_tensors()"])
def test_names_of_the_tensor_engine_say_what_to_use(procs: ra.ProcMesh, call: str) -> None:
    name, _, rest = call.partition("(")
    arguments = ["r"] if "'" in rest else []
    with pytest.raises(NotImplementedError, match=r"no tensor engine; write the step as an endp"):
        getattr(procs, name)(*arguments)
