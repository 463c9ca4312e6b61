"""The package without its compiled part, and what importing it costs."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import runtime

SOURCE = Path(str(runtime.__file__)).parent


def run_python(code: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    """Run code without site-packages, so that only `cwd` offers the package."""
    command = [sys.executable, "-S", "-E", "-c", code]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=50)


def test_import_when_core_is_not_built(tmp_path: Path) -> None:
    shutil.copytree(SOURCE, tmp_path / "runtime", ignore=shutil.ignore_patterns("*.so"))
    done = run_python("import runtime.core", cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        f"ModuleNotFoundError: runtime._core is not built for the package at {tmp_path}/runtime; "
        "in a checkout that is the source folder, which hides an installed eclosion: "
        "work from another folder, or run `pip install -e .`"
    )


def test_import_when_only_the_package_is_asked_for() -> None:
    code = (
        "import json, sys; before = set(sys.modules); import runtime; "
        "print(json.dumps(sorted(set(sys.modules) - before)))"
    )
    done = run_python(code, cwd=SOURCE.parent)
    assert (json.loads(done.stdout), runtime.__all__) == (["runtime"], [])
