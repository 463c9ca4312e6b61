"""Rewrite what Meson files say of CUDA: languages, flags, dependencies, kernels of targets."""

from collections.abc import Callable, Mapping, Sequence

from porting.buildfiles.codes import SETTING_DROPPED
from porting.buildfiles.flags import is_of_nvcc
from porting.buildfiles.implied import implied_libraries
from porting.buildfiles.libraries import library
from porting.buildfiles.meson.flags import translated
from porting.buildfiles.meson.project import Project
from porting.buildfiles.meson.syntax import Argument, Call, MesonFile
from porting.buildfiles.meson.targets import TARGETS, target
from porting.buildfiles.model import BuildContext
from porting.edits import Edit
from porting.generated import FOLDER

_LINE = "gpu_platform == 'rocm'"


def rewrite(files: Sequence[MesonFile], context: BuildContext, root: str = "") -> Project:
    """Return the project with its edits; an error among its findings means: change nothing.

    `root`: its folder in the tree.
    """
    project = Project(files, context, root)
    for file, call in project.calls():
        if not project.is_settled(file, call.first):  # a part of what was replaced
            _call(project, file, call)
    for file in files:
        _arrays(project, file)
    for file, number in project.leftovers():
        project.refuse(file, number, f"{file.tokens[number].text} has no certain counterpart")
    return project


def _call(project: Project, file: MesonFile, call: Call) -> None:
    """Rewrite one call, by what is called."""
    name = call.name.rpartition(".")[2]
    if name in _WHOLE_NAMES:
        _WHOLE_NAMES[name](project, file, call)
    elif name in TARGETS:
        target(project, file, call)


def _languages(project: Project, file: MesonFile, call: Call) -> None:
    for argument in call.positional:
        if file.tokens[argument.first].text == "[":
            _language_list(project, file, call, argument)
    languages = [a for a in call.positional if file.text(a.first, a.end) == "'cuda'"]
    for argument in languages:
        others = [a for a in call.positional[call.name == "project" :] if a not in languages]
        if not others and call.name == "project":
            project.replace(file, argument.first, argument.end, "'cpp'")
        elif not others:
            project.remove_statement(file, call.first)
        else:
            project.remove_argument(file, call, argument.whole, argument.end)
    if call.name == "project":
        _options(project, file, call)
        end = file.tokens[call.closing].end
        line = f"{file.source.newline}subdir('{FOLDER}')"
        project.edits.setdefault(file.source.path, []).append(Edit(end, end, line))


def _language_list(project: Project, file: MesonFile, call: Call, argument: Argument) -> None:
    """Take CUDA out of languages that are given as a list; what is no string is told later."""
    names = _strings(file, argument)
    if names is None or "cuda" not in names:
        return
    rest = [name for name in names if name != "cuda"]
    if rest or call.name == "project":
        text = ", ".join(f"'{name}'" for name in rest or ["cpp"])
        project.replace(file, argument.first, argument.end, f"[{text}]")
    else:
        project.remove_statement(file, call.first)


def _options(project: Project, file: MesonFile, call: Call) -> None:
    """Give CUDA's default options to C++, or leave them out."""
    argument = call.keyword("default_options")
    if argument is None or project.compat:
        if argument is not None:
            project.settle(file, argument.first, argument.end)
        return
    text = file.text(argument.first, argument.end)
    for number in range(argument.first, argument.end):
        token = file.tokens[number]
        if not token.value.startswith("cuda_"):
            continue
        if token.value.startswith("cuda_std=") and "cpp_std=" not in text:
            project.replace(file, number, number + 1, token.text.replace("cuda_std", "cpp_std"))
        else:
            message = f"{token.text} only concerns nvcc and is left out"
            project.tell(SETTING_DROPPED, file, number, message)
            end = number + 2 if file.tokens[number + 1].text == "," else number + 1
            project.replace(file, number, end, "")


def _architectures(project: Project, file: MesonFile, call: Call) -> None:
    prefix = "--offload-arch=" if call.name.endswith("nvcc_arch_flags") else ""
    archs = ", ".join(f"'{prefix}{arch}'" for arch in project.context.target.archs)
    project.choose(file, call.first, call.closing + 1, f"[{archs}]")


