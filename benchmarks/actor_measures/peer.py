"""Make the environment with the peer's package, once."""

import importlib.metadata
import os
import subprocess
import sys
from pathlib import Path

PACKAGE = "monarch.actor"
REQUIREMENT = "torchmonarch==0.7.0"
ROOT = Path(__file__).resolve().parent.parent.parent
ENVIRONMENT = ROOT / "build" / "actors-peer"


class PeerError(Exception):
    """The peer cannot be installed here; the text says why."""


def peer_python() -> Path:
    """Return the interpreter of the peer's environment, which is made if it is not there.

    It gets the torch that this interpreter has, from the index in TORCH_INDEX if that is set, so
    that both sides send the same tensors; without torch here it gets none.
    """
    python = ENVIRONMENT / "bin" / "python"
    made = ENVIRONMENT / "made-for"
    wanted = "\n".join([REQUIREMENT, "numpy", *_torch()])
    if not (made.is_file() and made.read_text() == wanted):
        print(f"installing {', '.join(wanted.splitlines())} into {ENVIRONMENT}", file=sys.stderr)
        _run([sys.executable, "-m", "venv", "--clear", str(ENVIRONMENT)])
        index = os.environ.get("TORCH_INDEX", "")
        command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        command += ["--extra-index-url", index] if index else []
        _run([*command, "--constraint", str(ROOT / "constraints.txt"), *wanted.splitlines()])
        made.write_text(wanted)
    return python


def _torch() -> list[str]:
    try:
        version = importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        return []
    return [f"torch=={version.split('+')[0]}"]


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1800)
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        raise PeerError(f"{REQUIREMENT} could not be installed: {' '.join(said)[:200]}")
