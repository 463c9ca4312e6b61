"""The plan as a meson.build file: the dependency gpu_dep, the RUNPATH of installed targets."""

from porting.link.fragments.text import MadeBy, commented, heading, home
from porting.link.libraries import How
from porting.link.plan import Linked, LinkPlan


def render(plan: LinkPlan, made_by: MadeBy) -> str:
    """Return the file."""
    place = home(plan)
    what = "Targets take gpu_dep as a dependency."
    if plan.runpath:  # Meson removes every other RUNPATH when it installs
        what += "  Those that are installed also take install_rpath: gpu_rpath."
    head = commented(heading(plan, made_by, what), "#")
    script = f'printf %s "${{{place.variable}:-{place.default}}}"'
    lines = [
        head,
        f"gpu_home = run_command('sh', '-c', '{script}', check: true).stdout()",
        "gpu_compiler = meson.get_compiler('cpp')",
    ]
    if plan.archs:
        names = ", ".join(f"'{arch.removeprefix('sm_')}'" for arch in plan.archs)
        lines.append(f"gpu_architectures = [{names}]")
    if plan.platform == "cuda":
        lines.append("gpu_folders = [gpu_home / 'lib64', gpu_home / 'lib']")
    else:
        lines.append("gpu_folders = [gpu_home / 'lib']")
        folders = " + ':' + ".join(f"gpu_home / '{folder}'" for folder in plan.runpath)
        lines.append(f"gpu_rpath = {folders}")
    return "\n".join([*lines, "", *_dependency(plan)]) + "\n"


def _dependency(plan: LinkPlan) -> list[str]:
    defines = "".join(f"'-D{define}', " for define in plan.defines)
    lines = ["gpu_dep = declare_dependency("]
    lines.append(f"  compile_args: [{defines}'-isystem' + gpu_home / 'include'],")
    lines.append("  dependencies: [")
    lines += [f"    {_found(item)}," for item in plan.linked(How.STATIC, How.SHARED)]
    lines += [f"    gpu_compiler.find_library('{n}', required: false)," for n in plan.system]
    lines.append("  ],")
    if plan.runpath:
        lines.append("  link_args: ['-Wl,--enable-new-dtags', '-Wl,-rpath,' + gpu_rpath],")
    return [*lines, ")"]


def _found(item: Linked) -> str:
    static = ", static: true" if item.how is How.STATIC else ""
    return f"gpu_compiler.find_library('{item.name}', dirs: gpu_folders{static})"
