"""Signals that have to wait."""

import signal

from porting.processes import signals_held


def test_signals_wait_until_the_block_ends() -> None:
    came: list[int] = []
    former = signal.signal(signal.SIGHUP, lambda number, _: came.append(number))
    try:
        with signals_held():
            signal.raise_signal(signal.SIGHUP)
            inside = list(came)
    finally:
        signal.signal(signal.SIGHUP, former)
    assert inside == []
    assert came == [signal.SIGHUP]
