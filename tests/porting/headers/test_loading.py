"""Libraries and symbols by CUDA's names, run: fake libraries say what they were asked."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from porting.toolkits.sysroot import Sysroot

Make = Callable[..., Any]

pytestmark = pytest.mark.toolchain

# Stands for libamdhip64: keeps what it was given, so that a test can see it.
FAKE = """
#include <stddef.h>
#include <string.h>
int hipInit(unsigned flags) { return (int)flags + 700; }
int hipGetDeviceCount(int* count) { *count = 3; return 0; }
int hipMemGetAddressRange(void** base, size_t* size, void* pointer) {
  *base = (char*)pointer - 16;
  *size = 4096;
  return 0;
}
int hipGetProcAddress(const char* symbol, void** function, int version,
                      unsigned long flags, void* status) {
  (void)flags; (void)status;
  if (version >= 1000) return 1;
  *function = strcmp(symbol, "hipInit") == 0 ? (void*)hipInit : NULL;
  return *function == NULL ? 500 : 0;
}
"""


def build(folder: Path, flags: list[str], sysroot: Sysroot, text: str) -> str:
    """Build a C program with the header and a fake runtime; run it and return what it printed."""
    (folder / "fake.c").write_text(FAKE)
    library = folder / "libamdhip64.so.7"
    soname = "-Wl,-soname,libamdhip64.so.7"
    subprocess.run(
        ["gcc", "-shared", "-fPIC", soname, str(folder / "fake.c"), "-o", str(library)],
        check=True,
        timeout=50,
    )
    (folder / "use.c").write_text(text)
    warnings = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Wno-deprecated-declarations"]
    subprocess.run(
        [
            "gcc",
            *warnings,
            *flags,
            "-isystem",
            str(sysroot.include),
            str(folder / "use.c"),
            str(library),
            f"-Wl,-rpath,{folder}",
            "-o",
            str(folder / "use"),
        ],
        check=True,
        timeout=50,
    )
    environment = {"LD_LIBRARY_PATH": str(folder)}
    done = subprocess.run(
        [str(folder / "use")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=50,
        check=True,
    )
    return done.stdout


def test_library_and_symbols_are_found_under_cudas_names(
    make: Make, sysroot: Sysroot, tmp_path: Path
) -> None:
    text = """
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  CUresult (*init)(unsigned) = (CUresult(*)(unsigned))dlsym(library, "cuInit");
  CUresult (*count)(int*) = (CUresult(*)(int*))dlsym(library, "cuDeviceGetCount");
  int devices = 0;
  printf("%d %d", (int)init(1), (int)count(&devices));
  printf(" %d %d\\n", devices, dlsym(library, "cuNobody") == NULL);
  printf("%d\\n", dlopen("libc.so.6", RTLD_NOW) != NULL);
  return 0;
}
"""
    made = make({"use.c": text})
    assert build(tmp_path, made.write(tmp_path), sysroot, text) == "701 0 3 1\n1\n"


def test_handles_stay_integers_on_their_way_through(
    make: Make, sysroot: Sysroot, tmp_path: Path
) -> None:
    text = """
#include <cuda.h>
#include <stdio.h>
int main(void) {
  CUdeviceptr base = 0;
  size_t size = 0;
  CUdeviceptr address = 0x7f0000000010ull;
  int status = cuMemGetAddressRange_v2(&base, &size, address);
  printf("%d %llx %zu %llu\\n", status, base, size, address - base);
  return 0;
}
"""
    made = make({"use.c": text})
    assert build(tmp_path, made.write(tmp_path), sysroot, text) == "0 7f0000000000 4096 16\n"


@pytest.mark.parametrize("version", ["", "_v2"])
def test_entry_points_are_found_by_name_with_cudas_version(
    make: Make, sysroot: Sysroot, tmp_path: Path, version: str
) -> None:
    last, status = (", void*", ", 0") if version else ("", "")
    text = f"""
#include <cuda.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
typedef CUresult (*finder_t)(const char*, void**, int, uint64_t{last});
int main(void) {{
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  finder_t find = (finder_t)dlsym(library, "cuGetProcAddress{version}");
  void* init = 0;
  int status = find("cuInit", &init, 12000, 0{status});
  printf("%d %d\\n", status, ((CUresult(*)(unsigned))init)(2));
  return 0;
}}
"""
    made = make({"use.c": text})
    assert [code for _, _, code in made.said() if code.startswith("STR")] == []
    assert build(tmp_path, made.write(tmp_path), sysroot, text) == "0 702\n"


def test_called_entry_point_translates_the_name(
    make: Make, sysroot: Sysroot, tmp_path: Path
) -> None:
    text = """
#include <cuda.h>
#include <stdio.h>
int main(void) {
  void* init = 0;
  CUresult status = cuGetProcAddress("cuInit", &init, 12000, 0, 0);
  printf("%d %d\\n", (int)status, ((CUresult(*)(unsigned))init)(3));
  return 0;
}
"""
    made = make({"use.c": text})
    assert build(tmp_path, made.write(tmp_path), sysroot, text) == "0 703\n"


def test_only_names_that_the_tree_uses_are_translated(make: Make) -> None:
    text = make('#include <dlfcn.h>\nvoid* f() { return dlopen("libnccl.so.2", RTLD_NOW); }\n').text
    assert '{"libnccl.so.2", "librccl.so.1"},' in text
    assert "libcuda" not in text
    assert "dlsym" not in text
