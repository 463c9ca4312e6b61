"""Where a hipified file goes: hipify_torch's layout, in which every original stays beside it."""

import posixpath

# PyTorch's own build hipifies these folders of its tree in place.
_IN_PLACE = ("torch/", "third_party/nvfuser/", "tools/autograd/templates/")


def hip_path(path: str, *, is_pytorch_extension: bool) -> str:
    """Return the path of the hipified form of a file, both relative to the output folder.

    CUDA becomes HIP in the names of folders and files, `.cu` becomes `.hip`.  Where that leaves the
    name alone, an extension's file gets `_hip` at the end of its stem; in PyTorch's own layout
    a file whose folder keeps its name goes into a folder `hip`.  Folders above the output folder
    keep their names, so nothing is written into a tree beside it.
    """
    if not is_pytorch_extension and path.startswith(_IN_PLACE):
        return path
    folder, name = posixpath.split(path)
    stem, suffix = posixpath.splitext(name)
    new_folder = folder if path.startswith("../") else _renamed(folder, thc=True)
    new_stem = _renamed(stem, thc=new_folder != "caffe2/core")
    new_suffix = ".hip" if suffix == ".cu" else suffix
    if new_folder == folder and not is_pytorch_extension:
        new_folder = posixpath.join(folder, "hip")
    if new_folder == folder and new_stem + new_suffix == name:
        new_stem += "_hip"
    return posixpath.join(new_folder, new_stem + new_suffix)


def _renamed(text: str, *, thc: bool) -> str:
    text = text.replace("cuda", "hip").replace("CUDA", "HIP")
    return text.replace("THC", "THH") if thc else text
