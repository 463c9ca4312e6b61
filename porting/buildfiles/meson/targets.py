"""Targets with CUDA sources: their kernels become objects that the HIP compiler makes."""

from porting.buildfiles.meson.flags import translated
from porting.buildfiles.meson.project import Project
from porting.buildfiles.meson.sources import sources
from porting.buildfiles.meson.syntax import Argument, Call, MesonFile
from porting.edits import Edit

TARGETS = frozenset(
    (
        *("library", "shared_library", "static_library", "both_libraries", "shared_module"),
        *("executable", "build_target", "extension_module"),
    )
)
_DEPENDS = "dependencies"


def target(project: Project, file: MesonFile, call: Call) -> None:
    """Rewrite one target, if it has a kernel."""
    arguments = [*call.positional[1:], *([s] if (s := call.keyword("sources")) else [])]
    arguments = [a for a in arguments if project.stands_for(file, a.first, a.end, ".cu'")]
    flags = call.keyword("cuda_args")
    if not arguments:
        return
    extra = _extra_args(project, file, call, flags)
    for argument in arguments:
        sources(project, file, call, argument, extra)
    if flags is not None and not project.compat:
        project.remove_argument(file, call, flags.whole, flags.end)
    language = call.keyword("link_language")
    if language is not None and file.text(language.first, language.end) == "'cuda'":
        project.choose(file, language.first, language.end, "'cpp'")
    _runtime(project, file, call)


def _extra_args(project: Project, file: MesonFile, call: Call, flags: Argument | None) -> str:
    """Return the expression for what the target gives its kernels beyond every HIP source."""
    parts = ["hip_args"]
    if flags is not None:
        parts.append(_flags_expression(project, file, flags))
    parts += [f"['-I' + {folder}]" for folder in _folders(project, file, call)]
    return " + ".join(part for part in parts if part)


def _flags_expression(project: Project, file: MesonFile, flags: Argument) -> str:
    """Return cuda_args for ROCm: names and lists joined by +; each list is translated."""
    parts = []
    at = flags.first
    while at < flags.end:
        token = file.tokens[at]
        end = file.partner.get(at, at) + 1
        if token.text == "[":
            strings = [t for t in file.tokens[at:end] if t.kind == "string"]
            if any(t.kind not in ("string", "mark") for t in file.tokens[at:end]):
                project.refuse(file, at, "a list of nvcc's options with something computed in it")
            words = translated(project, file, at, [t.value for t in strings])
            parts.append(f"[{', '.join(words)}]" if words else "")
        elif token.kind == "string":
            words = translated(project, file, at, [token.value])
            parts.append(f"[{', '.join(words)}]" if words else "")
        elif token.kind == "word" and file.tokens[end].text != "(":
            parts.append("" if _is_architecture(project, token.text) else token.text)
        elif token.text != "+":
            project.refuse(file, at, "cuda_args that is more than lists joined by +")
            break
        at = end
    project.settle(file, flags.whole, flags.end)
    return " + ".join(part for part in parts if part)


def _is_architecture(project: Project, name: str) -> bool:
    """Whether a variable holds only architectures, which every HIP source gets anyway."""
    values = project.values(name)
    return bool(values) and all("nvcc_arch_flags" in f.text(first, end) for f, first, end in values)


def _folders(project: Project, file: MesonFile, call: Call) -> list[str]:
    """Return expressions of the target's include folders, which a generator does not get."""
    argument = call.keyword("include_directories")
    if argument is None:
        return []
    found: list[str] = []
    todo = [(file, argument.first, argument.end)]
    while todo:
        where, first, end = todo.pop(0)
        for token in where.tokens[first:end]:
            if token.kind == "string":
                base = "meson.current_source_dir()"
                if where is not file:
                    folder = project.folder(where)
                    base = "meson.project_source_root()" + (f" / '{folder}'" if folder else "")
                found.append(f"{base} / '{token.value}'")
            elif token.kind == "word" and token.text not in ("include_directories", "is_system"):
                values = project.values(token.text)
                if not values and token.text not in ("true", "false"):
                    project.refuse(file, argument.first, f"include folders in '{token.text}'")
                todo += values
    return found


def _runtime(project: Project, file: MesonFile, call: Call) -> None:
    """Link the HIP runtime, which nvcc links by itself, to a target that does not name it."""
    given = call.keyword(_DEPENDS)
    if given is not None and project.stands_for(file, given.first, given.end, "'cuda'"):
        return
    extra = "(gpu_platform == 'rocm' ? [hip_runtime] : [])" if project.compat else "[hip_runtime]"
    path = file.source.path
    if given is not None:
        start, end = file.tokens[given.first].start, file.tokens[given.end - 1].end
        edits = [Edit(start, start, "["), Edit(end, end, f"] + {extra}")]
        project.edits.setdefault(path, []).extend(edits)
        return
    last = file.tokens[call.closing - 1]
    comma = "" if last.text == "," else ","
    text = f"{comma} {_DEPENDS}: {extra}"
    project.edits.setdefault(path, []).append(Edit(last.end, last.end, text))
