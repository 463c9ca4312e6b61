"""Fixtures of the audit's tests: real files, linked with stand-ins for the vendors' libraries."""

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from porting.link.audit import Audit, Audited, audit
from porting.link.loader import Search
from porting.link.subject import Question

HIP_SOURCE = "extern int hipMalloc(void**,long); int use(void) { return hipMalloc(0, 1); }"
CUDA_SOURCE = "extern int cudaMalloc(void**,long); int use(void) { return cudaMalloc(0, 1); }"


@dataclass(frozen=True)
class Bench:
    """A folder with a stand-in ROCm and CUDA, and a compiler to build against them."""

    root: Path

    @property
    def rocm(self) -> Path:
        """The folder of ROCm's libraries."""
        return self.root / "rocm/lib"

    @property
    def cuda(self) -> Path:
        """The folder of CUDA's libraries."""
        return self.root / "cuda/lib64"

    def build(self, name: str, source: str, *flags: str | Path, shared: bool = True) -> Path:
        """Compile C text and link it to `root/name`."""
        output = self.root / name
        output.parent.mkdir(parents=True, exist_ok=True)
        text = output.with_name(f"{output.name}.c")
        text.write_text(source)
        kind = ["-shared", "-fPIC"] if shared else []
        words = ["gcc", "-w", *kind, "-o", output, text, "-Wl,--no-as-needed", *flags]
        subprocess.run(list(map(str, words)), check=True, timeout=50)
        text.unlink()
        return output

    def library(self, path: Path, soname: str, source: str, *flags: str | Path) -> Path:
        """Build a library with a SONAME, as a vendor's."""
        name = str(path.relative_to(self.root))
        return self.build(name, source, f"-Wl,-soname,{soname}", *flags)

    def hip_library(self, soname: str = "libamdhip64.so.7", folder: Path | None = None) -> Path:
        """Build a stand-in of libamdhip64 in `folder`, by default ROCm's."""
        source = (
            "int hipMalloc(void **p, long n) { return 100; } int hipFree(void *p) { return 0; }"
        )
        return self.library((folder or self.rocm) / soname, soname, source)

    def cuda_library(self, soname: str = "libcudart.so.13") -> Path:
        """Build a stand-in of the shared cudart."""
        names = ("cudaMalloc(void **p, long n)", "cudaGetDeviceCount(int *n)")
        source = "".join(f"int {name} {{ return 35; }}" for name in names)
        return self.library(self.cuda / soname, soname, source)

    def hip_user(self, name: str = "a.so", *flags: str | Path, runpath: str | None = "") -> Path:
        """Build a library that calls HIP; `runpath`: "" for ROCm's folder, None for none."""
        folder = str(self.rocm) if runpath == "" else runpath
        search = [] if folder is None else [f"-Wl,--enable-new-dtags,-rpath,{folder}"]
        return self.build(name, HIP_SOURCE, self.hip_library(), *search, *flags)

    def cuda_user(self, name: str = "a.so", *flags: str | Path) -> Path:
        """Build a library that calls the shared cudart."""
        search = f"-Wl,--enable-new-dtags,-rpath,{self.cuda}"
        return self.build(name, CUDA_SOURCE, self.cuda_library(), search, *flags)

    def static_cuda_user(self, name: str = "s.so", *flags: str | Path) -> Path:
        """Build a library that holds a stand-in of the static cudart, hidden as the real one is."""
        hidden = '__attribute__((visibility("hidden")))'
        cudart = (
            f"{hidden} int cudaMalloc(void **p, long n) {{ return 35; }}"
            f"{hidden} int cudaGetDeviceCount(int *n) {{ return 35; }}"
            'const char *errors(void) { return "cudaErrorCudartUnloading"; }'
            'const char *driver(void) { return "libcuda.so.1"; }'
        )
        user = "int use(void) { return cudaMalloc(0, 1); }"
        return self.build(name, cudart + user, *flags)

    def question(
        self,
        platform: str = "",
        rocm: str = "7.1",
        archs: Sequence[str] = (),
        runpath: Sequence[str] = (),
    ) -> Question:
        """Return what files are to be right for."""
        folders = (*map(Path, runpath), self.rocm)
        return Question(platform, rocm, tuple(archs), folders)

    def audit(  # noqa: PLR0913 - one for each option
        self,
        *paths: Path,
        platform: str = "",
        rocm: str = "7.1",
        archs: Sequence[str] = (),
        runpath: Sequence[str] = (),
        separate: bool = False,
        environment: Sequence[str] = (),
    ) -> Audit:
        """Audit files as a loader without cache would load them."""
        question = self.question(platform, rocm, archs, runpath)
        return audit(paths, question, Search(tuple(environment)), separate=separate)

    def one(self, path: Path, **asked: object) -> Audited:
        """Audit one file."""
        (file,) = self.audit(path, **asked).files  # type: ignore[arg-type]
        return file

    def codes(self, *paths: Path, **asked: object) -> list[str]:
        """Return the codes of the findings about files, without notes on what is not here."""
        found = self.audit(*paths, **asked).findings  # type: ignore[arg-type]
        return [finding.code for finding in found if finding.code != "LNK019"]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Return an empty bench."""
    return Bench(tmp_path)


@pytest.fixture
def assemble(tmp_path: Path) -> Callable[[str, bytes], Path]:
    """Return a function that makes an object with one section of these bytes."""

    def make(section: str, data: bytes) -> Path:
        source = tmp_path / f"{section.strip('.')}.s"
        values = ",".join(map(str, data))
        source.write_text(f'.section {section},"a",@progbits\n.p2align 12\n.byte {values}\n')
        output = source.with_suffix(".o")
        subprocess.run(["gcc", "-c", source, "-o", output], check=True, timeout=50)
        return output

    return make
