"""The rules of the house that no linter knows: sizes, names, places and first lines."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
CODE_FOLDERS = ("bindings", "ci", "porting", "runtime", "tests", "benchmarks", "examples")
CODE_SUFFIXES = {".py", ".pyi", ".cpp", ".h", ".cu", ".cuh", ".sh", ".cmake"}
TEXT_SUFFIXES = CODE_SUFFIXES | {".md", ".toml", ".txt", ".yaml", ".yml", ".json", ".rs", ".c"}
# Inputs and expected outputs of tests, and generated tables, are not ours to shape.
DATA_FOLDERS = {"golden", "data", "mappings", "__pycache__"}
MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 50


def files(*folders: str, suffixes: set[str]) -> Iterator[Path]:
    """Yield the source files of these folders, without data."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            inside = path.relative_to(ROOT).parts[:-1]
            # ci/mappings is the generator's code, porting/mappings its output.
            data = DATA_FOLDERS.intersection(inside) - ({"mappings"} if folder == "ci" else set())
            if path.suffix in suffixes and path.is_file() and not data:
                yield path


def relative(path: Path) -> str:
    """Return a path as the messages show it."""
    return str(path.relative_to(ROOT))


def trees(*folders: str) -> Iterator[tuple[Path, ast.Module]]:
    """Yield the Python files of these folders with their syntax trees."""
    for path in files(*folders, suffixes={".py"}):
        yield path, ast.parse(path.read_text(encoding="utf-8"), str(path))


def test_files_when_counted_in_lines() -> None:
    counts = {
        relative(path): len(path.read_text(encoding="utf-8", errors="replace").splitlines())
        for path in files(*CODE_FOLDERS, suffixes=CODE_SUFFIXES)
    }
    assert len(counts) > 50
    assert {path: lines for path, lines in counts.items() if lines > MAX_FILE_LINES} == {}


def test_functions_when_counted_in_lines() -> None:
    long = []
    for path, tree in trees("ci", "porting", "runtime", "tests"):
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > MAX_FUNCTION_LINES:
                    long.append(f"{relative(path)}:{node.lineno} {node.name}: {lines} lines")
    assert long == []


def test_modules_when_named() -> None:
    vague = {"common", "helper", "helpers", "manager", "managers", "misc", "util", "utils"}
    named = [relative(path) for path in files(*CODE_FOLDERS, suffixes=CODE_SUFFIXES)]
    parts = {name: set(Path(name).with_suffix("").parts) for name in named}
    assert [name for name in named if parts[name] & vague] == []


def test_python_files_when_their_first_line_is_read() -> None:
    silent = []
    for path in files("ci", "porting", "runtime", "tests", "benchmarks", suffixes={".py", ".pyi"}):
        lines = path.read_text(encoding="utf-8").splitlines()
        first = lines[1:2] if lines[:1] and lines[0].startswith("#!") else lines[:1]
        if not (first and re.match(r'r?"""\S', first[0])):
            silent.append(relative(path))
    assert silent == []


def test_cpp_files_when_their_first_line_is_read() -> None:
    sources = list(files("bindings", suffixes={".cpp", ".h", ".cu"}))
    assert len(sources) > 5
    silent = [path for path in sources if not re.match(r"// \S", path.read_text(encoding="utf-8"))]
    assert [relative(path) for path in silent] == []


def test_headers_when_included_twice() -> None:
    headers = list(files("bindings", suffixes={".h"}))
    bare = [path for path in headers if "#pragma once\n" not in path.read_text(encoding="utf-8")]
    assert [relative(path) for path in bare] == []


VENDOR = re.compile(
    r"\b(?:cu|hip)(?=[A-Z_])|(?i:\bhip\b|cuda|(?<![a-z])rocm|nvidia|\bamd|nccl|rccl)"
)
VENDOR_HOMES = ("runtime/devices/", "runtime/collectives/", "bindings/gpu/")


