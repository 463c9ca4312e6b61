"""What differs between the vendors in a tree's CMake files, as variables of the generated file."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class VendorVariable:
    """A variable with another value for each platform; both are arguments of `set`."""

    name: str
    cuda: str
    rocm: str


@dataclass
class VendorVariables:
    """The variables of a tree, each value once."""

    _known: dict[str, VendorVariable] = field(default_factory=dict)

    def name(self, wish: str, cuda: str, rocm: str) -> str:
        """Return the name of a variable with these values: the wished one, or with a number."""
        base = re.sub(r"\W+", "_", wish).strip("_").upper()
        number = 1
        while True:
            name = base if number == 1 else f"{base}_{number}"
            known = self._known.setdefault(name, VendorVariable(name, cuda, rocm))
            if (known.cuda, known.rocm) == (cuda, rocm):
                return name
            number += 1

    def __iter__(self) -> Iterator[VendorVariable]:
        """Iterate over the variables in the order in which they were first named."""
        return iter(self._known.values())
