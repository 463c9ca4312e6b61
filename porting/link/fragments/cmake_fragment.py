"""The plan as a CMake file: gpu_link(<target>)."""

from porting.link.fragments.text import MadeBy, commented, heading, home
from porting.link.libraries import How
from porting.link.plan import Linked, LinkPlan

_FIND_ROCM = """\
if(NOT ROCM_PATH)
  set(ROCM_PATH "$ENV{{ROCM_PATH}}")
endif()
if(NOT ROCM_PATH)
  set(ROCM_PATH {default})
endif()
list(PREPEND CMAKE_PREFIX_PATH "${{ROCM_PATH}}")
"""
_RUNPATH = """\
  target_link_options(${{target}} PRIVATE LINKER:--enable-new-dtags)
  set_property(TARGET ${{target}} APPEND PROPERTY BUILD_RPATH "${{ROCM_PATH}}/{folder}")
  set_property(TARGET ${{target}} APPEND PROPERTY INSTALL_RPATH "${{ROCM_PATH}}/{folder}")
"""


def render(plan: LinkPlan, made_by: MadeBy) -> str:
    """Return the file."""
    linked = plan.linked(How.STATIC, How.SHARED, How.HEADERS)
    parts = [commented(heading(plan, made_by, "gpu_link(<target>) links a target."), "#")]
    parts.append(_architectures(plan))
    parts.append("".join(_finds(plan, linked)))
    parts.append("".join(_function(plan, linked)))
    return "\n".join(part for part in parts if part)


def _architectures(plan: LinkPlan) -> str:
    if not plan.archs:
        return ""
    language = "HIP" if plan.platform == "rocm" else "CUDA"
    variable = f"CMAKE_{language}_ARCHITECTURES"
    names = " ".join(arch.removeprefix("sm_") for arch in plan.archs)
    return f"if(NOT DEFINED {variable})\n  set({variable} {names})\nendif()\n"


def _finds(plan: LinkPlan, linked: tuple[Linked, ...]) -> list[str]:
    """Return the commands that find packages, and libraries that have none."""
    lines = []
    if plan.platform == "rocm":
        lines.append(_FIND_ROCM.format(default=home(plan).default))
        packages = dict.fromkeys(item.package for item in linked if item.package)
        lines += [f"find_package({name} REQUIRED CONFIG)\n" for name in packages]
        hint = '"${ROCM_PATH}/lib"'
    else:
        lines += ["find_package(CUDAToolkit REQUIRED)\n", "find_package(Threads REQUIRED)\n"]
        hint = '"${CUDAToolkit_LIBRARY_DIR}"'
    lines += [
        f"find_library({_variable(item)} {item.name} HINTS {hint} REQUIRED)\n"
        for item in linked
        if not item.target and item.how is not How.HEADERS
    ]
    return lines


def _function(plan: LinkPlan, linked: tuple[Linked, ...]) -> list[str]:
    names = [item.target or f"${{{_variable(item)}}}" for item in linked]
    names += [_SYSTEM.get(name, name) for name in plan.system]
    lines = ["function(gpu_link target)\n"]
    if plan.platform == "cuda":
        lines.append("  set_property(TARGET ${target} PROPERTY CUDA_RUNTIME_LIBRARY Static)\n")
    lines.append("  target_link_libraries(\n    ${target}\n    PRIVATE\n")
    lines += [f"      {name}\n" for name in dict.fromkeys(names)]
    lines[-1] = lines[-1].rstrip("\n") + ")\n"
    lines += [_RUNPATH.format(folder=folder) for folder in plan.runpath]
    lines.append("endfunction()\n")
    return lines


_SYSTEM = {"dl": "${CMAKE_DL_LIBS}", "pthread": "Threads::Threads"}


def _variable(item: Linked) -> str:
    return item.name.upper().replace("-", "_") + "_LIBRARY"
