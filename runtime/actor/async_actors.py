"""Actors whose endpoints are coroutines: an event loop that takes their messages."""

from __future__ import annotations

import asyncio
import functools
from concurrent.futures.thread import ThreadPoolExecutor
from contextlib import suppress

from runtime import config
from runtime.actor import _context, loops, undelivered
from runtime.actor.actor import offer_of
from runtime.actor.leaving import leave_fork

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from runtime.actor.actors import Runner
    from runtime.actor.answers import Answer
    from runtime.core import Message


def serve(runner: Runner) -> None:
    """Run the actor's event loop until the actor ends; its `__cleanup__` runs in the same loop."""
    loop = asyncio.Runner()
    runner.finish_async = lambda done: loop.run(_in_time(done))
    runner.close_async = loop.close
    loop.run(_Server(runner).run())


async def _in_time(done: Awaitable[object]) -> None:
    await asyncio.wait_for(done, config.get("cleanup_timeout"))


class _Server:
    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._beside: dict[asyncio.Task[None], Answer] = {}
        self._calls: dict[tuple[int, int], asyncio.Task[None]] = {}
        self._failed: BaseException | None = None
        self._current: asyncio.Task[None] | None = None  # that others wait for
        self._interrupted: asyncio.Task[None] | None = None

    async def run(self) -> None:
        runner = self._runner
        loop = asyncio.get_running_loop()
        loop.set_default_executor(_Executor())
        runner.give_up = self._give_up_from(loop)  # type: ignore[method-assign]
        runner.interrupt = functools.partial(_on, loop, self._interrupt)
        try:
            while True:
                message = runner.mailbox.take()
                if message is None:
                    if runner.mailbox.closed:
                        return
                    await loops.until(_News(runner), self._has_news)
                    if self._failed is not None:
                        raise self._failed
                    continue
                await self._handle(message)
        finally:
            await self._cancel_all()

    def _has_news(self) -> bool:
        mailbox = self._runner.mailbox
        return len(mailbox) > 0 or mailbox.closed or self._failed is not None

    async def _handle(self, message: Message) -> None:
        runner = self._runner
        if message.method == "!supervise":
            await runner.supervise(message, asyncio.current_task())
            return
        if message.method == "!undelivered":
            later = undelivered.take_back(runner._user, message.data)  # noqa: SLF001 - as control
            if later is not None:
                await later
            return
        if message.method.startswith("!"):
            runner.control(message)
            return
        if runner.is_cancelled(message):
            return
        call = runner.unpack(message)
        if call is None:
            return
        task = asyncio.get_running_loop().create_task(self._run(message, *call))
        task.add_done_callback(functools.partial(_answer_unbegun, call[-1]))
        key = (message.source_node, message.request)
        if message.request:
            self._calls[key] = task
            task.add_done_callback(lambda _: self._calls.pop(key, None))
        found = offer_of(type(runner._user)).endpoints.get(message.method)  # noqa: SLF001
        if found is not None and found.concurrent:
            self._beside[task] = call[-1]
            task.add_done_callback(self._done_beside)
        else:
            self._current = task
            await asyncio.wait((task,))
            self._current = None
            if not task.cancelled():
                task.result()

    def _done_beside(self, task: asyncio.Task[None]) -> None:
        self._beside.pop(task, None)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._failed = error
            self._runner.fail_with(error)

    async def _run(self, message, method, args, kwargs, context, answer) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001, PLR0913, PLR0917
        _context.enter(context)
        watch = self._runner.watch
        span = watch.begin(message, asyncio.current_task())
        failed, cancelled = True, False
        try:
            result = method(*args, **kwargs)
            if hasattr(result, "__await__"):
                result = await result
            leave_fork(None)
            answer.result(result)
            failed = False
        except asyncio.CancelledError:
            failed, cancelled = False, True
            if asyncio.current_task() is self._interrupted:
                answer.ended()
            else:
                answer.cancelled()
        except Exception as error:  # noqa: BLE001 - the endpoint's own
            leave_fork(error)
            answer.error(error)
        except BaseException as error:
            leave_fork(error)
            answer.fatal(error)
            raise
        finally:
            beside = not context.waits
            watch.end(span, failed=failed, cancelled=cancelled, beside=beside)

    def _interrupt(self) -> None:
        """Cancel what holds up the end of the actor, which has been told."""
        task = self._interrupted = self._current
        if task is not None:
            task.cancel()

    def _give_up_from(self, loop: asyncio.AbstractEventLoop):  # type: ignore[no-untyped-def]  # noqa: ANN202
        before = self._runner.give_up

        def give_up(caller: int, request: int) -> None:
            def on_loop() -> None:
                task = self._calls.get((caller, request))
                if task is not None:
                    task.cancel()
                else:
                    before(caller, request)

            loop.call_soon_threadsafe(on_loop)

        return give_up

    async def _cancel_all(self) -> None:
        answers = dict(self._beside)
        for task in answers:
            task.remove_done_callback(self._done_beside)
            task.cancel()
        if answers:
            _, left = await asyncio.wait(answers, timeout=config.get("cleanup_timeout"))
            for task in left:  # it will not be cancelled; who waits for it is told all the same
                answers[task].cancelled()


def _answer_unbegun(answer: Answer, task: asyncio.Task[None]) -> None:
    """Answer a call that was cancelled before its first step; any other has answered itself."""
    if task.cancelled():
        answer.cancelled()


def _on(loop: asyncio.AbstractEventLoop, do: Callable[[], None]) -> None:
    """Do something on a loop, unless it is closed: its actor has ended. From any thread."""
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(do)


class _Executor(ThreadPoolExecutor):
    """The threads of `asyncio.to_thread`; the end of an actor does not wait for them."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT001, FBT002 - its base's
        del wait, cancel_futures
        super().shutdown(wait=False, cancel_futures=True)


class _News:
    """The mailbox as a source of news for the loop."""

    def __init__(self, runner: Runner) -> None:
        self.notify = runner.mailbox.notify
