"""Where an endpoint is: the Python stack of its thread, or of its task where it awaits."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

# pathlib would cost every start of a process.
_OURS = os.path.dirname(os.path.dirname(__file__)) + os.sep  # noqa: PTH120


def stack_of(thread: int | None, task: Any) -> str:  # noqa: ANN401 - an asyncio.Task
    """Return the stack of what runs on a thread, or of a task of it that waits, as text."""
    running = _thread_frames(thread)
    if task is not None:
        waiting = _task_frames(task)
        if not any(frame in running for frame in waiting):
            return _text(waiting)
    return _text(running)


def _thread_frames(thread: int | None) -> list[FrameType]:
    frame = sys._current_frames().get(thread or 0)  # noqa: SLF001 - documented
    frames = []
    while frame is not None:
        frames.append(frame)
        frame = frame.f_back
    return frames[::-1]


def _task_frames(task: Any) -> list[FrameType]:  # noqa: ANN401
    """Return the frames of a coroutine and of all that it awaits, the outermost first."""
    frames = []
    waiting = task.get_coro()
    while waiting is not None:
        for kind in ("cr", "gi", "ag"):
            frame = getattr(waiting, f"{kind}_frame", None)
            if frame is not None:
                frames.append(frame)
                waiting = getattr(
                    waiting, f"{kind}_await" if kind != "gi" else "gi_yieldfrom", None
                )
                break
        else:
            break
    return frames


def _text(frames: list[FrameType]) -> str:
    """Format frames without the runtime's own that called the user's code."""
    import traceback

    shown = [(frame, frame.f_lineno) for frame in frames[_begin(frames) :]]
    return "".join(traceback.StackSummary.extract(iter(shown)).format())


def _begin(frames: list[FrameType]) -> int:
    """Return where the user's code begins: after the runtime's frames that called it."""
    seen = False
    for number, frame in enumerate(frames):
        ours = frame.f_code.co_filename.startswith(_OURS)
        if seen and not ours:
            return number
        seen = seen or ours
    return 0
