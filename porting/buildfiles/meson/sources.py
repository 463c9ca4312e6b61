"""Sources of Meson targets: each kernel becomes an object that the HIP compiler makes."""

from porting.buildfiles.meson.project import Project
from porting.buildfiles.meson.syntax import Argument, Call, MesonFile
from porting.edits import Edit

_KERNEL = ".cu"


def sources(project: Project, file: MesonFile, call: Call, argument: Argument, extra: str) -> None:
    """Wrap the kernels of an argument: named in it, or in what its variables are set to.

    `extra`: the expression for the options of this target's kernels.
    """
    at = argument.first
    while at < argument.end:
        token = file.tokens[at]
        end = at + 1
        if token.kind == "string" and token.value.endswith(_KERNEL):
            _kernel(project, file, at, extra)
        elif token.kind == "word" and file.tokens[at + 1].text == "(" and at + 1 in file.partner:
            end = file.partner[at + 1] + 1
            if _holds_kernels(project, file, at, end):
                _of_call(project, file, call, (at, end), extra)
        elif token.kind == "word" and _holds_kernels(project, file, at, end):
            _of_variable(project, file, call, at, extra)
        at = end


def _holds_kernels(project: Project, file: MesonFile, first: int, end: int) -> bool:
    return project.stands_for(file, first, end, f"{_KERNEL}'")


def _processed(name: str, extra: str) -> str:
    return f"hip_objects.process({name}, extra_args: {extra})"


def _list(name: str, extra: str) -> str:
    """Return the objects of a list of kernels as a list, to which others can be added."""
    return f"[{_processed(name, extra)}]"


def _kernel(project: Project, file: MesonFile, number: int, extra: str) -> None:
    token = file.tokens[number]
    if token.text.startswith("f"):
        project.refuse(file, number, "a kernel whose name is put together")
    project.choose(file, number, number + 1, _processed(token.text, extra))


def _of_call(
    project: Project, file: MesonFile, call: Call, place: tuple[int, int], extra: str
) -> None:
    """Wrap the kernels of `files(...)`; what other functions make of a kernel is not known."""
    first, end = place
    name = file.tokens[first].text
    if name != "files":
        project.refuse(file, first, f"kernels inside {name}() of a target")
        return
    strings = [token for token in file.tokens[first:end] if token.kind == "string"]
    if all(token.value.endswith(_KERNEL) for token in strings):
        project.choose(file, first, end, _list(file.text(first, end), extra))
    else:
        _sorted_out(project, file, call, place, extra)


def _of_variable(project: Project, file: MesonFile, call: Call, number: int, extra: str) -> None:
    """Wrap a variable that holds only kernels; sort out one that holds other sources too."""
    name = file.tokens[number].text
    values = project.values(name)
    makers = {n for where, first, end in values for n in where.called(first, end)} - {"files"}
    if makers:
        project.refuse(file, number, f"kernels of {name} that {min(makers)}() makes")
        return
    held = [token for where, first, end in values for token in where.tokens[first:end]]
    names = [token for token in held if token.kind == "string"]
    others = [token for token in held if token.kind == "word" and token.text != "files"]
    if not others and all(token.value.endswith(_KERNEL) for token in names):
        project.choose(file, number, number + 1, _list(name, extra))
    else:
        _sorted_out(project, file, call, (number, number + 1), extra)


def _sorted_out(
    project: Project, file: MesonFile, call: Call, place: tuple[int, int], extra: str
) -> None:
    """Put a loop before the target that wraps the kernels among other sources."""
    text, newline = file.source.text, file.source.newline
    start = text.rfind("\n", 0, file.tokens[call.first].start) + 1
    before = [token for token in file.tokens[: call.first] if token.start >= start]
    if [token.kind for token in before] != ["word", "mark"][: len(before)]:
        project.refuse(file, call.first, "kernels among other sources, in a target inside a call")
        return
    indent = text[start:][: len(text[start:]) - len(text[start:].lstrip(" \t"))]
    name = project.name("hip_sources")
    condition = "hip_files.name(source).endswith('.cu')"
    if project.compat:
        condition = f"gpu_platform == 'rocm' and {condition}"
    lines = (
        f"{name} = []",
        f"foreach source : {file.text(*place)}",
        f"  if {condition}",
        f"    {name} += {_processed('source', extra)}",
        "  else",
        f"    {name} += source",
        "  endif",
        "endforeach",
    )
    loop = "".join(f"{indent}{line}{newline}" for line in lines)
    project.edits.setdefault(file.source.path, []).append(Edit(start, start, loop))
    project.replace(file, *place, name)
