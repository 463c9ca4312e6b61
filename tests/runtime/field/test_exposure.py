"""What a program shows to others: on one host nothing listens, and a host wants the secret."""

# ruff: noqa: ANN401 - actors and meshes have endpoints of any signature

import os
import pickle
import socket
import struct
from pathlib import Path
from typing import Any

from tests.runtime.field.guarded import guarded


class Bomb:
    """Creates a file when it is unpickled."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return open, (self.path, "w")


def test_listeners_when_all_is_on_one_host(rt: Any) -> None:
    with rt.mesh(2) as mesh:
        assert rt.ping(mesh) == [True, True]
        pids = [os.getpid(), *rt.os.children(os.getpid())]
        assert len(pids) >= 4  # the zygote and two processes
        assert [each for pid in pids for each in rt.os.listeners(pid)] == []
        assert rt.events() == []


def test_listener_when_strangers_send_to_it(rt: Any, tmp_path: Path) -> None:
    pid = guarded().host.pid
    ((name, port),) = rt.os.listeners(pid)
    assert name == "127.0.0.1"
    mark = tmp_path / "mark"
    bomb = pickle.dumps(Bomb(str(mark)))
    lengths = [struct.pack(form, len(bomb)) for form in ("<Q", ">I", ">Q")]
    for data in (
        bomb,
        *(length + bomb for length in lengths),
        struct.pack("<Q", 2**40) + b"x",
        b"\xff" * 64,
        b"",
    ):
        before = rt.os.rss(pid)
        with socket.create_connection((name, port), 5) as stranger:
            stranger.settimeout(10)
            stranger.sendall(data)
            stranger.shutdown(socket.SHUT_WR)
            try:
                while stranger.recv(4096):
                    pass
            except ConnectionError:
                pass
        assert rt.os.rss(pid) - before < 32 << 20
    assert not mark.exists()
    assert rt.connect_with_token(rt.secret_in_use()) == "ok"  # it serves on


def test_secret_when_it_is_used(rt: Any) -> None:
    token = rt.secret_in_use()
    with rt.mesh(2) as mesh:
        pids = [os.getpid(), guarded().host.pid, *rt.os.children(os.getpid())]
        for pid in pids:
            assert token.encode() not in Path(f"/proc/{pid}/cmdline").read_bytes()
            assert token.encode() not in Path(f"/proc/{pid}/environ").read_bytes()
        for text in (rt.captured_logs(), repr(mesh), str(rt.config())):
            assert token not in text
    for wrong in ("", "x" * len(token), token[:-1]):
        assert rt.connect_with_token(wrong) == "refused"
    assert rt.connect_with_token(token) == "ok"
