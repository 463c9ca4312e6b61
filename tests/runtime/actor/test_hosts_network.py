"""Two hosts in networks of their own: the link between them is cut and healed, certificates."""

import contextlib
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from tests.runtime.actor.host_processes import HostProcess
from tests.runtime.actor.test_actors_page import PRINTED, blocks
from tests.runtime.field.scripts import Script

SECONDS = 30.0
_CAP_NET_ADMIN, _CAP_SYS_ADMIN = 12, 21

Start = Callable[..., HostProcess]

_PROGRAM = """
import os, sys, time
from runtime import actor, config
config.configure(heartbeat_timeout=1.0, heartbeat_interval=0.1, spawn_timeout=20)
def say(word, value):  # in one write: the hook has a thread of its own
    print(f"{word} {value!r}\\n", end="", flush=True)
actor.unhandled_fault_hook = lambda failure: say("EVENT", failure.event_id)
class Greeter(actor.Actor):
    @actor.endpoint
    def hello(self, name):
        return f"hello {name}, from {dict(actor.current_rank())}"
    @actor.endpoint
    def hang(self):
        time.sleep(600)
def attached():
    hosts = actor.attach_to_workers(workers=[ADDRESS])
    greeters = hosts.spawn_procs({"gpus": 2}).spawn("greeter", Greeter)
    return greeters, list(greeters.hello.call("you").get(30).values())
greeters, said = attached()
say("SAID", said)
waiting = greeters.hang.call()
say("WAITING", 1)
began = time.monotonic()
try:
    waiting.get(30)
except actor.SupervisionError as error:
    failure = error.failure
    say("FAILED", (failure.kind, failure.cause, failure.host, time.monotonic()))
say("AGAIN", attached()[1])
"""


class Link:
    """Two network namespaces and the link between them: 10.0.0.1 and 10.0.0.2, as in the guide."""

    def __init__(self) -> None:
        self.names = (f"eclosion-a{os.getpid()}", f"eclosion-b{os.getpid()}")
        self.addresses = ("10.0.0.1", "10.0.0.2")

    def open(self) -> None:
        """Make them."""
        for name in self.names:
            _ip("netns", "add", name)
        ends = ("peer", "name", "wire", "netns", self.names[1])
        _ip("-n", self.names[0], "link", "add", "wire", "type", "veth", *ends)
        for name, address in zip(self.names, self.addresses, strict=True):
            _ip("-n", name, "addr", "add", f"{address}/24", "dev", "wire")
            for device in ("lo", "wire"):
                _ip("-n", name, "link", "set", device, "up")

    def set(self, state: str) -> None:
        """Cut it (down) or heal it (up)."""
        _ip("-n", self.names[0], "link", "set", "wire", state)

    def close(self) -> None:
        """Remove them."""
        for name in self.names:
            subprocess.run(["ip", "netns", "del", name], check=False, capture_output=True)

    def within(self, side: int) -> list[str]:
        """Return what a command begins with to run on one side."""
        return ["ip", "netns", "exec", self.names[side]]


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


@pytest.fixture
def link(missing: Callable[[str], NoReturn]) -> Iterator[Link]:
    """Give two networks that are linked, where this process may make them."""
    status = Path("/proc/self/status").read_text()
    found = re.search(r"^CapEff:\s*([0-9a-f]+)", status, re.MULTILINE)
    rights = int(found[1], 16) if found else 0
    if not rights >> _CAP_NET_ADMIN & 1 or not rights >> _CAP_SYS_ADMIN & 1:
        pytest.skip("network namespaces need CAP_NET_ADMIN and CAP_SYS_ADMIN: run as root")
    if shutil.which("ip") is None:
        missing("ip (iproute2) is not installed")
    one = Link()
    with contextlib.closing(one):
        try:
            one.open()
        except subprocess.CalledProcessError as error:
            missing(f"network namespaces cannot be made: {error.stderr.decode().strip()}")
        yield one


@pytest.fixture
def secret(tmp_path: Path) -> dict[str, str]:
    """Give the environment of machines that know a secret."""
    path = tmp_path / "secret"
    path.write_bytes(b"twenty-four bytes of it.")
    path.chmod(0o600)
    return {"ECLOSION_SECRET_FILE": str(path)}


