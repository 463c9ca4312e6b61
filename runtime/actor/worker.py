"""What a process of a mesh runs: its node, its agent, until it is told to leave."""

from __future__ import annotations

import atexit
import faulthandler
import os
import signal
import sys
import time
from contextlib import suppress

from runtime import config
from runtime.actor import _context, last_words, local, sending, telling, unseen
from runtime.actor.agent import Agent
from runtime.actor.debugging import breakpoints
from runtime.actor.identity import context_of_process, fill
from runtime.actor.launch.child import leave_to_gateway
from runtime.actor.logs import marking
from runtime.actor.observing.process import DUMP, observe
from runtime.actor.raised import print_exception, say
from runtime.transport.pickling import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from runtime.core import Message

_NOBODY = 1  # the actor that code of no actor is
_NO_GATEWAY = 70  # status of a process whose gateway is gone


def main(fds: dict[str, int], argument: bytes) -> NoReturn:
    """Be a process of a mesh."""
    node_id, name, root, settings, bootstrap = loads(argument)
    config.adopt(settings)
    marking.install()
    breakpoints.install()
    here = local.Local(node_id, name, root)
    local.install(here)
    here.node.start()
    here.node.adopt(fds["gateway"], here.gateway, unix_socket=True)
    here.node.listen(fds["listener"])
    worker = Worker(here)
    telling.begin(here)
    faulthandler.register(DUMP, file=2)
    if bootstrap is not None:
        try:
            loads(bootstrap)[0]()
        except BaseException as error:  # noqa: BLE001 - the user's own
            print_exception(error)
            leave(1)
    leave(worker.run())


def leave(status: int) -> NoReturn:
    """End the process: exit handlers run, and threads of actors that do not end do not hold it.

    The interpreter's own end would wait for the threads of executors, and take modules away from
    under the threads that still run.
    """
    atexit._run_exitfuncs()  # noqa: SLF001 - as multiprocessing does
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(status)


class Worker:
    """The process from its start to its end."""

    def __init__(self, here: local.Local) -> None:
        self._here = here
        self._status = 0
        self._hurries = False
        self._terms = 0  # SIGTERMs that only ask for the end
        self.agent = Agent(here, fill)
        observe(self.agent)
        self.agent.handlers |= {"leave": self._leave, "!lost": self._lost}
        _context.provide_root(lambda: context_of_process(here, _NOBODY))
        signal.signal(signal.SIGTERM, self._terminated)
        os.register_at_fork(after_in_child=self._forked)

    def run(self) -> int:
        """Serve until the end."""
        data, _ = dumps((os.getpid(),))
        sending.tell(self._here.node, [self._here.gateway], "ready", data)
        self.agent.run()
        if self._status != _NO_GATEWAY:
            self._end_actors()
            unseen.tell_settled()
            self._here.node.stop()
        return self._status

    def _forked(self) -> None:
        """Have signals end a fork as they end any program: nobody else would."""
        if signal.getsignal(signal.SIGTERM) == self._terminated:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if signal.getsignal(signal.SIGINT) is leave_to_gateway:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _leave(self, message: Message) -> None:
        if message.data and not self.agent.leaving:  # else it has come already
            self._terms = 1
        self.agent.leaving = True

    def _terminated(self, *_: Any) -> None:  # noqa: ANN401 - a signal handler's
        self._hurries = self.agent.leaving and not self._terms
        self._terms = 0
        self.agent.leaving = True

    def _lost(self, message: Message) -> None:
        """Leave when the gateway is gone: whoever wanted this process is too."""
        if message.source_node == self._here.gateway:
            say(f"the connection to its gateway is lost: {message.data.decode(errors='replace')}\n")
            self._status = _NO_GATEWAY
            self.agent.leaving = True

    def _end_actors(self) -> None:
        """End the actors; those that own others have the time that these need to end."""
        last_words.end(list(self.agent.actors.values()))
        begun = time.monotonic()
        end = begun + config.get("cleanup_timeout")
        owners = self._here.owners
        self.agent.run_until(
            lambda: (
                not self.agent.actors
                or self._hurries
                or (time.monotonic() >= end and not any(each.owns for each in owners.values()))
            )
        )
        last_words.say_cut_off(list(self.agent.actors.values()), begun)
