"""Options that commands share, and the request they add up to."""

import functools
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from porting.cli.terminal import show, write_text
from porting.config import DEFAULT_ARCHS, DEFAULT_ROCM, Mode, Target
from porting.errors import UsageError
from porting.port import PortRequest, ported_as
from porting.reports import FORMATS, Report, State
from porting.settings import BUILD_TIMEOUT, LONGEST, Settings, load_settings


@dataclass(frozen=True)
class Builds:
    """What was typed about building: None and () were not said."""

    wanted: bool = False
    platforms: tuple[str, ...] = ()
    timeout: int | None = None

    def check(self) -> None:
        """Raise UsageError for what speaks of a build that was not asked for."""
        for option, said in (
            ("--build-platform", self.platforms),
            ("--build-timeout", self.timeout),
        ):
            if said and not self.wanted:
                raise UsageError(f"{option} says how --build builds; say --build too")


@dataclass(frozen=True)
class Common:
    """What was typed for every command that reads a tree: None and () were not said."""

    source: Path
    rocm: str | None
    arch: tuple[str, ...]
    jobs: int | None

    def request(
        self,
        output: str | None = None,
        *,
        mode: Mode | None = Mode.RENAME,
        verify: bool = False,
        force: bool = False,
        builds: Builds = Builds(),
    ) -> PortRequest:
        """Return the request: what was typed, else the configuration, else defaults.

        `output` is text, as a Path would lose the slash that says it is to be a folder.  `mode`:
        None asks the configuration.
        """
        place = None if output is None else self._place(output)
        settings = load_settings(self.source)
        jobs = self.jobs or settings.jobs or len(os.sched_getaffinity(0))
        target = self._target(_configured(settings))
        chosen = mode or settings.mode or Mode.RENAME
        request = PortRequest(self.source, place, target, settings, verify, jobs, force, chosen)
        return replace(
            request,
            build=builds.wanted,
            build_platforms=builds.platforms,
            build_timeout=builds.timeout,
        )

    def request_for_output(self, builds: Builds) -> PortRequest:
        """Return the request to verify SRC, an output: what was typed, else what its port said."""
        request = self.request(verify=True, builds=builds)
        ported_for, mode = ported_as(self.source)
        if ported_for is None:
            return request
        return replace(request, target=self._target(ported_for), mode=mode)

    def _place(self, output: str) -> Path:
        if output.endswith("/") and self.source.is_file():
            raise UsageError(
                f"{output} names a folder; the output of a file is a file; "
                f"name one, like {Path(output, self.source.name)}"
            )
        return Path(output)

    def _target(self, otherwise: Target) -> Target:
        archs = tuple(name for item in self.arch for name in item.split(",") if name)
        return Target(
            otherwise.rocm if self.rocm is None else self.rocm,
            archs if self.arch else otherwise.archs,
            otherwise.hipify_launches,
        )


def _configured(settings: Settings) -> Target:
    return Target(
        settings.rocm or DEFAULT_ROCM, settings.arch or DEFAULT_ARCHS, settings.hipify_launches
    )


@dataclass(frozen=True)
class Sink:
    """Where a report goes and in which form; no path is stdout."""

    form: str
    path: Path | None

    def check(self) -> None:
        """Raise UsageError for a place where no file can be, before the work is done."""
        if self.path is None:
            return
        if self.path.is_dir():
            raise UsageError(f"{self.path} is a folder; --report needs a file")
        if not self.path.parent.is_dir():
            raise UsageError(
                f"{self.path.parent} does not exist, so no report can be written there"
            )

    def show(self, report: Report) -> int:
        """Write the report and return the command's exit code."""
        show(report, self.form, self.path)
        reasons: dict[str, list[str]] = {}
        for stage in report.stages:
            if stage.state is State.UNAVAILABLE:
                reasons.setdefault(stage.reason, []).append(stage.name)
        for reason, names in reasons.items():
            write_text(f"porting: {', '.join(names)}: {reason}\n", sys.stderr)
        return report.exit_code


def common_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add SRC, --rocm, --arch and --jobs; the command gets them as a `Common`."""

    @click.argument("source", metavar="SRC", type=click.Path(path_type=Path))
    @click.option("--rocm", metavar="RELEASE", help=f"ROCm release [{DEFAULT_ROCM}].")
    @click.option(
        "--arch",
        metavar="LIST",
        multiple=True,
        help=f"GPU architectures, comma-separated [{','.join(DEFAULT_ARCHS)}].",
    )
    @click.option(
        "-j", "--jobs", type=click.IntRange(min=1), help="Processes to use [all processors]."
    )
    @functools.wraps(command)
    def wrapped(
        source: Path,
        rocm: str | None,
        arch: tuple[str, ...],
        jobs: int | None,
        **rest: Any,  # noqa: ANN401 - the command's own options
    ) -> int:
        return command(Common(source, rocm, arch, jobs), **rest)

    return wrapped


mode_option = click.option(
    "--mode",
    type=click.Choice([mode.value for mode in Mode]),
    callback=lambda _context, _parameter, value: value and Mode(value),
    help="Rename CUDA's names in sources, or leave sources alone and add a header [rename].",
)


def report_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add --format and --report; the command gets them as the `Sink` named `sink`."""

    @click.option(
        "--format", "form", type=click.Choice(FORMATS), default="text", help="Form of the report."
    )
    @click.option(
        "--report",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Write the report there, and a summary to stdout.",
    )
    @functools.wraps(command)
    def wrapped(
        *values: Any,  # noqa: ANN401 - what the decorators above it give
        form: str,
        report: Path | None,
        **rest: Any,  # noqa: ANN401 - the command's own options
    ) -> int:
        sink = Sink(form, report)
        sink.check()
        return command(*values, sink=sink, **rest)

    return wrapped


def output_option(*, required: bool) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Return a decorator that adds -o."""
    return click.option(
        "-o",
        "--output",
        metavar="OUT",
        required=required,
        help="Folder to write (a file when SRC is a file).",
    )


def build_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add --build and what says how; the command gets them as the `Builds` named `builds`."""

    @click.option(
        "--build",
        is_flag=True,
        help="Build OUT with its own build files, load and audit that; runs code of the tree.",
    )
    @click.option(
        "--build-platform",
        type=click.Choice(["cuda", "rocm"]),
        multiple=True,
        help="Build for this one alone; may be repeated [all that OUT serves].",
    )
    @click.option(
        "--build-timeout",
        metavar="SECONDS",
        type=click.IntRange(1, LONGEST),
        help=f"Limit for each command of a build [{BUILD_TIMEOUT}].",
    )
    @functools.wraps(command)
    def wrapped(
        *values: Any,  # noqa: ANN401 - what the decorators above it give
        build: bool,
        build_platform: tuple[str, ...],
        build_timeout: int | None,
        **rest: Any,  # noqa: ANN401 - the command's own options
    ) -> int:
        builds = Builds(build, build_platform, build_timeout)
        builds.check()
        return command(*values, builds=builds, **rest)

    return wrapped


force_option = click.option(
    "--force", is_flag=True, help="Replace an earlier output even where it was changed since."
)