def test_vendor_names_when_outside_their_homes() -> None:
    found = []
    for path in files("bindings", "runtime", suffixes={".py", ".pyi", ".cpp", ".h"}):
        name = relative(path)
        if name.startswith(VENDOR_HOMES) or name == "bindings/collectives.cpp":
            continue
        lines = path.read_text(encoding="utf-8").splitlines()
        found += [f"{name}:{i} {line}" for i, line in enumerate(lines, 1) if VENDOR.search(line)]
    assert found == []


def imported(tree: ast.Module) -> Iterator[str]:
    """Yield every dotted name that an import statement of the module can bind."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize(
    ("module", "importer"),
    [("runtime._core", "runtime/core.py"), ("runtime._gpu", "runtime/devices/")],
)
def test_compiled_modules_when_imported(module: str, importer: str) -> None:
    """import-linter reads .py files only, so it cannot keep the compiled ones."""
    strangers = [
        relative(path)
        for path, tree in trees("ci", "porting", "runtime")
        if any(name.startswith(module) for name in imported(tree))
        and not relative(path).startswith(importer)
    ]
    assert strangers == []


def leaves_process(node: ast.AST) -> bool:
    """Tell whether this node ends the process: sys.exit, os._exit, exit, quit, SystemExit."""
    if isinstance(node, ast.Call):
        return ast.unparse(node.func) in {"sys.exit", "os._exit", "exit", "quit"}
    return isinstance(node, ast.Raise) and "SystemExit" in ast.unparse(node)


def without_script_part(tree: ast.Module) -> ast.Module:
    """Drop the top-level `if __name__ == "__main__"` blocks: nobody imports those."""
    body = [
        node
        for node in tree.body
        if not (isinstance(node, ast.If) and "__name__" in ast.unparse(node.test))
    ]
    return ast.Module(body, tree.type_ignores)


# The commands of a package, and code that runs in a child process of our own making.
MAY_EXIT = re.compile(
    r".*/(cli|__main__)\.py|.*/cli/.*|runtime/devices/child\.py|porting/conversion\.py"
    r"|runtime/actor/launch/(child|zygote|nursery)\.py|runtime/actor/(faults|leaving|worker)\.py"
)


def test_libraries_when_they_would_exit() -> None:
    found = [
        f"{relative(path)}:{getattr(node, 'lineno', 0)}"
        for path, tree in trees("porting", "runtime")
        if not MAY_EXIT.fullmatch(relative(path))
        for node in ast.walk(without_script_part(tree))
        if leaves_process(node)
    ]
    assert found == []


MACHINE_PATH = re.compile(r"(?<![\w.])/(?:work|root|home/\w+)/")


def test_text_when_it_names_a_path_of_one_machine() -> None:
    tops = [path for path in ROOT.iterdir() if path.is_file() and path.suffix in TEXT_SUFFIXES]
    found = [
        f"{relative(path)}:{i} {line.strip()}"
        for path in [*tops, *files(*CODE_FOLDERS, "docs", suffixes=TEXT_SUFFIXES)]
        for i, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if MACHINE_PATH.search(line) and path != Path(__file__).resolve()
    ]
    assert found == []


@pytest.mark.parametrize("package", ["porting", "runtime"])
def test_package_when_checked_for_types(package: str) -> None:
    assert (ROOT / package / "py.typed").is_file()


def test_links_when_followed() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    assert ROOT / "README.md" in pages
    broken = [
        f"{relative(page)}: {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#:\s]+)[^)]*\)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert broken == []


def requirements() -> list[Requirement]:
    """Return everything that pyproject.toml asks for, our own extras aside."""
    document = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = document["project"]
    extras = [line for group in project["optional-dependencies"].values() for line in group]
    lines = document["build-system"]["requires"] + project["dependencies"] + extras
    return [each for each in map(Requirement, lines) if each.name != project["name"]]


def test_pins_when_compared_with_the_requirements() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split("==") for line in lines if line and not line.startswith("#"))
    pins = {name.lower().replace("_", "-"): version for name, version in pairs}
    asked = requirements()
    assert len(asked) > 10
    unmet = [
        str(each)
        for each in asked
        if not each.specifier.contains(pins.get(each.name.lower().replace("_", "-"), "0"))
    ]
    assert unmet == []
