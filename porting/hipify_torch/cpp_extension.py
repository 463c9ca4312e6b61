"""torch.utils.cpp_extension, whose ROCm builds are hipified by us: change the import, nothing else.

    from porting.hipify_torch.cpp_extension import BuildExtension, CUDAExtension

On a torch for ROCm, CUDAExtension, load and load_inline run torch's own functions, in which our
`hipify` takes the place of torch's for the duration of the call, with options of nvcc and names of
libraries translated by our tables.  Every other name, and all of it on a torch for CUDA or the CPU,
is torch's.
"""

import importlib
import inspect
import os
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any
from weakref import WeakSet

from porting.config import Target
from porting.errors import ToolchainError, UsageError
from porting.hipify_torch.replacing_torch import our_hipify

_EXTENSION = "torch.utils.cpp_extension"
# In older ones torch's headers for ROCm have other names and classes, which we do not write.
_HIPIFY = (2, 0, 0)
# Extensions whose options are clang's already.
_PORTED: WeakSet[Any] = WeakSet()
# What only a ROCm build needs is imported there: a build for CUDA starts as it does with torch's.


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever torch has
    """Return BuildExtension, or what torch has under a name that is not ours.

    `import *` gives what it gives of torch's.
    """
    if name.startswith("__") and name != "__all__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _build_extension() if name == "BuildExtension" else getattr(_torchs(), name)


