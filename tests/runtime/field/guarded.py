"""A host that asks for a secret, for the field cases about who is let in."""

import atexit
import logging
import os
import secrets
import tempfile
from pathlib import Path

from runtime import config
from runtime.actor import AttachError, CredentialsError, attach_to_workers
from tests.runtime.actor.host_processes import HostProcess

LONG = 60.0
_SECRET_BYTES = 24


class _Records(logging.Handler):
    """Keeps what is logged."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one record."""
        self.texts.append(record.getMessage())


class _Guarded:
    """The host, its secret, and everything that was logged about it."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self.token = secrets.token_hex(_SECRET_BYTES)
        self.records = _Records()
        logging.getLogger("runtime").addHandler(self.records)
        path = self._file(self.token)
        self.host = HostProcess(
            "tcp://127.0.0.1:0", ca="", environment={"ECLOSION_SECRET_FILE": path}
        )
        config.configure(secret_file=path)
        try:
            assert self.connect(self.token) == "ok"
        except BaseException:
            self.close()
            raise

    def connect(self, token: str) -> str:
        """Attach the host with a token; return "ok" or "refused"."""
        with config.configured(secret_file=self._file(token), spawn_timeout=10):
            try:
                mesh = attach_to_workers(workers=[self.host.address])
                mesh.initialized.get(LONG)
            except (AttachError, CredentialsError):
                return "refused"
            mesh.spawn_procs().initialized.get(LONG)
            mesh.stop().get(LONG)
            return "ok"

    def close(self) -> None:
        """End the host."""
        logging.getLogger("runtime").removeHandler(self.records)
        self.host.close()
        self._folder.cleanup()

    def _file(self, token: str) -> str:
        path = Path(self._folder.name) / f"secret{len(os.listdir(self._folder.name))}"  # noqa: PTH208
        path.write_text(f"{token}\n")
        path.chmod(0o600)
        return str(path)


_present: list[_Guarded] = []


def guarded() -> _Guarded:
    """Return the host; the first call starts it."""
    if not _present:
        _present.append(_Guarded())
        atexit.register(close)  # for programs that call a check without more ado
    return _present[0]


def secret_in_use() -> str:
    """Return the secret by which this program and a host of it know each other."""
    return guarded().token


def connect_with_token(token: str) -> str:
    """Try to attach that host with a token; return "ok" or "refused"."""
    return guarded().connect(token)


def captured_logs() -> str:
    """Return all that this program and the host have logged."""
    return "\n".join([*guarded().records.texts, *guarded().host.said])


def close() -> None:
    """End the host, if it was started."""
    while _present:
        _present.pop().close()
