"""What a compat header says of one name."""

from dataclasses import dataclass
from enum import IntEnum


class Side(IntEnum):
    """Who can compile an entry: C and C++, C++ alone, or the compiler of HIP's device code."""

    BOTH = 0
    CXX = 1
    DEVICE = 2


class Group(IntEnum):
    """The part of a library's section that an entry belongs to, in the order of the header."""

    TYPES = 0
    CONSTANTS = 1
    FUNCTIONS = 2
    LOOK_UPS = 3  # functions that find others by name: they stand with dlsym


@dataclass(frozen=True)
class Entry:
    """The text that provides a CUDA name.

    `library`: the table that knows the name.  `c_text`: the text for C where it is another one;
    `text` is then for C++.
    """

    name: str
    library: str
    group: Group
    text: str
    side: Side = Side.BOTH
    c_text: str = ""


@dataclass(frozen=True)
class Missing:
    """A CUDA name that the header cannot provide, and why."""

    name: str
    library: str
    reason: str
    help: str = ""
