"""Fixtures that every area of the suite shares: the toolkits that real compilers need.

A test that uses `sysroot`, `sysroot_6_2` or `cuda_home` gets the tests' marker `toolchain` and is
skipped with the reason where clang or the package index is out of reach, unless
ECLOSION_REQUIRE_TOOLCHAIN=1.
"""

import compileall
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import pytest

from porting.errors import ToolchainError
from porting.toolkits import cuda
from porting.toolkits import sysroot as sysroots
from porting.toolkits.cuda import CudaHome
from porting.toolkits.sysroot import Sysroot
from tests.scheduling import Groups
from tests.watchdog import Watchdog

Tree = TypeVar("Tree")
_FIXTURES = frozenset({"sysroot", "sysroot_6_2", "cuda_home"})


def pytest_configure(config: pytest.Config) -> None:
    """Watch for hangs; forget the make that runs the suite, whose flags are not for the tests'."""
    config.pluginmanager.register(Watchdog())
    # Tests start thousands of processes: our modules are compiled once for all of them. Those that
    # tests write are not, since one may be written twice in the second that compiled files know.
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    if not hasattr(config, "workerinput"):
        for package in ("porting", "runtime"):
            compileall.compile_dir(config.rootpath / package, quiet=2)
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES"):
        os.environ.pop(name, None)


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Groups | None:
    """Give the scheduler of `--dist loadgroup` that outlives its workers."""
    return Groups(config, log) if config.getvalue("dist") == "loadgroup" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test that needs a real compiler through a fixture."""
    for item in items:
        if _FIXTURES.intersection(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.toolchain)
            # The first use may download wheels; other workers wait for the one that does.
            item.add_marker(pytest.mark.timeout(600))


@pytest.fixture(autouse=True)
def signals_as_before() -> Iterator[None]:
    """Refuse a test that leaves signals ignored or held: the processes of later ones inherit it."""
    before = _signals()
    yield
    after = _signals()
    for number, handler in before[0].items():
        signal.signal(number, handler)
    signal.pthread_sigmask(signal.SIG_SETMASK, before[1])
    assert after == before


def _signals() -> tuple[dict[signal.Signals, Any], set[int]]:
    handlers = {n: signal.getsignal(n) for n in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)}
    return handlers, set(signal.pthread_sigmask(signal.SIG_BLOCK, ()))


@pytest.fixture
def signals_that_end(signals_as_before: None) -> Iterator[None]:
    """Undo for the children of a test what the suite's caller ignores, as nohup and `&` do."""
    before = {n: signal.getsignal(n) for n in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)}
    ignored = [number for number, handler in before.items() if handler is signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, signal.SIG_DFL)
    yield
    for number in ignored:
        signal.signal(number, signal.SIG_IGN)


@pytest.fixture(scope="session")
def missing() -> Callable[[str], NoReturn]:
    """Return a function that ends a test for want of what it needs, which its argument names.

    The test is skipped with the reason, and fails where the toolchain is required.
    """
    return _missing


@pytest.fixture(scope="session")
def program() -> Callable[[str], str]:
    """Return a function that finds a program, also beside this Python; see `missing`."""

    def find(name: str) -> str:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        found = shutil.which(name, path=path)
        if found is None:
            _missing(f"{name} is not installed")
        return str(found)

    return find


@pytest.fixture(scope="session")
def sysroot() -> Sysroot:
    """Return the ROCm 7.1 tree: `.path` for --rocm-path, `.include` for -isystem."""
    return _create(lambda: sysroots.create("7.1"))


@pytest.fixture(scope="session")
def sysroot_6_2() -> Sysroot:
    """Return the ROCm 6.2 tree."""
    return _create(lambda: sysroots.create("6.2"))


@pytest.fixture(scope="session")
def cuda_home() -> CudaHome:
    """Return the CUDA home: `.path` for CUDA_HOME, `.nvcc`, `.stubs` of the driver's libraries."""
    return _create(cuda.create)


def _create(create: Callable[[], Tree]) -> Tree:
    """Return the cached tree, built by one xdist worker under the cache's own lock."""
    try:
        return create()
    except ToolchainError as error:
        _missing(str(error))


def _missing(reason: str) -> NoReturn:
    if os.environ.get("ECLOSION_REQUIRE_TOOLCHAIN") == "1":
        pytest.fail(reason)
    pytest.skip(reason)
