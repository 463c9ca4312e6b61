"""Remove what a run generated, for builds that keep no intermediate files."""

import os
from contextlib import suppress
from types import TracebackType
from typing import IO, Any, Protocol, Self


class Cleaner(Protocol):
    """What `hipify` asks of a cleaner; torch's GeneratedFileCleaner is one too."""

    files_to_clean: set[str]
    dirs_to_clean: list[str]


class GeneratedFileCleaner:
    """A context that removes, at its end, the files and folders that were made within it.

    `keep_intermediates`: leave them.  `files_to_clean` and `dirs_to_clean` hold absolute paths;
    folders are removed last first, and one that holds anything else stays.
    """

    def __init__(self, keep_intermediates: bool = False) -> None:  # noqa: FBT001, FBT002 - torch's signature
        self.keep_intermediates = keep_intermediates
        self.files_to_clean: set[str] = set()
        self.dirs_to_clean: list[str] = []

    def __enter__(self) -> Self:
        """Return the cleaner itself."""
        return self

    def open(self, fn: str, *args: Any, **kwargs: Any) -> IO[Any]:  # noqa: ANN401 - those of open()
        """Open a file as `open` does, and remember it when it is new."""
        is_new = not os.path.exists(fn)  # noqa: PTH110 - a str comes in, a str is kept
        stream: IO[Any] = open(fn, *args, **kwargs)  # noqa: PTH123, SIM115 - the caller closes it
        if is_new:
            self.files_to_clean.add(os.path.abspath(fn))  # noqa: PTH100
        return stream

    def makedirs(self, dn: str, exist_ok: bool = False) -> None:  # noqa: FBT001, FBT002 - torch's signature
        """Create a folder with those above it, and remember each that is new."""
        missing = []
        at = os.path.abspath(dn)  # noqa: PTH100
        while not os.path.isdir(at):  # noqa: PTH112
            missing.append(at)
            at = os.path.dirname(at)  # noqa: PTH120
        os.makedirs(dn, exist_ok=exist_ok)  # noqa: PTH103
        self.dirs_to_clean.extend(reversed(missing))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove what was made, unless it is to be kept."""
        if self.keep_intermediates:
            return
        for path in self.files_to_clean:
            with suppress(FileNotFoundError):
                os.unlink(path)  # noqa: PTH108
        for path in reversed(self.dirs_to_clean):
            with suppress(OSError):  # not empty: something else is in it
                os.rmdir(path)  # noqa: PTH106
