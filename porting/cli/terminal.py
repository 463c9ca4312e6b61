"""What a command shows: the report where it was asked for, progress on a terminal."""

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

if TYPE_CHECKING:
    from porting.conversion import Progress
    from porting.reports import Report

# Drawing takes about as long as porting a small file: at most ten times a second.
_REDRAW = 0.1

# For commands whose result is no report.
form_option = click.option(
    "--format", "form", type=click.Choice(("text", "json")), default="text", help="Form of output."
)


def show(report: "Report", form: str, path: Path | None) -> None:
    """Write a report to stdout, or to a file with the summary on stdout."""
    from porting.output.replacing import write_file
    from porting.reports import render, text_report

    if path is None:
        write_text(render(report, form, colour=_has_colours()))
        return
    write_file(path, _encoded(render(report, form)))
    lines = [*text_report.summary(report, colour=_has_colours()), f"report: {path}"]
    write_text("".join(f"{line}\n" for line in lines).lstrip("\n"))


def write_json(value: Any) -> None:  # noqa: ANN401 - whatever JSON can say
    """Write plain values to stdout as JSON."""
    write_text(json.dumps(value, indent=1) + "\n")


def write_text(text: str, stream: TextIO | None = None) -> None:
    """Write text to stdout or `stream`; names that are no UTF-8 come out as the bytes they are."""
    write_bytes(_encoded(text), stream)


def write_bytes(data: bytes, stream: TextIO | None = None) -> None:
    """Write bytes to stdout or `stream`."""
    stream = stream or sys.stdout
    stream.flush()
    stream.buffer.write(data)
    stream.buffer.flush()


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


@contextmanager
def progress_bar(what: str) -> Iterator["Progress"]:
    """Give a function to call once per file; it draws on a terminal and is silent in a pipe.

    Without rich it is silent too: a build runs the command from the source tree with click alone.
    """
    if not sys.stderr.isatty() or find_spec("rich") is None:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn(what), BarColumn(), TextColumn("{task.completed} files"))
    # Without its refresh thread: a fork with a second thread could copy a taken lock.
    bar = Bar(
        *columns,
        TimeElapsedColumn(),
        console=Console(stderr=True),
        auto_refresh=False,
        transient=True,
    )
    with bar:
        task = bar.add_task(what, total=None)
        drawn = 0.0

        def step(_: str) -> None:
            nonlocal drawn
            bar.advance(task)
            now = time.monotonic()
            if now - drawn >= _REDRAW:
                drawn = now
                bar.refresh()

        yield step


def _has_colours() -> bool:
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ
