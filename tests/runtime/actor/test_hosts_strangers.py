"""Who is let in to a host: nobody who has not proved itself, whatever it sends."""

import contextlib
import os
import pickle
import socket
import struct
from collections.abc import Callable
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from runtime import actor as ra
from runtime import config
from runtime.actor import AttachError, CredentialsError, attach_to_workers
from runtime.actor.hosts import addresses
from tests.runtime.actor.host_processes import TRUST, HostProcess

SECONDS = 30.0
SECRET = b"twenty-four bytes of it."

Start = Callable[..., HostProcess]


class Bomb:
    """Creates a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return open, (str(self.path), "w")


def secret_file(path: Path, secret: bytes = SECRET, mode: int = 0o600) -> Path:
    path.write_bytes(secret + b"\n")
    path.chmod(mode)
    return path


@pytest.fixture
def guarded(start: Start, tmp_path: Path) -> HostProcess:
    """Give a host on a port of loopback that asks for the secret."""
    path = secret_file(tmp_path / "secret")
    return start("tcp://127.0.0.1:0", ca="", environment={"ECLOSION_SECRET_FILE": str(path)})


def attached(host: HostProcess, path: Path) -> ra.HostMesh:
    with config.configured(secret_file=str(path)):
        return attach_to_workers(workers=[host.address])


def works(host: HostProcess, path: Path) -> None:
    with attached(host, path) as mesh:
        mesh.spawn_procs().initialized.get(SECONDS)


def port_of(host: HostProcess) -> tuple[str, int]:
    name, _, port = host.address.removeprefix("tcp://").rpartition(":")
    return name, int(port)


def said_to(host: HostProcess, data: bytes) -> bytes:
    """Send bytes to a host and return what it says before it hangs up."""
    with socket.create_connection(port_of(host), SECONDS) as sock:
        sock.settimeout(SECONDS)
        answer = b""
        with contextlib.suppress(OSError):  # it may hang up before all was sent
            sock.sendall(data)
            sock.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ConnectionResetError):
            while piece := sock.recv(4096):
                answer += piece
        return answer


def test_the_host_works_for_who_knows_the_secret(guarded: HostProcess, tmp_path: Path) -> None:
    works(guarded, tmp_path / "secret")


@pytest.mark.parametrize("wrong", [b"x" * len(SECRET), SECRET[:-1], SECRET + b"x"])
def test_attach_is_refused_when_the_secret_is_wrong(
    guarded: HostProcess, tmp_path: Path, wrong: bytes
) -> None:
    other = secret_file(tmp_path / "other", wrong)
    with pytest.raises(AttachError, match=f"{guarded.address}: .*secret"):
        attached(guarded, other).initialized.get(SECONDS)
    guarded.wait_for("refused a connection")
    works(guarded, tmp_path / "secret")


def test_attach_is_refused_when_the_client_trusts_everybody(guarded: HostProcess) -> None:
    with pytest.raises(AttachError, match="secret"):
        attach_to_workers(ca=TRUST, workers=[guarded.address]).initialized.get(SECONDS)


def test_a_stranger_is_hung_up_on_and_nothing_is_unpickled(
    guarded: HostProcess, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    blob = pickle.dumps(Bomb(mark))
    frames = [
        blob,
        struct.pack("<Q", len(blob)) + blob,
        struct.pack(">I", len(blob)) + blob,
        struct.pack("<Q", 1 << 40) + b"x",
        struct.pack("<IBBHQ", 0x314C4345, 2, 0, 0, 1 << 40) + bytes(72),
        b"\xff" * 64,
        b"\x01" * 51,
        os.urandom(100_000),
        b"",
    ]
    before = psutil.Process(guarded.pid).memory_info().rss
    for frame in frames:
        assert SECRET not in said_to(guarded, frame)
    assert psutil.Process(guarded.pid).memory_info().rss - before < 32 << 20
    works(guarded, tmp_path / "secret")
    assert not mark.exists()


def test_a_stranger_that_says_nothing_does_not_keep_others_out(
    guarded: HostProcess, tmp_path: Path
) -> None:
    silent = [socket.create_connection(port_of(guarded), SECONDS) for _ in range(100)]
    works(guarded, tmp_path / "secret")
    for sock in silent:
        sock.close()


def test_a_host_listens_on_loopback_alone_and_a_client_not_at_all(guarded: HostProcess) -> None:
    listening = [
        each.laddr.ip
        for each in psutil.Process(guarded.pid).net_connections("tcp")
        if each.status == psutil.CONN_LISTEN
    ]
    assert listening == ["127.0.0.1"]
    ra.context()
    mine = psutil.Process().net_connections("tcp")
    assert [each for each in mine if each.status == psutil.CONN_LISTEN] == []


def test_the_secret_is_in_no_argument_environment_or_log(
    guarded: HostProcess, tmp_path: Path
) -> None:
    with attached(guarded, tmp_path / "secret") as mesh:
        mesh.spawn_procs().initialized.get(SECONDS)
        host = psutil.Process(guarded.pid)
        for each in [host, *host.children(recursive=True)]:
            for name in ("cmdline", "environ"):
                assert SECRET not in Path(f"/proc/{each.pid}/{name}").read_bytes()
        assert SECRET.decode() not in repr(mesh)
        assert SECRET.decode() not in str(config.get_global_config())
    assert SECRET.decode() not in "".join(guarded.said)


@pytest.mark.parametrize("address", ["tcp://0.0.0.0:0", "tcp://127.0.0.1:5@tcp://*:0"])
def test_everybody_is_trusted_on_this_machine_only(address: str) -> None:
    with pytest.raises(CredentialsError, match=r"can be reached from other machines"):
        ra.start_worker_loop_forever(ca=TRUST, address=address)
    with pytest.raises(CredentialsError, match=r"^tcp://10\.0\.0\.1:5 can be reached"):
        attach_to_workers(ca=TRUST, workers=["tcp://10.0.0.1:5"])


def test_nothing_is_served_or_attached_when_nothing_secures_it(tmp_path: Path) -> None:
    with pytest.raises(CredentialsError, match=r"^there is neither a shared secret nor"):
        attach_to_workers(workers=["tcp://127.0.0.1:5"])
    with pytest.raises(CredentialsError, match=r"^there is neither a shared secret nor"):
        ra.start_worker_loop_forever(address=f"ipc://{tmp_path}/host")


def test_a_secret_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = secret_file(tmp_path / "open", mode=0o640)
    with (
        config.configured(secret_file=str(path)),
        pytest.raises(CredentialsError, match=f"mode 0640.*chmod 600 {path}"),
    ):
        attach_to_workers(workers=["tcp://127.0.0.1:5"])


def test_a_secret_that_is_short_is_refused_without_its_words(tmp_path: Path) -> None:
    path = secret_file(tmp_path / "short", b"hunter2")
    with (
        config.configured(secret_file=str(path)),
        pytest.raises(CredentialsError, match="has 7 bytes, and 16 are needed") as caught,
    ):
        attach_to_workers(workers=["tcp://127.0.0.1:5"])
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "address", ["", "tcp://", "tcp://host", "http://h:1", "ipc://", "tcp://h:x"]
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match="write tcp://HOST:PORT"):
        attach_to_workers(ca=TRUST, workers=[address])


@pytest.mark.parametrize("address", ["tcp://a..b:26600", f"tcp://{'a' * 64}.org:26600"])
def test_what_can_be_no_name_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match=r"names no host: .*label .*; write tcp://HOST:PORT"):
        attach_to_workers(ca=TRUST, workers=[address])


@pytest.mark.parametrize(
    ("address", "why"),
    [
        (f"ipc:///{'deep/' * 40}socket", "AF_UNIX path too long"),
        ("ipc:///\ud800", "surrogates not allowed"),
    ],
)
def test_what_can_be_no_path_fails(address: str, why: str, quiet: None) -> None:
    with config.configured(spawn_timeout=0.5):
        mesh = attach_to_workers(ca=TRUST, workers=[address])
        with pytest.raises(AttachError, match=why):
            mesh.initialized.get(3)


def test_a_host_says_why_when_its_path_is_too_long() -> None:
    where, _ = addresses.parsed(f"ipc:///{'deep/' * 40}socket")
    with pytest.raises(OSError, match=r"cannot listen at ipc:///deep/.*: AF_UNIX path too long"):
        addresses.listener(where)
