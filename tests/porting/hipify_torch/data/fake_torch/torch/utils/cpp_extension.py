"""torch's functions for extensions, which give back what they would build with."""

import os

import torch
from torch.utils.hipify import hipify_python as imported_early

__all__ = ["BuildExtension", "CUDAExtension", "include_paths", "load"]
# How this torch is unlike the one that is known: "", "no hipify", "early" (it calls what it has
# of hipify since it was imported) or "no rocm" (it found none).
_ODDITY = os.environ.get("FAKE_ODDITY", "")
IS_HIP_EXTENSION = torch.version.hip is not None and _ODDITY != "no rocm"
_EARLY = imported_early.translate_everything


class Extension:
    """An extension and its arguments."""

    def __init__(self, name, sources, **arguments):
        self.name = name
        self.sources = sources
        self.extra_compile_args = arguments.get("extra_compile_args", [])
        self.arguments = arguments


class BuildExtension:
    """torch's command; its options get HIP for the first CUDA."""

    def _hipify_compile_flags(self, extension):
        options = extension.extra_compile_args["nvcc"]
        extension.extra_compile_args["nvcc"] = [o.replace("CUDA", "HIP", 1) for o in options]

    def finish(self, extension):
        if IS_HIP_EXTENSION:
            self._hipify_compile_flags(extension)
        return extension.extra_compile_args


def CUDAExtension(name, sources, *args, **kwargs):
    if kwargs.pop("fails", False):
        raise RuntimeError("torch failed")
    return Extension(name, _hipified(sources, os.getcwd(), kwargs.get("include_dirs", ())), **kwargs)


def CppExtension(name, sources, *args, **kwargs):
    return Extension(name, sources, **kwargs)


def include_paths(device_type="cpu"):
    return ["include", device_type]


def load(name, sources, extra_cflags=None, extra_cuda_cflags=None, extra_ldflags=None, **others):
    sources = [sources] if isinstance(sources, str) else sources
    return [_hipified(sources, os.getcwd()), extra_cflags, extra_cuda_cflags, extra_ldflags]


def load_inline(name, cpp_sources, cuda_sources=None, extra_cuda_cflags=None):
    with open("cuda.cu", "w") as file:
        file.write("\n".join(cuda_sources))
    return [_hipified(["cuda.cu"], os.getcwd()), extra_cuda_cflags]


def _hipified(sources, folder, include_dirs=()):
    if not IS_HIP_EXTENSION or _ODDITY == "no hipify":
        return sources
    from torch.utils.hipify import hipify_python

    hipify = _EARLY if _ODDITY == "early" else hipify_python.hipify
    found = hipify(
        project_directory=folder,
        output_directory=folder,
        header_include_dirs=include_dirs,
        includes=[os.path.join(folder, "*")],
        extra_files=[os.path.abspath(source) for source in sources],
        show_detailed=True,
        is_pytorch_extension=True,
        hipify_extra_files_only=True,
    )
    paths = [found[os.path.abspath(source)].hipified_path for source in sources]
    return [os.path.relpath(path, folder) for path in paths]