def CUDAExtension(  # noqa: N802 - torch's name
    name: str,
    sources: Sequence[str],
    *args: Any,  # noqa: ANN401 - torch's, handed on
    **kwargs: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401 - a setuptools.Extension
    """Return torch's CUDAExtension; on ROCm its sources are hipified and its options are clang's.

    Raises ToolchainError for a torch that this does not work with, PortingError for sources or
    options that cannot be ported.
    """
    theirs = _torchs()
    if not _is_for_rocm(theirs):
        _check_that_rocm_was_not_missed(name)
        return theirs.CUDAExtension(name, sources, *args, **kwargs)
    if kwargs.get("dlink") or kwargs.get("dlink_libraries"):
        raise UsageError(
            f"{name} asks for dlink: HIP has no step that links device code by itself; leave dlink"
            " and dlink_libraries out on ROCm, and give -fgpu-rdc to the compiler and --hip-link"
            " to the linker"
        )
    ported = {**kwargs, **_ported_arguments(kwargs)}
    with our_hipify(_target()) as used:
        made = theirs.CUDAExtension(name, sources, *args, **ported)
    if not used():
        raise ToolchainError(
            f"torch's CUDAExtension made {name} without hipifying it: this torch is built in a way"
            " that porting does not know; run `porting port` on the project instead"
        )
    _PORTED.add(made)
    return made


def load(name: str, sources: str | Sequence[str], *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
    """Build and load an extension as torch's `load` does; see CUDAExtension for ROCm."""
    return _run(_torchs().load, name, sources, *args, **kwargs)


def load_inline(name: str, cpp_sources: str | Sequence[str], *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
    """Build and load an extension as torch's `load_inline` does; see CUDAExtension for ROCm."""
    return _run(_torchs().load_inline, name, cpp_sources, *args, **kwargs)


def _run(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
    if not _is_for_rocm(_torchs()):
        return function(*args, **kwargs)
    from porting.hipify_torch.nvcc_options import shell_options

    ported = inspect.signature(function).bind(*args, **kwargs)
    for key in ("extra_cuda_cflags", "extra_ldflags"):
        if ported.arguments.get(key):
            ported.arguments[key] = shell_options(ported.arguments[key])
    with our_hipify(_target()):
        return function(*ported.args, **ported.kwargs)


@cache
def _build_extension() -> Any:  # noqa: ANN401 - a class
    """Return torch's BuildExtension; on ROCm one that takes options as our table has them."""
    theirs: Any = _torchs().BuildExtension
    if not _is_for_rocm(_torchs()):
        return theirs
    if not hasattr(theirs, "_hipify_compile_flags"):
        raise ToolchainError(
            "torch's BuildExtension has no _hipify_compile_flags: this torch is built in a way that"
            " porting does not know; run `porting port` on the project instead"
        )

    class BuildExtension(theirs):  # type: ignore[misc]
        """Builds extensions; options of nvcc become clang's by our table."""

        def _hipify_compile_flags(self, extension: Any) -> None:  # noqa: ANN401
            # Torch's writes HIP for the first CUDA of each option, also in names of the project's.
            # An extension that torch's own CUDAExtension made has nvcc's options up to here.
            if extension not in _PORTED:
                extension.extra_compile_args = _compile_options(extension.extra_compile_args)

    return BuildExtension


def _ported_arguments(given: dict[str, Any]) -> dict[str, Any]:
    """Return those arguments of an extension that are others on ROCm."""
    from porting.hipify_torch.nvcc_options import library_names, translated_options

    changed: dict[str, Any] = {}
    if given.get("libraries"):
        changed["libraries"] = library_names(given["libraries"])
    if given.get("extra_link_args"):
        changed["extra_link_args"] = translated_options(given["extra_link_args"])
    if given.get("extra_compile_args"):
        changed["extra_compile_args"] = _compile_options(given["extra_compile_args"])
    return changed


def _compile_options(given: Any) -> Any:  # noqa: ANN401 - a list for every compiler, or one for each
    if not isinstance(given, dict) or "nvcc" not in given:
        return given
    from porting.hipify_torch.nvcc_options import translated_options

    return {**given, "nvcc": translated_options(given["nvcc"])}


def _target() -> Target:
    """Return torch's release of ROCm with the architectures that torch builds for.

    Those are PYTORCH_ROCM_ARCH; unset, those of `[tool.porting]` in this folder's pyproject.toml,
    else the default ones: a port for more than the visible GPUs is right for them too.
    """
    from porting.settings import load_settings

    release = re.match(r"\d+\.\d+", importlib.import_module("torch").version.hip)
    said = re.split(r"[;,\s]+", os.environ.get("PYTORCH_ROCM_ARCH", "").strip())
    archs = tuple(arch.partition(":")[0] for arch in said if arch)
    settings = load_settings(Path.cwd())
    default = Target()
    return Target(
        rocm=release[0] if release else default.rocm,
        archs=archs or settings.arch or default.archs,
        hipify_launches=settings.hipify_launches,
    )


def _torchs() -> ModuleType:
    return importlib.import_module(_EXTENSION)


def _check_that_rocm_was_not_missed(name: str) -> None:
    """Raise ToolchainError for a torch for ROCm that found no ROCm: it would ask for CUDA."""
    torch = importlib.import_module("torch")
    if torch.version.hip is not None:
        raise ToolchainError(
            f"{name} cannot be built: torch {torch.__version__} is for ROCm {torch.version.hip},"
            " and found no ROCm here; set ROCM_HOME to its folder"
        )


def _is_for_rocm(theirs: ModuleType) -> bool:
    """Whether torch builds for ROCm.  Raises ToolchainError for one that is too old."""
    if not theirs.IS_HIP_EXTENSION:
        return False
    torch = importlib.import_module("torch")
    found = getattr(importlib.import_module("torch.utils.hipify"), "__version__", "0")
    if tuple(int(part) for part in re.findall(r"\d+", found)[:3]) < _HIPIFY:
        needed = ".".join(map(str, _HIPIFY))
        raise ToolchainError(
            f"torch {torch.__version__} for ROCm {torch.version.hip} has torch.utils.hipify"
            f" {found}, whose headers have other names (HIPStreamMasqueradingAsCUDA and the like);"
            f" {needed} or newer is needed, which torch 2.13 has; install a newer torch"
        )
    return True
