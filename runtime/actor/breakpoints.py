"""`breakpoint()` in an actor: pdb, whose terminal is the program's debugger."""

from __future__ import annotations

import os
import sys

from runtime.actor import _context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any


def install() -> None:
    """Have `breakpoint()` stop actors of this process, unless PYTHONBREAKPOINT says else."""
    if "PYTHONBREAKPOINT" not in os.environ:
        sys.breakpointhook = _stop


def _stop(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - breakpoint()'s
    """Stop the running actor at the line after the call; code of no actor has the usual pdb."""
    context = _context.current()
    if context is None:
        return sys.__breakpointhook__(*args, **kwargs)  # noqa: T100 - that is what it is
    instance = context.actor_instance
    found = instance.own.get("debugger")
    if found is None:
        found = instance.own["debugger"] = _remote(instance)
    found.set_trace(sys._getframe(1))  # noqa: SLF001 - documented, and what pdb does
    return None


def _remote(instance: _context.Instance) -> Any:  # noqa: ANN401 - a Pdb
    """Return the pdb of an actor. Its classes are made when they are needed: pdb is large."""
    import pdb  # noqa: T100 - that is what it is
    import warnings

    from runtime.actor.channel import Channel
    from runtime.actor.debug_sessions import Stop
    from runtime.actor.debugger import debug_controller

    port, receiver = Channel.open()
    key = instance.actor_id
    with warnings.catch_warnings():  # the loop of an async actor is to stand still
        warnings.simplefilter("ignore", UserWarning)
        controller = debug_controller()

    class Lines:
        """What is typed at the debugger's terminal."""

        def readline(self) -> str:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                return str(receiver.recv().get())

    class Text:
        """What pdb prints."""

        def write(self, text: str) -> int:
            controller.told.broadcast(key, text)
            return len(text)

        def flush(self) -> None:
            pass

    class Remote(pdb.Pdb):
        """A pdb that says when it begins and ends to wait for commands."""

        def __init__(self) -> None:
            super().__init__(stdin=Lines(), stdout=Text(), skip=["runtime.*"], nosigint=True)  # type: ignore[arg-type]

        def interaction(self, frame: FrameType | None, traceback: Any) -> None:  # noqa: ANN401
            where = frame.f_code if frame is not None else None
            controller.stopped.broadcast(
                Stop(
                    key,
                    instance.path,
                    instance.name,
                    dict(instance.rank),
                    instance.rank.rank,
                    instance.node,
                    where.co_qualname if where else "",
                    where.co_filename if where else "",
                    frame.f_lineno if frame is not None else 0,
                ),
                port,
            )
            super().interaction(frame, traceback)

        def set_continue(self) -> None:
            super().set_continue()
            controller.goes_on.broadcast(key)

        def set_quit(self) -> None:
            super().set_quit()
            controller.goes_on.broadcast(key)

    return Remote()
