"""Runs the check of field cases, each in a process whose wall clock can be stepped.

python -m tests.runtime.field.run FILE... where FILE has check(rt).
"""

import os
import runpy
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent


def environment_with_clock(folder: Path) -> dict[str, str]:
    """Return an environment whose processes have a wall clock of their own; see clock.c."""
    library, clock = folder / "clock.so", folder / "clock"
    command = ["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", str(HERE / "clock.c")]
    subprocess.run([*command, "-o", str(library)], check=True)
    clock.write_bytes(bytes(8))
    return {"LD_PRELOAD": str(library), "FIELD_CLOCK": str(clock)}


def check_one(path: str) -> None:
    """Run one check in this process."""
    from tests.runtime.field import rig

    start = time.monotonic()
    try:
        runpy.run_path(path)["check"](rig)
    finally:
        rig.forget()
    print("HOLDS", path, f"{time.monotonic() - start:.1f} s", flush=True)  # noqa: T201 - a command


def main(paths: list[str]) -> int:
    """Run every check in a process of its own; return 1 when one does not hold."""
    if paths[0] == "--one":
        check_one(paths[1])
        return 0
    status = 0
    with tempfile.TemporaryDirectory() as folder:
        clock = environment_with_clock(Path(folder))
        for path in paths:
            command = [sys.executable, "-m", "tests.runtime.field.run", "--one", path]
            done = subprocess.run(command, env={**os.environ, **clock}, check=False, timeout=300)
            if done.returncode:
                status = 1
                print("FAILS", path, flush=True)  # noqa: T201 - a command
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