def _dependency(project: Project, file: MesonFile, call: Call) -> None:
    first = call.positional[0] if call.positional else None
    if first is None or file.text(first.first, first.end) != "'cuda'":
        return
    modules = call.keyword("modules")
    names = ["cudart"] if modules is None else _strings(file, modules)
    if names is None:
        project.refuse(file, call.first, "the modules of dependency('cuda') are not written out")
        return
    linked: list[str] = []
    for name in names:
        row = library(name)
        if row is None:
            project.refuse(file, call.first, f"ROCm has no counterpart of the module '{name}'")
            return
        linked += row.link
    implied = implied_libraries(project.context)
    unique = list(dict.fromkeys(("amdhip64", *linked, *implied)))
    flags = ", ".join(f"'-l{name}'" for name in unique)
    rocm = (
        f"declare_dependency(compile_args: hip_compile_args, link_args: hip_link_args + [{flags}])"
    )
    project.choose(file, call.first, call.closing + 1, rocm)


def _strings(file: MesonFile, argument: Argument) -> list[str] | None:
    """Return a string or a list of them, None for anything else."""
    tokens = file.tokens[argument.first : argument.end]
    if any(token.kind not in ("string", "mark") for token in tokens):
        return None
    return [token.value for token in tokens if token.kind == "string"]


def _import(project: Project, file: MesonFile, call: Call) -> None:
    text = file.text(call.opening + 1, call.closing)
    if text not in ("'unstable-cuda'", "'cuda'"):
        return
    if project.compat:  # the module itself needs no CUDA
        project.settle(file, call.first, call.closing + 1)
    else:
        project.remove_statement(file, call.first - 2)


def _compiler(project: Project, file: MesonFile, call: Call) -> None:
    if not call.positional:
        return
    argument = call.positional[0]
    if file.text(argument.first, argument.end) == "'cuda'":
        project.choose(file, argument.first, argument.end, "'cpp'")


def _project_arguments(project: Project, file: MesonFile, call: Call) -> None:
    """Add arguments for nvcc to those of the generator of HIP objects."""
    language = call.keyword("language")
    if language is None or "'cuda'" not in file.text(language.first, language.end):
        return
    others = [t for t in _strings(file, language) or [] if t != "cuda"]
    words = [_strings(file, argument) for argument in call.positional]
    if others or any(word is None for word in words):
        project.refuse(file, call.first, "arguments for CUDA that are shared or put together")
        return
    flags = translated(project, file, call.first, [w for word in words for w in word or ()])
    project.settle(file, call.first, call.closing + 1)
    rocm = f"hip_args += [{', '.join(flags)}]"
    old = file.text(call.first, call.closing + 1)
    if project.compat:
        lines = (f"if {_LINE}", f"  {rocm}", "elif gpu_platform == 'cuda'", f"  {old}", "endif")
        rocm = file.source.newline.join(lines)
    project.replace(file, call.first, call.closing + 1, rocm)


def _arrays(project: Project, file: MesonFile) -> None:
    """Translate lists of nvcc's options wherever they stand."""
    for opening, closing in file.partner.items():
        if file.tokens[opening].text != "[" or project.is_settled(file, opening):
            continue
        items = list(file.items(opening, closing))
        tokens = [file.tokens[first] for first, end in items if end == first + 1]
        if len(tokens) != len(items) or not any(is_of_nvcc(token.value) for token in tokens):
            continue
        if any(token.kind != "string" for token in tokens):
            project.refuse(file, opening, "a list of nvcc's options with something computed in it")
            continue
        flags = translated(project, file, opening, [token.value for token in tokens])
        project.choose(file, opening, closing + 1, f"[{', '.join(flags)}]")


_WHOLE_NAMES: Mapping[str, Callable[[Project, MesonFile, Call], None]] = {
    "project": _languages,
    "add_languages": _languages,
    "nvcc_arch_flags": _architectures,
    "nvcc_arch_readable": _architectures,
    "dependency": _dependency,
    "import": _import,
    "get_compiler": _compiler,
    "add_project_arguments": _project_arguments,
    "add_global_arguments": _project_arguments,
}
