"""Messages and descriptors that cross the control socket, and what does not."""

import os
import resource
from collections.abc import Iterator

import pytest

from runtime.actor.launch import control
from runtime.actor.launch.control import Control

Ends = tuple[Control, Control]


@pytest.fixture
def ends() -> Iterator[Ends]:
    near, far = (Control(each) for each in control.pair())
    yield near, far
    near.close()
    far.close()


def test_receive_when_a_message_was_sent(ends: Ends) -> None:
    message = ("spawn", {"a": [1, b"\0", "\udc80", None, 1.5]}, True)
    assert ends[0].send(message)
    assert ends[1].receive() == (message, [])


def test_receive_when_messages_queue(ends: Ends) -> None:
    assert all(ends[0].send(("number", n)) for n in range(20))
    assert [ends[1].receive() for _ in range(20)] == [(("number", n), []) for n in range(20)]


def test_receive_when_nothing_was_sent(ends: Ends) -> None:
    with pytest.raises(BlockingIOError):
        ends[1].receive()


def test_receive_when_the_peer_has_closed(ends: Ends) -> None:
    ends[0].send(("last",))
    ends[0].close()
    assert ends[1].receive() == (("last",), [])
    assert ends[1].receive() is None


def test_receive_when_the_peer_has_closed_without_reading(ends: Ends) -> None:
    ends[1].send(("never read",))
    ends[0].send(("last",))
    ends[0].close()
    assert ends[1].receive() == (("last",), [])
    assert ends[1].receive() is None


def test_send_when_the_peer_has_closed(ends: Ends) -> None:
    ends[1].close()
    with pytest.raises(BrokenPipeError):
        ends[0].send(("lost",))


def test_send_when_the_socket_is_full(ends: Ends) -> None:
    payload = b"x" * 10_000
    sent = 0
    while ends[0].send((sent, payload)):
        sent += 1
    assert sent > 5
    for number in range(sent):
        assert ends[1].receive() == ((number, payload), [])
    assert ends[0].send((sent, payload))


@pytest.mark.parametrize("size", [10, 15_000, 16_384, 1_000_000])
def test_receive_when_descriptors_come_with_it(ends: Ends, size: int) -> None:
    read, write = os.pipe()
    ends[0].send(("fds", b"x" * size), [write, read])
    os.close(write)
    os.close(read)
    received = ends[1].receive()
    assert received is not None
    message, (its_write, its_read) = received
    assert message == ("fds", b"x" * size)
    assert not os.get_inheritable(its_write)
    os.write(its_write, b"through")
    os.close(its_write)
    assert os.read(its_read, 100) == b"through"
    assert os.read(its_read, 100) == b""
    os.close(its_read)


def test_send_when_a_message_has_too_many_descriptors(ends: Ends) -> None:
    with pytest.raises(ValueError, match=r"^253 descriptors in one message, 252 can pass$"):
        ends[0].send(("fds",), [0] * 253)


def test_receive_when_the_process_has_no_room_for_descriptors(ends: Ends) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    ends[0].send(("fds", "x"), [0, 1, 2])
    probe = os.dup(0)
    os.close(probe)
    resource.setrlimit(resource.RLIMIT_NOFILE, (probe + 1, hard))
    try:
        received = ends[1].receive()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert received is not None
    message, fds = received
    for fd in fds:
        os.close(fd)
    assert message == ("incomplete", ("fds", "x"), 3, len(fds))
    assert len(fds) < 3
