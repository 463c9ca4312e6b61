"""Stand for a package of actors in one file, so that the benchmark's clients can be tested."""

import multiprocessing
from typing import Any

_FORK = multiprocessing.get_context("fork")


class SupervisionError(RuntimeError):
    """The process of an actor is gone."""


class Actor:
    """Has no powers of its own."""


def endpoint(method: Any) -> Any:
    return method


def _serve(connection: Any) -> None:
    actor = connection.recv()()
    while True:
        name, arguments = connection.recv()
        connection.send(getattr(actor, name)(*arguments))


class Proc:
    def __init__(self) -> None:
        self.connection, other = _FORK.Pipe()
        self.process = _FORK.Process(target=_serve, args=(other,), daemon=True)
        self.process.start()
        other.close()
        self.asked = 0
        self.answers: list[Any] = []


class Future:
    def __init__(self, proc: Proc) -> None:
        self.proc, self.number = proc, proc.asked
        proc.asked += 1

    def get(self, timeout: float) -> Any:
        while len(self.proc.answers) <= self.number:
            try:
                if not self.proc.connection.poll(timeout):
                    raise TimeoutError
                self.proc.answers.append(self.proc.connection.recv())
            except (EOFError, ConnectionResetError):
                raise SupervisionError from None
        return self.proc.answers[self.number]


class Values:
    def __init__(self, futures: list[Future]) -> None:
        self.futures, self.answers = futures, []

    def get(self, timeout: float) -> "Values":
        self.answers = [future.get(timeout) for future in self.futures]
        return self

    def values(self) -> list[Any]:
        return self.answers


class Endpoint:
    def __init__(self, procs: list[Proc], name: str) -> None:
        self.procs, self.name = procs, name

    def _ask(self, proc: Proc, arguments: tuple[Any, ...]) -> Future:
        proc.connection.send((self.name, arguments))
        return Future(proc)

    def call(self, *arguments: Any) -> Values:
        return Values([self._ask(proc, arguments) for proc in self.procs])

    def call_one(self, *arguments: Any) -> Future:
        (proc,) = self.procs
        return self._ask(proc, arguments)


class ActorMesh:
    def __init__(self, procs: list[Proc]) -> None:
        self.procs = procs

    def __getattr__(self, name: str) -> Endpoint:
        return Endpoint(self.procs, name)

    def slice(self, procs: int) -> "ActorMesh":
        return ActorMesh([self.procs[procs]])


class ProcMesh:
    def __init__(self, count: int) -> None:
        self.procs = [Proc() for _ in range(count)]

    def spawn(self, _name: str, kind: Any) -> ActorMesh:
        for proc in self.procs:
            proc.connection.send(kind)
        return ActorMesh(self.procs)

    def stop(self) -> Values:
        for proc in self.procs:
            proc.process.kill()
            proc.process.join()
        return Values([])


class Host:
    def spawn_procs(self, per_host: dict[str, int]) -> ProcMesh:
        return ProcMesh(per_host["procs"])


def this_host() -> Host:
    return Host()


def shutdown_context() -> Values:
    return Values([])
