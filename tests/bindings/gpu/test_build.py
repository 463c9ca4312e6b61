"""How bindings/gpu is built: what an edit builds again, and what stops the build."""

import re
import subprocess

import pytest

from .conftest import GpuBuild

pytestmark = [pytest.mark.timeout(600), pytest.mark.xdist_group("gpu")]


def _objects(gpu: GpuBuild) -> dict[str, int]:
    """Return when each object of bindings/gpu was made, by platform and source."""
    objects = (gpu.folder / "gpu").rglob("*.o")
    return {
        f"{path.relative_to(gpu.folder / 'gpu').parts[0]}: {path.name.removesuffix('.o')}": (
            path.stat().st_mtime_ns
        )
        for path in objects
        if "nanobind" not in str(path)
    }


def _built_again(before: dict[str, int], after: dict[str, int]) -> set[str]:
    return {name for name, time in after.items() if before.get(name) != time}


def test_nothing_is_built_again_without_a_change(gpu: GpuBuild) -> None:
    before = _objects(gpu)
    done = gpu.build("_gpu_cuda", "_gpu_rocm")
    assert done.returncode == 0, done.stdout
    assert len(before) > 30
    assert _objects(gpu) == before


def test_an_edited_file_is_ported_and_only_what_needs_it_is_built(gpu: GpuBuild) -> None:
    file = gpu.source / "bindings/gpu/graph.h"
    text = file.read_text(encoding="utf-8")
    before = _objects(gpu)
    file.write_text(text + "// edited\n", encoding="utf-8")
    done = gpu.build("_gpu_rocm")
    assert done.returncode == 0, done.stdout
    assert _built_again(before, _objects(gpu)) == {"rocm: graph.cpp", "rocm: streams.cpp"}
    ported = gpu.folder / "gpu/rocm/source/graph.h"
    assert "hipGraphExec_t" in ported.read_text(encoding="utf-8")
    file.write_text(text, encoding="utf-8")
    assert gpu.build("_gpu_rocm").returncode == 0


def test_a_file_that_is_gone_is_gone_from_the_port(gpu: GpuBuild) -> None:
    extra = gpu.source / "bindings/gpu/extra.h"
    ported = gpu.folder / "gpu/rocm/source/extra.h"
    extra.write_text("#pragma once\n", encoding="utf-8")
    assert gpu.build("_gpu_rocm").returncode == 0
    assert ported.is_file()
    extra.unlink()
    assert gpu.build("_gpu_rocm").returncode == 0
    assert not ported.exists()


def test_what_cannot_be_ported_stops_the_build_with_its_place(gpu: GpuBuild) -> None:
    file = gpu.source / "bindings/gpu/error.cpp"
    text = file.read_text(encoding="utf-8")
    line = text.count("\n") + 1
    file.write_text(text + "int f() { return cudaNoSuchCall(); }\n", encoding="utf-8")
    done = gpu.build("_gpu_rocm")
    file.write_text(text, encoding="utf-8")
    assert done.returncode != 0
    assert re.search(rf"error\.cpp:{line}:18: NAM\d+ \w+: .*cudaNoSuchCall", done.stdout)
    assert "    help: " in done.stdout
    assert gpu.build("_gpu_rocm").returncode == 0


def test_an_audit_that_finds_something_stops_the_build(gpu: GpuBuild) -> None:
    file = gpu.source / "bindings/gpu/CMakeLists.txt"
    text = file.read_text(encoding="utf-8")
    wrong = "set_target_properties(${ECLOSION_MODULE} PROPERTIES INSTALL_RPATH /nowhere/lib)\n"
    file.write_text(text + wrong, encoding="utf-8")
    done = gpu.build("_gpu_rocm")
    file.write_text(text, encoding="utf-8")
    assert done.returncode != 0
    assert re.search(r"LNK005 warning: RUNPATH /nowhere/lib", done.stdout)
    assert gpu.build("_gpu_rocm").returncode == 0


def test_a_run_path_that_was_given_need_not_be_on_this_machine(gpu: GpuBuild) -> None:
    """A login node builds for machines whose ROCm is in a folder that it has not."""
    given = "$ORIGIN/../../rocm/lib:/sw/rocm/lib"
    configured = gpu.checkout.run_cmake(f"-DECLOSION_RUNPATH={given}", gpu.folder)
    assert configured.returncode == 0, configured.stderr
    done = gpu.build("_gpu_rocm")
    dynamic = subprocess.run(
        ["readelf", "--dynamic", gpu.module("rocm")], capture_output=True, text=True, check=True
    ).stdout
    assert gpu.checkout.run_cmake("-DECLOSION_RUNPATH=", gpu.folder).returncode == 0
    assert gpu.build("_gpu_rocm").returncode == 0
    assert done.returncode == 0, done.stdout
    assert f"(RUNPATH)            Library runpath: [{given}]" in dynamic


def test_a_build_for_tests_links_cudas_runtime_as_a_library(gpu: GpuBuild) -> None:
    shared = gpu.checkout.run_cmake("-DECLOSION_SHARED_RUNTIME=ON", gpu.folder)
    assert shared.returncode == 0
    done = gpu.build("_gpu_cuda")
    needed = subprocess.run(
        ["readelf", "--dynamic", gpu.module("cuda")], capture_output=True, text=True, check=True
    ).stdout
    assert gpu.checkout.run_cmake("-DECLOSION_SHARED_RUNTIME=OFF", gpu.folder).returncode == 0
    assert gpu.build("_gpu_cuda").returncode == 0
    assert done.returncode == 0, done.stdout
    assert "[libcudart.so.13]" in needed