def test_the_guide_when_its_blocks_run_on_two_machines(
    link: Link, secret: dict[str, str], signals_that_end: None
) -> None:
    page = "docs/actors.md"
    (worker,), (client,) = blocks(page, "python worker"), blocks(page, "python client")
    assert 'address="tcp://10.0.0.1:' in worker
    # The rest of the guide is for one machine; here that is the other one.
    rest = "\n".join(blocks(page)).replace("this_host()", "hosts.slice(hosts=1)")
    assert rest.count("hosts.slice(hosts=1)") >= 3
    source = f"{client}\n{rest}\nhosts.shutdown().get(timeout=30)\n"
    with contextlib.ExitStack() as stack:

        def run(program: str, side: int) -> Script:
            script = Script(program, secret, before=link.within(side))
            stack.callback(script.close)
            return script

        workers = [
            run(worker.replace("10.0.0.1", address), side)
            for side, address in enumerate(link.addresses)
        ]
        script = run(source, 0)
        assert script.finish(SECONDS * 2) == 0, script.out
        assert script.out.splitlines() == PRINTED.findall(source)
        assert [each.finish(SECONDS) for each in workers] == [0, 0]


def test_a_cut_link_fails_the_call_and_a_healed_one_lets_a_new_mesh_attach(
    link: Link, start: Start, secret: dict[str, str], signals_that_end: None
) -> None:
    environment = {
        **secret,
        "ECLOSION_HEARTBEAT_TIMEOUT": "1.0",
        "ECLOSION_HEARTBEAT_INTERVAL": "0.1",
    }
    host = start(
        f"tcp://{link.addresses[1]}:0", ca="", environment=environment, before=link.within(1)
    )
    program = _PROGRAM.replace("ADDRESS", repr(host.address))
    script = Script(program, environment, before=link.within(0))
    try:
        said = script.marker("SAID", SECONDS)
        assert said == [f"hello you, from {{'hosts': 0, 'gpus': {gpu}}}" for gpu in range(2)]
        script.marker("WAITING", SECONDS)
        began = float(Path("/proc/uptime").read_text().split()[0])
        link.set("down")
        kind, cause, _, at = script.marker("FAILED", SECONDS)
        assert kind == "heartbeat"
        assert f"at {host.address} gave no sign of life for 1 s" in cause
        assert at - began < 2.5
        host.wait_for("the client is lost")
        link.set("up")
        assert script.marker("AGAIN", SECONDS) == said
        assert script.finish(SECONDS) == 0
        assert script.out.count("EVENT") == 1
    finally:
        script.close()


def test_hosts_with_certificates_of_one_authority_attach(
    start: Start,
    tmp_path: Path,
    program: Callable[[str], Script],
    missing: Callable[[str], NoReturn],
) -> None:
    if shutil.which("openssl") is None:
        missing("openssl is not installed")
    ours, others = _certificates(tmp_path / "ours"), _certificates(tmp_path / "others")
    host = start("tls://127.0.0.1:0", ca=str(ours / "ca.pem"), private_key=str(ours / "node.pem"))
    source = """
from runtime import actor
class Greeter(actor.Actor):
    @actor.endpoint
    def count(self, data):
        return len(data)
try:
    with actor.attach_to_workers(ca=CA, private_key=KEY, workers=[ADDRESS]) as hosts:
        greeter = hosts.spawn_procs().spawn("greeter", Greeter)
        print("SIZES", [greeter.count.call_one(b"x" * n).get(30) for n in (1, 5_000_000)])
except actor.AttachError as error:
    print("REFUSED", repr(str(error)))
""".replace("ADDRESS", repr(host.address))

    def run(folder: Path) -> Script:
        named = source.replace("CA,", f"{str(folder / 'ca.pem')!r},")
        return program(named.replace("KEY,", f"{str(folder / 'node.pem')!r},"))

    assert "certificate" in run(others).marker("REFUSED", SECONDS)
    assert run(ours).marker("SIZES", SECONDS) == [1, 5_000_000]


def _certificates(folder: Path) -> Path:
    """Make an authority, and one file with a certificate of it and its key."""
    folder.mkdir()

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    new = ("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-batch")
    ca = (
        "-x509",
        "-keyout",
        "ca.key",
        "-out",
        "ca.pem",
        "-days",
        "2",
        "-subj",
        f"/CN={folder.name}",
    )
    openssl(*new, *ca)
    openssl(*new, "-keyout", "node.key", "-out", "node.csr", "-subj", "/CN=node")
    signed = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2")
    openssl("x509", "-req", "-in", "node.csr", *signed, "-out", "node.crt")
    both = (folder / "node.crt").read_text() + (folder / "node.key").read_text()
    (folder / "node.pem").write_text(both)
    return folder
