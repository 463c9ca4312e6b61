"""Stand-in libraries: what names the trees that hold them."""

import ast
from collections.abc import Iterator
from pathlib import Path

import porting.toolkits
from porting.toolkits import stub_library

FOLDER = Path(porting.toolkits.__file__).parent
# These find and fetch, and write nothing into a tree.
FINDING = {"cachedir", "clang", "partial", "wheels"}


def imported(file: Path) -> Iterator[str]:
    """Yield the modules of porting.toolkits itself that a file of it imports."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            for name in (node.module, *names):
                module = name.removeprefix("porting.toolkits.")
                if (FOLDER / f"{module}.py").is_file():
                    yield module


def test_code_when_compared_with_what_builders_import() -> None:
    """A tree in the cache must not outlive a change of the code that wrote it."""
    files = [*FOLDER.glob("sysroot/*.py"), *FOLDER.glob("stubs/*.py"), *FOLDER.glob("cuda/*.py")]
    files += [FOLDER / name for name in stub_library.CODE]
    found = {module for file in files for module in imported(file)} - FINDING
    assert {f"{module}.py" for module in found} == set(stub_library.CODE)
