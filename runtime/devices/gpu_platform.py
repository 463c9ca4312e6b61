"""What is known of a vendor's platform before it is asked."""

from collections.abc import Callable
from dataclasses import dataclass

from runtime.devices.visible import Filters


@dataclass(frozen=True)
class GpuPlatform:
    """A vendor's platform.

    `module`: the compiled module that serves it.  `library`: the shared library that has to be
    found, `home_variables` name the folder of its toolkit.  `filters`: the variables that choose
    devices.  `reached`: DLPack's kinds of memory that code of its devices reads and writes.
    `architecture`: a compiler's name for a major and a minor number, and the address of a slot.
    `version_of`: the release in (major, minor) of the runtime's own number; `oldest` is the first
    that works.  `without_driver`: the error codes by which the runtime says that it has no driver.
    """

    name: str
    title: str
    module: str
    library: str
    home_variables: tuple[str, ...]
    filters: Filters
    reached: frozenset[int]
    architecture: Callable[[int, int, str], str]
    version_of: Callable[[int], tuple[int, int]]
    oldest: tuple[int, int]
    without_driver: frozenset[int]

    @property
    def purpose(self) -> str:
        """What the device report says of it."""
        return f"{self.title} devices"

    @property
    def help(self) -> str:
        """What to do where nothing else is known."""
        return f"run `python -c 'import {self.module}'` to see how it ends"
