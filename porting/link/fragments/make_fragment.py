"""The plan as a Makefile to include: GPU_CPPFLAGS, GPU_ARCHFLAGS, GPU_LDFLAGS, GPU_LDLIBS."""

from porting.link.fragments.text import MadeBy, commented, heading, home
from porting.link.libraries import How
from porting.link.plan import LinkPlan

_CUDA_ARCH = "$(foreach arch,$(GPU_ARCHS),-gencode arch=compute_$(arch),code=sm_$(arch))"


def render(plan: LinkPlan, made_by: MadeBy) -> str:
    """Return the file."""
    what = "Compile with GPU_CPPFLAGS, device code with GPU_ARCHFLAGS too; link with the others."
    place = home(plan)
    root = f"$({place.variable})"
    lines = [commented(heading(plan, made_by, what), "#"), f"{place.variable} ?= {place.default}\n"]
    if plan.archs:
        lines.append(f"GPU_ARCHS ?= {' '.join(arch.removeprefix('sm_') for arch in plan.archs)}\n")
    lines.append("\n")
    defines = "".join(f"-D{define} " for define in plan.defines)
    lines.append(f"GPU_CPPFLAGS := {defines}-isystem {root}/include\n")
    if plan.archs:
        amd = "$(addprefix --offload-arch=,$(GPU_ARCHS))"
        lines.append(f"GPU_ARCHFLAGS := {amd if plan.platform == 'rocm' else _CUDA_ARCH}\n")
    if plan.platform == "cuda":  # 64-bit libraries are in lib64, of packages for Python in lib
        folders = f"$(firstword $(wildcard {root}/lib64 {root}/lib))"
        lines.append(f"GPU_LDFLAGS := -L{folders}\n")
    else:
        search = "".join(f",-rpath,{root}/{folder}" for folder in plan.runpath)
        lines.append(f"GPU_LDFLAGS := -L{root}/lib -Wl,--enable-new-dtags{search}\n")
    names = [item.name for item in plan.linked(How.STATIC, How.SHARED)] + list(plan.system)
    lines.append(f"GPU_LDLIBS := {' '.join(f'-l{name}' for name in names)}\n")
    return "".join(lines)
