"""A few files out of a large pinned wheel, without downloading the rest of it.

The index's server is asked for byte ranges: a wheel is a ZIP file, whose table of contents stands
at its end.  NVIDIA's libraries come in wheels of several hundred megabytes, their headers are
small.
"""

import hashlib
import io
import json
import re
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from dataclasses import asdict, dataclass
from http.client import HTTPException
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

from porting.errors import ToolchainError
from porting.toolkits.cachedir import build_once, cache_root
from porting.toolkits.wheels import BUILD, RECORD, Pinned, Say, pip_failure

_TIMEOUT = 120
_WINDOW = 1 << 18
_CONTENT_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")


@dataclass(frozen=True)
class Excerpt(Pinned):
    """Some members of a wheel, and the digest over them.

    `sha256` is over names and contents in the order of the names: see `digest`.
    """

    @property
    def folder(self) -> str:
        """Name of its cache folder, different for every content."""
        return f"{self.name}-{self.version}-{self.sha256[:16]}"


def fetch(excerpt: Excerpt, say: Say = lambda _text: None) -> Path:
    """Return a folder with the members of `excerpt`, downloaded unless it is cached.

    Raises ToolchainError when pip is missing, the index cannot be reached, or what it serves is not
    what was pinned.
    """

    def build(place: Path) -> None:
        say(f"downloading headers of {excerpt.pin}")
        with _open(_location(excerpt), excerpt) as archive:
            contents = _read(archive, excerpt)
        found = digest(contents)
        if found != excerpt.sha256:
            raise ToolchainError(
                f"the wanted files of {excerpt.pin} have sha256 {found}, {excerpt.sha256} is the "
                "known one; the download is damaged or the index serves another wheel: "
                "it was not used"
            )
        for name, content in contents.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes(content)
        record = {**asdict(excerpt), "extracted": sorted(contents)}
        (place / RECORD).write_text(json.dumps(record, indent=1) + "\n")

    return build_once(cache_root() / "wheels" / excerpt.folder, build)


def digest(contents: dict[str, bytes]) -> str:
    """Return the SHA-256 of files: for each, in order, its name, its size and its bytes."""
    total = hashlib.sha256()
    for name, content in sorted(contents.items()):
        total.update(f"{name}\0{len(content)}\0".encode())
        total.update(content)
    return total.hexdigest()


def _location(excerpt: Excerpt) -> str:
    """Return where pip would get the wheel from.

    From 25.3 on pip reads the metadata alone for that; an older one gets the wheel and drops it.
    """
    with tempfile.TemporaryDirectory() as target:
        command = [sys.executable, "-m", "pip", "install", "--dry-run", "--no-deps", "--quiet"]
        command += ["--disable-pip-version-check", "--no-input", "--ignore-installed", *BUILD]
        command += [f"--target={target}", "--report=-", excerpt.pin]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=_TIMEOUT, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise ToolchainError(
                f"pip did not find {excerpt.pin} in {_TIMEOUT} s; check the network and try again"
            ) from error
        if done.returncode:
            raise pip_failure(excerpt.pin, done.stderr, Path(target))
    url: str = json.loads(done.stdout)["install"][0]["download_info"]["url"]
    return url


def _open(url: str, excerpt: Excerpt) -> BinaryIO:
    if url.startswith("file:"):
        return Path(unquote(urlsplit(url).path)).open("rb")
    if not url.startswith(("https:", "http:")):
        raise ToolchainError(f"{excerpt.pin} is at {url}, which is neither a file nor http")
    return io.BufferedReader(_Remote(url, excerpt.pin), _WINDOW)


def _read(archive: BinaryIO, excerpt: Excerpt) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(archive) as wheel:
            return {name: wheel.read(name) for name in excerpt.wanted(wheel.namelist())}
    except zipfile.BadZipFile as error:
        raise ToolchainError(f"what the index serves as {excerpt.pin} is no wheel") from error


class _Remote(io.RawIOBase):
    """A file on an HTTP server, read by byte ranges."""

    def __init__(self, url: str, pin: str) -> None:
        self._url = url
        self._pin = pin
        self._at = 0
        _, self._size = self._fetch(0, 1)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}
        self._at = max(0, base[whence] + offset)
        return self._at

    def readinto(self, buffer: "memoryview[int]") -> int:  # type: ignore[override]
        count = min(len(buffer), self._size - self._at)
        if count <= 0:
            return 0
        content, _ = self._fetch(self._at, count)
        buffer[: len(content)] = content
        self._at += len(content)
        return len(content)

    def _fetch(self, start: int, count: int) -> tuple[bytes, int]:
        """Return bytes of the file and the size of all of it."""
        asked = f"bytes={start}-{start + count - 1}"
        request = urllib.request.Request(self._url, headers={"Range": asked})  # noqa: S310 - http
        try:
            with urllib.request.urlopen(request, timeout=_TIMEOUT) as answer:  # noqa: S310 - http
                told = _CONTENT_RANGE.fullmatch(answer.headers.get("Content-Range", ""))
                if told is None or int(told[1]) != start:
                    raise ToolchainError(
                        f"the server of {self._pin} sends whole files only; download the wheel "
                        "into a folder and set PIP_FIND_LINKS to it"
                    )
                content = answer.read(count)
        except (OSError, HTTPException) as error:
            raise ToolchainError(
                f"cannot read {self._pin} from its server: {error}; check the network, or download "
                "the wheel into a folder and set PIP_FIND_LINKS to it"
            ) from error
        if len(content) != count:
            raise ToolchainError(
                f"the server of {self._pin} sent {len(content)} of {count} bytes at {start}; "
                "the connection was cut: try again"
            )
        return content, int(told[3])
