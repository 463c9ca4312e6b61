"""What a setup.py calls: extensions and commands of nvcc for either platform; generated text."""
# The text must run on Python 3.8 and hands on whatever a script gives it.
# ruff: noqa: ANN401, PTH118, UP035

from __future__ import annotations

import os
import sys
from typing import Any, Callable, Iterable, Iterator, Mapping

from porting.buildfiles.python.script.options import (
    architectures,
    header_flags,
    library_folder,
    rocm_cmake_option,
    rocm_command,
    rocm_flags,
    rocm_libraries,
    rocm_option,
    rocm_path,
    rpath,
    unique,
)
from porting.buildfiles.python.script.platform import compiler, is_rocm, rocm_home
from porting.buildfiles.python.script.tables import IMPLIED, RUNTIME_FILES


def extension(
    kind: Callable[..., Any], name: str, sources: Iterable[str] = (), *rest: Any, **keywords: Any
) -> Any:
    """Return the extension `kind(name, sources, ...)` with arguments for this platform.

    In a CUDA build nothing is changed.  In a ROCm build the sources are set afterwards: they are
    ported already, and torch's CUDAExtension would translate what it is given once more.
    """
    if not is_rocm():
        return kind(name, sources, *rest, **keywords)
    os.environ.setdefault("PYTORCH_ROCM_ARCH", ";".join(architectures()))
    made = kind(name, [], *rest, **_rocm_keywords(keywords, by_torch=_is_of_torch(kind)))
    made.sources = list(sources)
    return made


def adapted(kind: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that makes extensions of a kind with arguments for this platform."""

    def make(*arguments: Any, **keywords: Any) -> Any:
        return extension(kind, *arguments, **keywords)

    return make


def program(path: str | None) -> str | None:
    """Return the path of nvcc, in a ROCm build that of the compiler of HIP."""
    return compiler()[0] if is_rocm() else path


def command(words: Any) -> Any:
    """Return a command line of nvcc, in a ROCm build as one of clang for HIP.

    A list stays a list and a text a text; a text is split at spaces.
    """
    if not is_rocm():
        return words
    if isinstance(words, str):
        return " ".join(rocm_command(words.split()))
    return rocm_command([os.fspath(word) for word in words])


def executable(path: Any) -> Any:
    """Return nvcc as a compiler for setuptools, in a ROCm build the words that compile HIP."""
    return [*compiler(), "-x", "hip"] if is_rocm() else path


def folder(path: Any) -> Any:
    """Return a folder of CUDA, in a ROCm build ROCm's of the same kind: lib for lib64."""
    if not is_rocm():
        return path
    found = rocm_path(os.fspath(path))
    return found if isinstance(path, str) else type(path)(found)


def file(path: Any) -> Any:
    """Return a header or library of CUDA's runtime, in a ROCm build the file in its place."""
    name = os.path.basename(os.fspath(path))  # noqa: PTH119 - as scripts do
    if not is_rocm() or name not in RUNTIME_FILES:
        return path
    found = os.path.join(rocm_home(), RUNTIME_FILES[name])
    return found if isinstance(path, str) else type(path)(found)


def cmake_option(option: str) -> str:
    """Return a definition for CMake, in a ROCm build the one that HIP has in its place."""
    return rocm_cmake_option(option) if is_rocm() else option


def flags(options: Any) -> Any:
    """Return options of nvcc, in a ROCm build those of clang for HIP."""
    return rocm_flags(options) if is_rocm() else options


def libraries(names: Any) -> Any:
    """Return names of libraries, in a ROCm build ROCm's; what has no counterpart is left out."""
    return rocm_libraries(names) if is_rocm() else names


def _is_of_torch(kind: Callable[..., Any]) -> bool:
    """Whether torch compiles what an extension has, with options for architectures of its own."""
    module = sys.modules.get("torch.utils.cpp_extension")
    return kind in [getattr(module, name, None) for name in ("CUDAExtension", "CppExtension")]


def _rocm_keywords(keywords: Mapping[str, Any], *, by_torch: bool) -> dict[str, Any]:
    done = dict(keywords)
    if IMPLIED or "libraries" in done:
        done["libraries"] = unique([*rocm_libraries(done.get("libraries") or ()), *IMPLIED])
    for key in ("library_dirs", "runtime_library_dirs", "include_dirs"):
        if key in done:
            done[key] = unique(rocm_path(os.fspath(path)) for path in done[key])
    if done.get("extra_compile_args") or header_flags():
        given = done.get("extra_compile_args") or []
        done["extra_compile_args"] = _rocm_compile_args(given, by_torch=by_torch)
    if by_torch and header_flags():
        # torch for ROCm has CUDA's code under the same names, and its folders come by -I too.
        done["include_dirs"] = unique([header_flags()[-1], *done.get("include_dirs", ())])
    if not by_torch:
        # Compilers of the host find HIP's headers, and are told the platform, by no hipcc.
        headers = os.path.join(rocm_home(), "include")
        done["include_dirs"] = unique([*done.get("include_dirs", ()), headers])
        done["define_macros"] = [*done.get("define_macros", ()), ("__HIP_PLATFORM_AMD__", "1")]
    folder = library_folder()
    done["library_dirs"] = unique([*done.get("library_dirs", ()), folder])
    linked = rocm_flags(done.get("extra_link_args") or ())
    found = folder in done.get("runtime_library_dirs", ())
    done["extra_link_args"] = unique(linked if found else [*linked, rpath()])
    return done


def _rocm_compile_args(given: Any, *, by_torch: bool) -> Any:
    if not isinstance(given, dict):
        return [*rocm_flags(given), *_names_of_cuda(by_torch=by_torch)]
    done = {key: [rocm_option(option) for option in given[key]] for key in given if key != "nvcc"}
    done["nvcc"] = rocm_flags(given.get("nvcc", ()))
    if by_torch:
        done["nvcc"] = list(_kept_by_torch(done["nvcc"]))
    else:
        done["nvcc"] += [f"--offload-arch={name}" for name in architectures()]
    names = _names_of_cuda(by_torch=by_torch)
    return {key: [*options, *names] for key, options in done.items()}


def _kept_by_torch(options: Iterable[str]) -> Iterator[str]:
    """Yield options so that torch keeps the names of macros.

    Its BuildExtension writes HIP for the first CUDA of a word that begins with a hyphen, also where
    the macro is the project's own: the name becomes a word of its own.
    """
    for option in options:
        is_named = option.startswith(("-D", "-U")) and "CUDA" in option.partition("=")[0]
        yield from (option[:2], option[2:]) if is_named else (option,)


def _names_of_cuda(*, by_torch: bool) -> list[str]:
    """Return the options that give sources CUDA's names, with the headers that have HIP's.

    A folder that is given by -isystem is not searched where -I puts it, so torch's has -I alone.
    """
    found = header_flags()[:2] if by_torch else header_flags()
    return [*found, "-isystem", os.path.join(rocm_home(), "include")] if found else []
