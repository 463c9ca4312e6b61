"""What a program, or a host, says about how hosts are reached."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from runtime import actor as ra
from runtime import config, core
from runtime.actor import ChannelTransport, local
from runtime.actor.hosts import addresses
from tests.runtime.actor.host_processes import TRUST, HostProcess
from tests.runtime.field.scripts import Script

SECONDS = 30.0


@pytest.fixture
def new(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make this process one that is no part of a program yet, with no transport set."""
    monkeypatch.setattr(local, "_present", [])
    with config.configured(transport="unix"):
        yield


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("tcp", "tcp"),
        ("ipc", "unix"),
        ("tcp://node7:26600", "tcp"),
        ("ipc:///run/host", "unix"),
        (ChannelTransport.TcpWithLocalhost, "tcp"),
        (ChannelTransport.TcpWithHostname, "tcp"),
        (ChannelTransport.Unix, "unix"),
        (ChannelTransport.Local, "unix"),
    ],
)
def test_enable_transport_is_the_setting(
    new: None, given: str | ChannelTransport, kept: str
) -> None:
    ra.enable_transport(given)
    assert config.get("transport") == kept
    config.configure(transport="unix")
    if isinstance(given, ChannelTransport):  # as programs for Monarch have it
        config.configure(default_transport=given)
        assert config.get("transport") == kept


def test_enable_transport_when_there_is_none_of_that_name(new: None) -> None:
    with pytest.raises(ValueError, match=r"^there is no transport 'quic'; there are unix, ipc, "):
        ra.enable_transport("quic")
    with pytest.raises(config.ConfigError, match=r"^transport='quic' is not unix, tcp or tls$"):
        config.configure(transport="quic")


def test_enable_transport_when_the_machine_has_no_tls(
    new: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core, "tls_unavailable", lambda: "libssl.so.3 is not there")
    with pytest.raises(ValueError, match=r"^TLS is not available: libssl\.so\.3 is not there$"):
        ra.enable_transport("tls")
    assert config.get("transport") == "unix"


def test_enable_transport_when_the_program_has_begun() -> None:
    ra.context()
    with pytest.raises(RuntimeError, match="comes before the first mesh"):
        ra.enable_transport("tcp")


def test_an_address_without_a_scheme_is_of_the_transport(new: None) -> None:
    assert str(addresses.parsed("/run/host")[0]) == "ipc:///run/host"
    with pytest.raises(ValueError, match=r'is no path, .*enable_transport\("tcp"\) first$'):
        addresses.parsed("node7:26600")
    ra.enable_transport("tcp")
    assert [str(each) for each in addresses.parsed("node7:26600@*:26600")] == [
        "tcp://node7:26600",
        "tcp://0.0.0.0:26600",
    ]


def test_what_is_not_encrypted_is_refused_when_the_program_counts_on_tls(
    new: None, tmp_path: Path
) -> None:
    if core.tls_unavailable():
        pytest.skip(f"TLS is not available: {core.tls_unavailable()}")
    ra.enable_transport("tls")
    words = r"^tcp://127\.0\.0\.1:9 is without TLS, and transport is tls; write tls://127"
    with pytest.raises(ValueError, match=words):
        ra.attach_to_workers(ca=TRUST, workers=["tcp://127.0.0.1:9"])
    with pytest.raises(ValueError, match=words):
        ra.run_worker_loop_forever(ca=TRUST, address="tcp://127.0.0.1:9")
    assert str(addresses.parsed("127.0.0.1:9")[0]) == "tls://127.0.0.1:9"


def test_a_host_and_a_program_meet_when_both_have_the_transport(
    start: Callable[..., HostProcess], program: Callable[[str], Script]
) -> None:
    host = start("127.0.0.1:0", environment={"ECLOSION_TRANSPORT": "tcp"})
    assert host.address.startswith("tcp://127.0.0.1:")
    script = program(f"""
from runtime import actor
actor.enable_transport("tcp")
hosts = actor.attach_to_workers(ca={TRUST!r}, workers=[{host.address.removeprefix("tcp://")!r}])
hosts.initialized.get(20)
print("SIZES", hosts.sizes, flush=True)
""")
    assert script.marker("SIZES", SECONDS) == {"hosts": 1}


def test_start_worker_loop_returns_when_it_listens_and_ends_when_it_is_shut_down(
    program: Callable[[str], Script], tmp_path: Path
) -> None:
    address = f"ipc://{tmp_path}/host"
    host = program(f"""
from runtime import actor
served = actor.start_worker_loop_forever(ca={TRUST!r}, address={address!r})
print("LISTENS", served.done(), flush=True)
print("ENDED", served.get(60), flush=True)
""")
    assert host.marker("LISTENS", SECONDS) is False
    client = program(f"""
import os
from runtime import actor
class Member(actor.Actor):
    @actor.endpoint
    def parent(self):
        return os.getppid()
hosts = actor.attach_to_workers(ca={TRUST!r}, workers=[{address!r}])
member = hosts.spawn_procs().spawn("member", Member)
print("ANSWERS", member.parent.call_one().get(20) > 1, flush=True)
hosts.shutdown().get(20)
""")
    assert client.marker("ANSWERS", SECONDS) is True
    assert client.finish(SECONDS) == 0
    assert host.marker("ENDED", SECONDS) is None
    assert host.finish(SECONDS) == 0
    assert not (tmp_path / "host").exists()


def test_start_worker_loop_fails_at_once_when_the_address_is_taken(
    program: Callable[[str], Script],
) -> None:
    script = program(f"""
import socket
from runtime import actor
taken = socket.create_server(("127.0.0.1", 0))
address = f"tcp://127.0.0.1:{{taken.getsockname()[1]}}"
try:
    actor.start_worker_loop_forever(ca={TRUST!r}, address=address)
except OSError as error:
    print("REFUSED", repr(str(error)), flush=True)
""")
    assert "cannot listen at tcp://127.0.0.1:" in script.marker("REFUSED", SECONDS)
