"""The compiler's command line for one unit, for the host or for one architecture."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath

from porting.verify.database import Command
from porting.verify.sources import Language, SourceTree, Unit
from porting.verify.toolchain import Toolchain

_DEFAULT_STANDARD = 17
_STANDARD = re.compile(
    r"(?:CXX|CUDA|HIP)_STANDARD[ \t]+(\d\d)\b|cxx_std_(\d\d)\b|-std=(?:c|gnu)\+\+(\d[\dabxyz])\b"
)
_RELOCATABLE = re.compile(
    r"-rdc=true|--relocatable-device-code=true|-fgpu-rdc"
    # also those of nvcc, in a file that was left to a person
    r"|(?<![\w-])-(?:dc|-device-c|dlink|-device-link)(?![\w-])"
    r"|(?:CUDA|HIP)_SEPARABLE_COMPILATION[ \t]+ON"
)
_RDC_FLAG = "-fgpu-rdc"
_DRAFTS = {"1y": 14, "1z": 17, "2a": 20, "2b": 23}
_BUILD_FILES = (
    *("CMakeLists.txt", "setup.py", "Makefile", "meson.build", "pyproject.toml"),
    "eclosion/gpu.mk",  # options of a Makefile that builds for both vendors
)
_QUIET = (
    *("-w", "-ferror-limit=50", "-fno-color-diagnostics", "-fno-caret-diagnostics"),
    *("-fdiagnostics-absolute-paths", "-fno-diagnostics-fixit-info"),
)


@dataclass(frozen=True)
class Flags:
    """What the caller and the build system say about how to compile.

    `forced`: flags that give every unit its compat header, and the folder of forwarding headers.
    """

    include_dirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    forced: tuple[str, ...] = ()


@dataclass(frozen=True)
class Compiler:
    """Makes command lines for the units of one tree.  Used from several threads."""

    toolchain: Toolchain
    tree: SourceTree
    flags: Flags = Flags()
    database: Mapping[str, Command] = field(default_factory=dict)

    def host(self, unit: Unit, arch: str, depends: Path) -> list[str]:
        """Return the command that checks the host side and lists the headers in `depends`."""
        command = self._common(unit)
        if unit.language is Language.HIP:
            command += [*self._hip(arch), "--offload-host-only", "-nogpulib"]
        return [*command, "-fsyntax-only", "-MD", "-MF", str(depends), self._file(unit)]

    def device(self, unit: Unit, arch: str, output: Path) -> list[str]:
        """Return the command that makes the code object for `arch`."""
        command = [*self._common(unit), *self._hip(arch), "--offload-device-only", "-O2"]
        if _RDC_FLAG in command:
            # Otherwise bitcode comes out, which names no processor that could be checked.
            command += ["-Xclang", "-emit-obj"]
        # Without a bundle the output is the ELF file itself, and clang-offload-bundler, which
        # Debian packs apart from clang, is not needed.
        return [*command, "-c", "--no-gpu-bundle-output", "-o", str(output), self._file(unit)]

    def _standard(self, unit: Unit) -> str:
        """Return the C++ standard: the newest that the build files name, at least C++17."""
        found = [_DEFAULT_STANDARD]
        for match in _STANDARD.finditer(self._build_files(unit)):
            text = match[1] or match[2] or match[3]
            found.append(_DRAFTS.get(text) or int(text))
        # 98, 03 and the like are older than 11, whatever their number.
        return f"c++{max(year for year in found if year < 90)}"  # noqa: PLR2004

    def _is_relocatable(self, unit: Unit) -> bool:
        """Whether the build files ask for device code that calls across units."""
        return bool(_RELOCATABLE.search(self._build_files(unit)))

    def _build_files(self, unit: Unit) -> str:
        """Return the text of the build files in the unit's folder and above it."""
        folder = PurePosixPath(unit.path).parent
        return "\n".join(self._build_text(place) for place in (folder, *folder.parents))

    def _build_text(self, folder: PurePosixPath) -> str:
        if folder not in self._build_texts:
            paths = (self.tree.root / folder / name for name in _BUILD_FILES)
            texts = (path.read_text(errors="replace") for path in paths if path.is_file())
            self._build_texts[folder] = "\n".join(texts)
        return self._build_texts[folder]

    @cached_property
    def _build_texts(self) -> dict[PurePosixPath, str]:
        return {}

    def _common(self, unit: Unit) -> list[str]:
        own = self.database[unit.path].flags if unit.path in self.database else ()
        if self._is_relocatable(unit) and unit.language is Language.HIP:
            own = (_RDC_FLAG, *own)
        command = [str(self.toolchain.clang.path), "-x", unit.language.value, *_QUIET]
        if unit.language is not Language.C and not any(f.startswith("-std=") for f in own):
            command.append(f"-std={self._standard(unit)}")
        command += [
            "-D__HIP_PLATFORM_AMD__=1",
            *(f"-D{name}" for name in self.flags.defines),
            *own,
            *self.flags.forced,
            *(f"-I{folder}" for folder in self.flags.include_dirs),
            *("-isystem", str(self.toolchain.sysroot.include)),
        ]
        # Last in the order of search: a guessed folder must not hide anybody's <string.h>.
        for folder in self._guessed_folders(unit.path):
            command += ["-idirafter", str(self.tree.root / folder)]
        return command

    def _guessed_folders(self, path: str) -> tuple[str, ...]:
        if path not in self._folders:
            provided = self.toolchain.system_includes
            self._folders[path] = tuple(self.tree.folders_for(path, provided))
        return self._folders[path]

    @cached_property
    def _folders(self) -> dict[str, tuple[str, ...]]:
        return {}

    def _hip(self, arch: str) -> list[str]:
        return [f"--offload-arch={arch}", f"--rocm-path={self.toolchain.sysroot.path}"]

    def _file(self, unit: Unit) -> str:
        return str(self.tree.root / unit.path)
