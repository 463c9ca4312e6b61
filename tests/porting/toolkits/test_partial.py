"""Files out of a large wheel: by byte ranges from a server, or from a folder."""

import hashlib
import io
import json
import os
import re
import threading
import zipfile
from collections.abc import Iterator
from functools import partial as bind
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from porting.errors import ToolchainError
from porting.toolkits import partial
from porting.toolkits.partial import Excerpt
from porting.toolkits.wheels import RECORD

FILE = "demo_headers-1.0-py3-none-any.whl"
MEMBERS = {"demo/include/a.h": b"int a;\n", "demo/include/b.h": b"int b;\n"}
METADATA = b"Metadata-Version: 2.1\nName: demo-headers\nVersion: 1.0\n"
LARGE = 3 << 20
SHORT = 100


def archive(extra: dict[str, bytes] | None = None) -> bytes:
    """Return a wheel whose wanted files stand behind three megabytes that nobody wants."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as wheel:
        wheel.writestr("demo/lib/large.so", os.urandom(LARGE))
        for name, text in {**MEMBERS, **(extra or {})}.items():
            wheel.writestr(name, text)
        folder = "demo_headers-1.0.dist-info"
        wheel.writestr(f"{folder}/METADATA", METADATA)
        tags = "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        wheel.writestr(f"{folder}/WHEEL", tags)
        wheel.writestr(f"{folder}/RECORD", "")
    return content.getvalue()


class Index(BaseHTTPRequestHandler):
    """A package index with one wheel; counts the bytes of it that are sent."""

    def __init__(self, *args: object, wheel: bytes, sent: list[int], ranges: bool) -> None:
        self.wheel, self.sent, self.ranges = wheel, sent, ranges
        super().__init__(*args)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        if self.path.endswith(".metadata"):
            self.answer(200, METADATA, "text/plain")
            return
        if not self.path.endswith(".whl"):
            digest = hashlib.sha256(self.wheel).hexdigest()
            metadata = hashlib.sha256(METADATA).hexdigest()
            link = f'<a href="/{FILE}#sha256={digest}" data-core-metadata="sha256={metadata}">'
            self.answer(200, f"<!DOCTYPE html>{link}{FILE}</a>".encode(), "text/html")
            return
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range") or "")
        if asked is None or not self.ranges:
            self.answer(200, self.wheel)
            return
        start, end = int(asked[1]), min(int(asked[2]), len(self.wheel) - 1)
        told = f"bytes {start}-{end}/{len(self.wheel)}"
        self.sent.append(end - start + 1)
        self.answer(206, self.wheel[start : end + 1], "application/zip", told)

    def answer(self, code: int, body: bytes, kind: str = "application/zip", told: str = "") -> None:
        """Send a whole answer."""
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if told:
            self.send_header("Content-Range", told)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Stay silent."""


@pytest.fixture
def sent() -> list[int]:
    return []


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("ECLOSION_CACHE", str(tmp_path / "cache"))
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_CONSTRAINT"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "cache"


class CutIndex(Index):
    """A package index whose connection ends in the middle of a range."""

    def answer(self, code: int, body: bytes, kind: str = "application/zip", told: str = "") -> None:
        """Send half of a range of more than a few bytes, where the whole was promised."""
        if not told or len(body) < SHORT:
            super().answer(code, body, kind, told)
            return
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Range", told)
        self.end_headers()
        self.wfile.write(body[: len(body) // 2])


def serve(sent: list[int], *, ranges: bool, index: type[Index] = Index) -> Iterator[str]:
    handler = bind(index, wheel=archive(), sent=sent, ranges=ranges)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()


@pytest.fixture
def server(sent: list[int]) -> Iterator[str]:
    yield from serve(sent, ranges=True)


@pytest.fixture
def cut_server(sent: list[int]) -> Iterator[str]:
    yield from serve(sent, ranges=True, index=CutIndex)


@pytest.fixture
def plain_server(sent: list[int]) -> Iterator[str]:
    yield from serve(sent, ranges=False)


def excerpt(members: str = r"demo/include/.+", contents: dict[str, bytes] = MEMBERS) -> Excerpt:
    return Excerpt("demo-headers", "1.0", partial.digest(contents), members)


def test_digest_when_names_or_contents_differ() -> None:
    assert partial.digest({"a": b"1", "b": b"2"}) == partial.digest({"b": b"2", "a": b"1"})
    different = [{"a": b"1"}, {"b": b"1"}, {"a": b"2"}, {"a": b"1", "b": b""}, {}]
    assert len({partial.digest(contents) for contents in different}) == len(different)


def test_fetch_when_the_server_has_ranges(
    server: str, sent: list[int], cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", server)
    folder = partial.fetch(excerpt())
    assert {name: (folder / name).read_bytes() for name in MEMBERS} == MEMBERS
    assert sum(sent) < LARGE // 2
    record = json.loads((folder / RECORD).read_text())
    assert record["extracted"] == sorted(MEMBERS)
    before = len(sent)
    assert partial.fetch(excerpt()) == folder
    assert len(sent) == before


def test_fetch_when_the_server_has_no_ranges(
    plain_server: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", plain_server)
    with pytest.raises(ToolchainError, match=r"sends whole files only.*PIP_FIND_LINKS"):
        partial.fetch(excerpt())
    assert not list(cache.glob("wheels/demo*"))


def test_fetch_when_in_a_folder(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    (tmp_path / FILE).write_bytes(archive())
    folder = partial.fetch(excerpt())
    assert (folder / "demo/include/a.h").read_bytes() == b"int a;\n"


def test_fetch_when_content_is_not_the_pinned(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    (tmp_path / FILE).write_bytes(archive({"demo/include/c.h": b"int c;\n"}))
    with pytest.raises(ToolchainError, match=r"^the wanted files of demo-headers==1\.0 have sha"):
        partial.fetch(excerpt())
    assert not list(cache.glob("wheels/demo*"))


def test_fetch_when_no_wheel_is_there(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(ToolchainError, match=r"^cannot download demo-headers==1\.0: No matching"):
        partial.fetch(excerpt())


def test_fetch_when_the_connection_is_cut(
    cut_server: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", cut_server)
    message = r"^the server of demo-headers==1\.0 sent \d+ of \d+ bytes at \d+; the connection was"
    with pytest.raises(ToolchainError, match=message):
        partial.fetch(excerpt())
    assert not list((cache / "wheels").glob("demo-headers*"))
