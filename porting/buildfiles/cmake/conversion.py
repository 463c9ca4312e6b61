"""One file on its way to ROCm: what the rules share about it."""

from collections.abc import Iterable, Sequence

from porting.buildfiles.cmake.commands import Argument, Command, Listing
from porting.buildfiles.cmake.editing import FileEdits
from porting.buildfiles.cmake.options import Run, apply_runs
from porting.buildfiles.cmake.project import CMakeProject

_WIDTH = 90
COMPILE_FOR_HIP = "$<$<COMPILE_LANGUAGE:HIP>:-fgpu-rdc>"
LINK_FOR_HIP = '"$<$<LINK_LANGUAGE:HIP>:-fgpu-rdc;--hip-link>"'


class Conversion:
    """A file, its edits, and what was decided about it so far."""

    def __init__(self, project: CMakeProject, listing: Listing) -> None:
        self.project = project
        self.listing = listing
        self.edits = FileEdits(listing)
        self.archs = project.context.target.archs
        self.marked: set[str] = set()  # sources whose language was set at the top level
        self.default_at: int | None = None  # where the architectures' default was added
        self._linked: dict[int, set[str]] = {}  # by command: what it links already
        self._translated: set[int] = set()  # commands whose options were translated, by start

    def linked_by(self, command: Command) -> set[str]:
        """Return what a command links already; what is linked is added to it."""
        return self._linked.setdefault(command.start, set())

    def translate(
        self,
        command: Command,
        arguments: Sequence[Argument],
        runs: Sequence[Run],
        *,
        in_string: bool = False,
    ) -> tuple[str, ...]:
        """Put options of clang in the place of nvcc's; return those that linking needs besides."""
        self._translated.add(command.start)
        return apply_runs(self.edits, arguments, runs, in_string=in_string)

    def conditional_runs(self, command: Command, runs: Sequence[Run]) -> Sequence[Run]:
        """Return the runs of a command, none when a rule translated its options already."""
        return () if command.start in self._translated else runs

    def relocatable(self, target: str, condition: str = "") -> list[str]:
        """Return the lines that make device code relocatable and have it linked.

        `target`: "" for a whole folder.  `condition`: text of a generator expression that tells
        whether; "" for always.
        """
        compiled, linked = COMPILE_FOR_HIP, LINK_FOR_HIP
        if condition:
            compiled = f"$<$<AND:{condition},$<COMPILE_LANGUAGE:HIP>>:-fgpu-rdc>"
            linked = f'"$<$<AND:{condition},$<LINK_LANGUAGE:HIP>>:-fgpu-rdc;--hip-link>"'
        if not target:
            return [f"add_compile_options({compiled})", f"add_link_options({linked})"]
        scope = "PUBLIC" if self.is_archive(target) else "PRIVATE"
        return [
            f"target_compile_options({target} PRIVATE {compiled})",
            f"target_link_options({target} {scope} {linked})",
        ]

    def is_archive(self, target: str) -> bool:
        """Whether a target is linked into others as it is: a static or object library."""
        commands = self.project.commands("add_library", "cuda_add_library")
        kinds = (c.values[1:2] for _, c in commands if c.values[:1] == (target,))
        return any(kind in (("STATIC",), ("OBJECT",)) for kind in kinds)


def call(name: str, words: Iterable[str], tail: str, indent: str = "") -> list[str]:
    """Return a command as lines: on one when it fits, else a word on each."""
    given = list(words)
    line = f"{name}({' '.join([*given, tail])})"
    if len(indent) + len(line) <= _WIDTH:
        return [line]
    return [f"{name}(", *(f"  {word}" for word in given), f"  {tail})"]
