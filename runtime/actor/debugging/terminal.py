"""One terminal of the debugger: lines in, text out. Whoever attaches talks to an actor's pdb."""

from __future__ import annotations

import re
import threading
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket

    from runtime.actor.debugging.sessions import Session, Sessions

PROMPT = "debug> "
_CAST = re.compile(r"(?P<name>\S+)\s+ranks\((?P<ranks>[^)]*)\)\s+(?P<line>.+)")
HELP = """\
list                         the actors that are at a breakpoint
attach NUMBER                talk to the pdb of one; `detach` leaves it there
cast NAME ranks(DIMS) LINE   give a line to the pdb of several actors of a mesh; what they
                             print is shown by `attach`, to each when it is attached to;
                             DIMS is like gpus=0:4, hosts=1, or ranks like 0, 3, or nothing for all
continue                     let all of them go on
quit                         leave the debugger; what stands still stands
"""


class Terminal:
    """Serves one connection, on a thread of its own."""

    def __init__(self, sessions: Sessions, connection: socket.socket) -> None:
        self._sessions = sessions
        self._connection = connection
        self._session: Session | None = None
        self._lock = threading.Lock()

    def run(self) -> None:
        """Serve until the other side leaves."""
        try:
            with self._connection, suppress(OSError):
                self.show(self._list() + PROMPT)
                with self._connection.makefile("r", encoding="utf-8", errors="replace") as lines:
                    for line in lines:
                        if not self._take(line.rstrip("\r\n")):
                            break
        finally:  # whatever ended it: no other could attach to an actor that is left attached
            self._detach()

    def show(self, text: str) -> None:
        """Print something; a terminal that has gone sees nothing."""
        with self._lock, suppress(OSError):
            self._connection.sendall(text.encode())

    def gone(self, session: Session) -> None:
        """Leave the actor, which runs again. With the sessions' lock."""
        session.terminal = self._session = None
        self.show(f"{session.stop.path} goes on\n{PROMPT}")

    def _take(self, line: str) -> bool:
        """Do what a line says; return whether there may be another."""
        with self._sessions.lock:
            session = self._session
            if session is not None and line.strip() != "detach":
                session.send(line)
                return True
            if session is not None:
                self._detach()
                self.show(f"{session.where} stands still\n{PROMPT}")
                return True
            word, _, rest = line.strip().partition(" ")
            if word in ("quit", "q"):
                return False
            self._do(word, rest.strip())
            return True

    def _do(self, word: str, rest: str) -> None:
        match word:
            case "":
                self.show(PROMPT)
            case "list" | "l":
                self.show(self._list() + PROMPT)
            case "attach" | "a":
                self._attach(rest)
            case "cast":
                self.show(self._cast(rest) + PROMPT)
            case "continue" | "c":
                self.show(self._continue() + PROMPT)
            case "help" | "h":
                self.show(HELP + PROMPT)
            case _:
                self.show(f"there is no command {word!r}; `help` lists them\n{PROMPT}")

    def _list(self) -> str:
        standing = self._sessions.standing()
        if not standing:
            return "no actor is at a breakpoint\n"
        return "".join(f"{each.number}  {each.where}\n" for each in standing)

    def _attach(self, text: str) -> None:
        session = next((s for s in self._sessions.standing() if str(s.number) == text), None)
        if session is None:
            self.show(f"no actor with number {text!r} is at a breakpoint\n{PROMPT}")
        elif session.terminal is not None:
            self.show(f"another terminal is attached to {session.stop.path}\n{PROMPT}")
        else:
            self._session, session.terminal = session, self
            self.show(f"{session.where}\n{session.unread() or '(Pdb) '}")

    def _detach(self) -> None:
        with self._sessions.lock:
            if self._session is not None:
                self._session.terminal = None
            self._session = None

    def _cast(self, text: str) -> str:
        found = _CAST.fullmatch(text)
        if not found:
            return "write it like `cast trainer ranks(gpus=0:4) p self.step`\n"
        try:
            wanted = _wanted(found["ranks"])
        except ValueError:
            return f"{found['ranks']!r} are no ranks; write gpus=0:4, hosts=1, or 0, 3\n"
        standing = self._sessions.standing()
        of_mesh = [each for each in standing if each.stop.name == found["name"]]
        if not of_mesh:
            names = ", ".join(sorted({each.stop.name for each in standing})) or "none"
            return f"no mesh {found['name']!r} is at a breakpoint; those that are: {names}\n"
        for label in wanted[0]:
            if not any(label in each.stop.point for each in of_mesh):
                labels = ", ".join(of_mesh[0].stop.point) or "none"
                return f"{found['name']} has no dimension {label!r}; its dimensions: {labels}\n"
        sessions = [each for each in of_mesh if _is_wanted(each, wanted)]
        for session in sessions:
            session.send(found["line"])
        numbers = ", ".join(str(each.number) for each in sessions)
        shown = f"; `attach` shows what each prints: {numbers}" if sessions else ""
        return f"given to {len(sessions)} actors{shown}\n"

    def _continue(self) -> str:
        standing = self._sessions.standing()
        for session in standing:
            session.send("continue")
        return f"{len(standing)} actors go on\n"


def _wanted(text: str) -> tuple[dict[str, range], set[int]]:
    """Return the indices of dimensions, and the ranks, that a text names."""
    dims: dict[str, range] = {}
    ranks: set[int] = set()
    for part in filter(None, (each.strip() for each in text.split(","))):
        label, equals, index = part.partition("=")
        if not equals:
            ranks.add(int(label))
            continue
        first, colon, last = index.partition(":")
        begin = int(first or 0)
        dims[label.strip()] = range(begin, (int(last) if last else 1 << 62) if colon else begin + 1)
    return dims, ranks


def _is_wanted(session: Session, wanted: tuple[dict[str, range], set[int]]) -> bool:
    dims, ranks = wanted
    point = session.stop.point
    in_dims = all(label in point and point[label] in index for label, index in dims.items())
    return in_dims and (not ranks or session.stop.rank in ranks)
