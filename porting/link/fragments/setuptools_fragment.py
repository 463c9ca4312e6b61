"""The plan as a Python module: keyword arguments for setuptools.Extension."""

from collections.abc import Sequence

from porting.link.fragments.text import MadeBy, heading, home
from porting.link.libraries import How
from porting.link.plan import LinkPlan

_WIDTH = 88


def render(plan: LinkPlan, made_by: MadeBy) -> str:
    """Return the module."""
    what = "Give them to setuptools: Extension(name, sources, **GPU_EXTENSION)."
    place = home(plan)
    summary = f'"""Arguments of extensions that are linked with {place.title}.'
    text = [summary, "", *heading(plan, made_by, what), '"""']
    lines = [*(line.rstrip() for line in text), "", "import os", ""]
    lines.append(f'HOME = os.environ.get("{place.variable}", "{place.default}")')
    if plan.platform == "cuda":
        lines.append('FOLDER = "lib64" if os.path.isdir(os.path.join(HOME, "lib64")) else "lib"')
        lines.append("LIBRARIES = os.path.join(HOME, FOLDER)")
    else:
        lines.append('LIBRARIES = os.path.join(HOME, "lib")')
    if plan.archs:
        lines.append(_listed("ARCHITECTURES = [", [f'"{arch}"' for arch in plan.archs], "]"))
    return "\n".join([*lines, *_arguments(plan)]) + "\n"


def _arguments(plan: LinkPlan) -> list[str]:
    names = [item.name for item in plan.linked(How.STATIC, How.SHARED)] + list(plan.system)
    defines = [define.partition("=") for define in plan.defines]
    flags = ['"-Wl,--enable-new-dtags"', 'f"-Wl,-rpath,{LIBRARIES}"'] if plan.runpath else []
    rows = [
        ("define_macros", [f'("{name}", "{value}")' for name, _, value in defines]),
        ("include_dirs", ['os.path.join(HOME, "include")']),
        ("library_dirs", ["LIBRARIES"]),
        ("libraries", [f'"{name}"' for name in names]),
        ("extra_link_args", flags),
    ]
    lines = [_listed(f'    "{key}": [', values, "],", "    ") for key, values in rows if values]
    return ["GPU_EXTENSION = {", *lines, "}"]


def _listed(start: str, values: Sequence[str], end: str, indent: str = "") -> str:
    """Return a list on one line where it fits, else one value per line, as formatters do."""
    flat = start + ", ".join(values) + end
    if len(flat) <= _WIDTH:
        return flat
    inner = "".join(f"{indent}    {value},\n" for value in values)
    return f"{start}\n{inner}{indent}{end}"
