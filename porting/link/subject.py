"""What a check of the audit is given: a file, the process around it, and what is asked."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from porting.diagnostics import Code, Diagnostic, Severity
from porting.elf import ElfFile, Kind
from porting.link.follows import Follows
from porting.link.libraries import VendorFile, vendor_file
from porting.link.reach import Reach


@dataclass(frozen=True)
class Question:
    """What a file is to be right for.

    `platform`: "" when any will do.  `archs`: processors that device code is to have.
    `rocm_folders`: where ROCm's libraries are on the machine that runs it, as a run path says it.
    """

    platform: str
    rocm: str
    archs: tuple[str, ...]
    rocm_folders: tuple[Path, ...]


@dataclass(frozen=True)
class Subject:
    """One ELF file under audit; `path` is where it or its archive is, `reach` its process."""

    path: Path
    file: ElfFile
    follows: Follows
    reach: Reach
    question: Question

    @property
    def is_linked(self) -> bool:
        """Whether it is a program or a library, and no object."""
        return self.file.kind is not Kind.OBJECT

    @property
    def origin(self) -> Path:
        """The folder it lies in."""
        return self.path.absolute().parent

    def needed(self, platform: str) -> Iterator[tuple[str, VendorFile]]:
        """Yield the libraries of a vendor that it needs itself."""
        for name in self.file.needed:
            found = vendor_file(name)
            if found and found.platform == platform:
                yield name, found

    def found(
        self, code: Code, message: str, help_text: str, symbol: str = "", *, note: bool = False
    ) -> Diagnostic:
        """Return a finding about it; `note`: as a note, whatever the code's severity."""
        finding = code.at(self.file.name, message, help_text, symbol=symbol)
        return replace(finding, severity=Severity.NOTE) if note else finding


Check = Callable[[Subject], Iterator[Diagnostic]]
