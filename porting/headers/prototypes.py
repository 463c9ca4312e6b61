"""CUDA's C prototypes of functions that HIP takes differently: generated data, read on demand."""

from dataclasses import dataclass
from functools import cache
from importlib import resources


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter: its type as CUDA spells it, and its name."""

    type: str
    name: str

    @property
    def text(self) -> str:
        """The declaration."""
        return f"{self.type}{self.name}" if self.type.endswith("*") else f"{self.type} {self.name}"


@dataclass(frozen=True, slots=True)
class Prototype:
    """One form of a function in some CUDA releases, the newest of which is `newest`."""

    name: str
    newest: tuple[int, int]
    returns: str
    parameters: tuple[Parameter, ...]


def prototypes(name: str) -> tuple[Prototype, ...]:
    """Return the forms of a function, the newest first; none for a function that is not listed."""
    return _table().get(name, ())


@cache
def _table() -> dict[str, tuple[Prototype, ...]]:
    path = resources.files("porting.headers") / "prototypes.tsv"
    found: dict[str, list[Prototype]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            read = _prototype(*line.split("\t"))
            found.setdefault(read.name, []).append(read)
    return {
        name: tuple(sorted(forms, key=lambda form: form.newest, reverse=True))
        for name, forms in found.items()
    }


def _prototype(name: str, releases: str, returns: str, parameters: str) -> Prototype:
    newest = max(_release(text) for text in releases.split(", "))
    shown = tuple(_parameter(text) for text in parameters.split("|") if text)
    return Prototype(name, newest, returns, shown)


def _release(text: str) -> tuple[int, int]:
    major, minor = text.split(".")
    return int(major), int(minor)


def _parameter(text: str) -> Parameter:
    at = max(text.rfind(" "), text.rfind("*")) + 1
    return Parameter(text[:at].rstrip(), text[at:])
