"""Write data/stub_values_*.json from AMD's wheels, or check that they are current.

    python -m porting.toolkits.stubs.generate_values [--check]

The bindings are compiled against AMD's real headers, so their modules hold the values.  They open
no library until one is called, hence need no ROCm.  Needs Python 3.11, which the pinned builds are
for, and network.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from porting.errors import ToolchainError
from porting.toolkits import wheels
from porting.toolkits.stubs import pxd
from porting.toolkits.stubs.libraries import STUB_SETS, StubSet
from porting.toolkits.stubs.values import Value

_DATA = Path(__file__).parents[1] / "data"
_PYTHON = (3, 11)
# Runs in a process of its own: it loads compiled modules that this process must not keep.
_DUMP = """
import enum, importlib, json, sys
found = {}
for name in sys.argv[2:]:
    module = importlib.import_module(f"{sys.argv[1]}.{name}")
    values = found[name] = {}
    for key, value in vars(module).items():
        if isinstance(value, type) and issubclass(value, enum.IntEnum):
            values.update((k, int(v)) for k, v in value.__members__.items())
        elif isinstance(value, bytes):
            values[key] = value.decode()
        elif isinstance(value, int) and not key.startswith("__"):
            values[key] = int(value)
print(json.dumps(found))
"""


def generate(stubs: StubSet, root: Path) -> str:
    """Return the data file of one set of stubs; wheels are unpacked in `root`.

    Raises ToolchainError.
    """
    whole = replace(stubs.wheel, members=r"(hip|rocm)/.*")
    folders = [wheels.fetch(wheel, root=root) for wheel in (whole, *stubs.companions)]
    folder = folders[0]
    modules = [library.module for library in stubs.libraries]
    dumped = _dump(folders, stubs.package, modules)
    libraries = {
        library.module: _named(folder / library.stub, dumped[library.module])
        for library in stubs.libraries
    }
    content = {"source": f"{stubs.wheel.pin} sha256:{stubs.wheel.sha256}", "libraries": libraries}
    return json.dumps(content, indent=1) + "\n"


def main(arguments: Sequence[str]) -> int:
    """Write every data file, or with --check compare; return the exit code."""
    if sys.version_info[:2] != _PYTHON:
        sys.stderr.write("the pinned builds are for Python 3.11; run this with python3.11\n")
        return 2
    stale = []
    for stubs in STUB_SETS:
        path = _DATA / stubs.values
        # Hundreds of megabytes that nothing else wants: not for the cache.
        with tempfile.TemporaryDirectory() as root:
            text = generate(stubs, Path(root))
        if "--check" not in arguments:
            path.write_text(text)
        elif not path.is_file() or path.read_text() != text:
            stale.append(path.name)
    for name in stale:
        sys.stderr.write(f"{name} is not what the wheels give; run this without --check\n")
    return 1 if stale else 0


def _named(stub: Path, values: dict[str, Value]) -> dict[str, Value]:
    """Keep the values that the stub names, in its order."""
    names: list[str] = []
    for declaration in pxd.parse(stub.read_text()):
        if isinstance(declaration, pxd.Enum):
            names += declaration.members
        elif isinstance(declaration, pxd.Constant):
            names.append(declaration.name)
    return {name: values[name] for name in names if name in values}


def _dump(folders: list[Path], package: str, modules: list[str]) -> dict[str, dict[str, Value]]:
    done = subprocess.run(
        [sys.executable, "-c", _DUMP, package, *modules],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))},
        cwd=folders[0],
        check=False,
    )
    if done.returncode:
        message = f"cannot read the values of {package}: {done.stderr.strip()[-400:]}"
        raise ToolchainError(message)
    found: dict[str, dict[str, Value]] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
