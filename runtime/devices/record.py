"""What is known of a vendor library before a probe, and what is known after it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from runtime.devices.calls import Calls


@dataclass(frozen=True)
class Evidence:
    """What the proving call of an open library showed; `detail` is one line for a person."""

    works: bool
    detail: str
    version: str | None = None


class Probed(Protocol):
    """What a probe is about: a vendor's library, or a platform with its devices."""

    @property
    def name(self) -> str:
        """How the report calls it."""

    @property
    def purpose(self) -> str:
        """What the runtime wants of it."""

    @property
    def help(self) -> str:
        """What to do where it does not work."""


@dataclass(frozen=True)
class VendorLibrary:
    """One library the runtime can use: where it is looked for and what proves that it works.

    `sonames` are tried in order, as the dynamic loader finds them. Without every symbol in
    `required` the proof cannot be made; each one in `optional` only makes it say more. `prove` may
    crash or hang with the driver behind it.
    """

    name: str
    purpose: str
    sonames: tuple[str, ...]
    required: tuple[str, ...]
    optional: tuple[str, ...]
    prove: Callable[[Calls], Evidence]
    help: str


@dataclass(frozen=True)
class Finding:
    """The result for one library: `works` only if its proving call did what it should.

    `origin` is "shared" when the probing process had the library before; None, like `path`, when
    it could not be opened. `detail` is the reason when it does not work.
    """

    name: str
    purpose: str
    works: bool
    detail: str
    path: str | None = None
    origin: Literal["loaded", "shared"] | None = None
    version: str | None = None
    help: str | None = None
