"""The words of the field cases for logs do what they say."""

from tests.runtime.field import rig as rt


def test_the_aggregator_when_ranks_print_the_same() -> None:
    logs = rt.logs.aggregator(window=2.0)
    for rank in range(8):
        logs.feed(rank, "same\n")
    logs.feed(3, "mine")
    assert logs.take() == []
    logs.advance(2.0)
    assert logs.take() == ["[8 similar lines] same", "mine"]


def test_the_aggregator_when_it_has_a_clock_of_the_case() -> None:
    clock = rt.fake_clock()
    logs = rt.logs.aggregator(window=2.0, clock=clock)
    logs.feed(0, "mine")
    assert logs.take() == []
    clock.advance(2.0)
    assert logs.take() == ["mine"]


def test_logs_when_their_reader_is_paused() -> None:
    with rt.mesh(2, log_reader_paused=True, log_buffer=1 << 16) as mesh:
        group = mesh.spawn(rt.Chatter)
        group.call_all("print_lines", 20_000, timeout=60)
        mesh.resume_logs()
        lines = mesh.drain_logs()
    assert "bytes of output were dropped here" in lines
    assert len(lines) < 20_000


def test_logs_when_they_are_read() -> None:
    with rt.mesh(2, log_reader_paused=False) as mesh:
        mesh.spawn(rt.Chatter).call_all("print_lines", 3, timeout=60)
        lines = mesh.drain_logs()
    assert lines
    assert all(line.startswith("[Chatter{rank=0-1}] [2 similar lines] ") for line in lines)
