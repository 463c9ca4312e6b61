"""Parts of pinned wheels from the package index, fetched by pip and kept in the cache."""

import hashlib
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

from porting.errors import ToolchainError
from porting.toolkits.cachedir import build_once, cache_root, no_space

Say = Callable[[str], None]

RECORD = "wheel.json"
_TIMEOUT = 1800
_CHUNK = 1 << 20
# Headers and bitcode are the same in every build of a wheel: one build, so one checksum, serves
# every Python and every host.
BUILD = (
    *("--only-binary=:all:", "--implementation=cp", "--python-version=3.11", "--abi=cp311"),
    *(f"--platform=manylinux{tag}_x86_64" for tag in ("2014", "_2_17", "_2_27", "_2_28")),
)


@dataclass(frozen=True)
class Pinned:
    """A pinned wheel and the members that are wanted of it (a regular expression)."""

    name: str
    version: str
    sha256: str
    members: str

    @property
    def pin(self) -> str:
        """The requirement as pip takes it."""
        return f"{self.name}=={self.version}"

    def wanted(self, names: Iterable[str]) -> list[str]:
        """Return which of a wheel's members are wanted.

        Raises ToolchainError for one whose name leads out of the folder it is put into.
        """
        pattern = re.compile(self.members)
        found = [name for name in names if pattern.fullmatch(name)]
        for name in found:
            if ".." in PurePosixPath(name).parts or name.startswith("/"):
                raise ToolchainError(f"{self.pin} has a member outside its folder: {name}")
        return found


@dataclass(frozen=True)
class Wheel(Pinned):
    """A wheel that is downloaded whole: `sha256` is the file's."""

    @property
    def folder(self) -> str:
        """Name of its cache folder, different for every build and selection."""
        wanted = hashlib.sha256(self.members.encode()).hexdigest()
        return f"{self.name}-{self.version}-{self.sha256[:8]}-{wanted[:8]}"


def fetch(wheel: Wheel, say: Say = lambda _text: None, root: Path | None = None) -> Path:
    """Return a folder with the wanted members of `wheel`, downloaded unless it is cached.

    `root` is where to keep it, by default the cache.
    Raises ToolchainError when pip is missing, the index cannot be reached, the checksum differs or
    the disk is full.
    """

    def build(place: Path) -> None:
        say(f"downloading {wheel.pin}")
        archive = _download(wheel, place / "download")
        _check(wheel, archive)
        names = _extract(wheel, archive, place)
        archive.unlink()
        archive.parent.rmdir()
        record = {**asdict(wheel), "file": archive.name, "extracted": names}
        (place / RECORD).write_text(json.dumps(record, indent=1) + "\n")

    return build_once((root or cache_root()) / "wheels" / wheel.folder, build)


def cached(wheel: Wheel) -> bool:
    """Whether `fetch` would need no network."""
    return (cache_root() / "wheels" / wheel.folder).is_dir()


def pip_version() -> str:
    """Return pip's version line; raise ToolchainError when this Python has no pip."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--version"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if done.returncode:
        message = (
            f"{sys.executable} has no pip, which downloads the ROCm headers; "
            f"run '{sys.executable} -m ensurepip' or install your system's python3-pip"
        )
        raise ToolchainError(message)
    return done.stdout.strip()


def _download(wheel: Wheel, place: Path) -> Path:
    place.mkdir()
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--no-cache-dir"]
    command += ["--disable-pip-version-check", "--no-input", *BUILD, f"--dest={place}", wheel.pin]
    # pip unpacks in TMPDIR, often a small memory disk: let it use the disk that is checked anyway.
    environment = {**os.environ, "TMPDIR": str(place)}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_TIMEOUT, env=environment, check=False
        )
    except subprocess.TimeoutExpired as error:
        message = f"pip did not finish {wheel.pin} in {_TIMEOUT} s; check the network and try again"
        raise ToolchainError(message) from error
    if done.returncode:
        raise pip_failure(wheel.pin, done.stderr, place)
    archives = sorted(place.glob("*.whl"))
    if len(archives) != 1:
        message = f"pip brought {len(archives)} wheels for {wheel.pin}, one was expected"
        raise ToolchainError(message)
    return archives[0]


def pip_failure(pin: str, text: str, place: Path) -> ToolchainError:
    """Return the error for what pip wrote when it could not bring a pinned wheel."""
    if "No space left on device" in text or "Errno 28" in text:
        return no_space(place.parent)
    if "No module named pip" in text:
        try:
            pip_version()
        except ToolchainError as error:
            return error
    errors = re.findall(r"^(?:ERROR: )(.+)$", text, re.MULTILINE) or text.strip().splitlines()
    last = errors[-1] if errors else "pip gave no reason"
    return ToolchainError(
        f"cannot download {pin}: {last}; the package index may be out of reach: check the "
        "network, or put the wheel in a folder and set PIP_FIND_LINKS to it"
    )


def _check(wheel: Wheel, archive: Path) -> None:
    digest = hashlib.sha256()
    with archive.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    if digest.hexdigest() != wheel.sha256:
        message = (
            f"{archive.name} has sha256 {digest.hexdigest()}, {wheel.sha256} is the known one; "
            "the download is damaged or the index serves another file: it was not used"
        )
        raise ToolchainError(message)


def _extract(wheel: Wheel, archive: Path, place: Path) -> list[str]:
    with zipfile.ZipFile(archive) as file:
        names = wheel.wanted(file.namelist())
        file.extractall(place, names)
    if not names:
        message = f"{archive.name} has no member like {wheel.members}"
        raise ToolchainError(message)
    return names
