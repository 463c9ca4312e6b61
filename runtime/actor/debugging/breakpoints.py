"""`breakpoint()` in an actor: pdb, whose terminal is the program's debugger."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from runtime.actor import _context
from runtime.actor._context import STANDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

    from runtime.actor.channel import PortReceiver
    from runtime.actor.debugging.sessions import Stop


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
    if found is not _PASSED:
        found.set_trace(sys._getframe(1))  # noqa: SLF001 - documented, and what pdb does
    return None


_PASSED = object()  # what an actor has in the place of a pdb that nobody could talk to


class _Lines:
    """What is typed at the debugger's terminal."""

    def __init__(self, receiver: PortReceiver[str]) -> None:
        self._receiver = receiver

    def readline(self) -> str:
        """Wait for a line."""
        import warnings

        with warnings.catch_warnings():  # the loop of an async actor is to stand still
            warnings.simplefilter("ignore", UserWarning)
            return str(self._receiver.recv().get())


class _Text:
    """What pdb prints."""

    def __init__(self, controller: Any, key: str) -> None:  # noqa: ANN401 - a DebugController's mesh
        self._controller = controller
        self._key = key

    def write(self, text: str) -> int:
        """Send it to the debugger."""
        self._controller.told.broadcast(self._key, text)
        return len(text)

    def flush(self) -> None:
        """Do nothing: what was written has been sent."""


def _where(instance: _context.Instance, frame: FrameType | None) -> Stop:
    """Return where an actor stands."""
    from runtime.actor.debugging.sessions import Stop

    code = frame.f_code if frame is not None else None
    return Stop(
        instance.actor_id,
        instance.path,
        instance.name,
        dict(instance.rank),
        instance.rank.rank,
        instance.node,
        code.co_qualname if code else "",
        code.co_filename if code else "",
        frame.f_lineno if frame is not None else 0,
    )


def _tell_going(controller: Any, key: str) -> None:  # noqa: ANN401 - a DebugController's mesh
    """Return when the debugger has told its terminal that the actor goes on.

    It is waited for: the program may end with what the actor does next, and then whoever typed
    `continue` would see the debugger end without an answer.
    """
    import warnings

    from runtime.actor.errors import SupervisionError

    with warnings.catch_warnings():  # the loop of an async actor is to stand still
        warnings.simplefilter("ignore", UserWarning)
        with suppress(SupervisionError):  # the client has ended, and its terminals with it
            controller.goes_on.call_one(key).get()


def _remote(instance: _context.Instance) -> Any:  # noqa: ANN401 - a Pdb
    """Return the pdb of an actor. Its classes are made when they are needed: pdb is large."""
    import pdb  # noqa: T100 - that is what it is
    import warnings

    from runtime.actor.channel import Channel
    from runtime.actor.debugging.debugger import debug_controller

    port, receiver = Channel.open()
    key = instance.actor_id
    with warnings.catch_warnings():  # the loop of an async actor is to stand still
        warnings.simplefilter("ignore", UserWarning)
        controller = debug_controller()
        problem = controller.problem.call_one().get()
    if problem:
        print(  # noqa: T201 - to whoever set the breakpoint
            f"breakpoints are passed: nobody could reach the debugger: {problem}", file=sys.stderr
        )
        return _PASSED

    class Remote(pdb.Pdb):
        """A pdb that says when it begins and ends to wait for commands."""

        def __init__(self) -> None:
            super().__init__(
                stdin=_Lines(receiver),  # type: ignore[arg-type]
                stdout=_Text(controller, key),  # type: ignore[arg-type]
                skip=["runtime.*"],
                nosigint=True,
            )

        def interaction(self, frame: FrameType | None, traceback: Any) -> None:  # noqa: ANN401
            controller.stopped.broadcast(_where(instance, frame), port)
            instance.own[STANDS] = True
            try:
                super().interaction(frame, traceback)
            finally:
                del instance.own[STANDS]

        def set_continue(self) -> None:
            super().set_continue()
            _tell_going(controller, key)

        def set_quit(self) -> None:
            super().set_quit()
            _tell_going(controller, key)

    return Remote()
