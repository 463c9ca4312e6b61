"""Write eclosion/meson.build: the platform, and how Meson compiles HIP without knowing it."""

from collections.abc import Sequence

from porting.buildfiles.flags import offload_arch
from porting.buildfiles.model import BuildContext
from porting.buildfiles.shell.generate import NAME as DETECT
from porting.config import Mode
from porting.generated import FOLDER

NAME = "meson.build"

_CHOICE = """\

gpu_answer = run_command({command}, check: true).stdout().strip()
if gpu_answer.startswith('error ')
  error(gpu_answer.substring(6))
endif
gpu_words = gpu_answer.split(' ')
gpu_platform = gpu_words[0]
"""
_ROCM = """\
# Options for every HIP source, and what else a project adds with add_project_arguments.
hip_args = []
hip_files = import('fs')
if gpu_platform == 'rocm'
  hip_home = gpu_words[1]
  hip_compiler = find_program(
    run_command('sh', '-c', 'echo "${HIPCC:-hipcc}"', check: true).stdout().strip(),
    hip_home / 'bin' / 'hipcc',
    hip_home / 'llvm' / 'bin' / 'clang++',
  )
  hip_compile_args = [
    '-D__HIP_PLATFORM_AMD__',
    '-isystem' + hip_home / 'include',
@COMPAT@  ]
  # libamdhip64 is a shared library only: what is linked has to find it where it was found here.
  hip_link_args = ['-L' + hip_home / 'lib', '-Wl,-rpath,' + hip_home / 'lib']
  hip_runtime = declare_dependency(
    compile_args: hip_compile_args,
    link_args: hip_link_args + ['-lamdhip64'],
  )
  hip_language = ['-O' + get_option('optimization'), '-fPIC']
  if get_option('debug')
    hip_language += '-g'
  endif
  if get_option('cpp_std') != 'none'
    hip_language += '-std=' + get_option('cpp_std')
  endif
  hip_objects = generator(
    hip_compiler,
    output: '@PLAINNAME@.o',
    depfile: '@PLAINNAME@.d',
    arguments: ['-x', 'hip', '--rocm-path=' + hip_home]
      + hip_compile_args
      + hip_language
      + [@ARCHITECTURES@]
      + ['@EXTRA_ARGS@', '-MD', '-MF', '@DEPFILE@', '-c', '@INPUT@', '-o', '@OUTPUT@'],
  )
endif
"""
_CUDA = """\
if gpu_platform == 'cuda'
  add_languages('cuda', native: false)
endif
"""
_HEADERS = """\
    '-include',
    meson.current_source_dir() / '{folder}cuda_to_hip.h',
    '-isystem' + meson.current_source_dir() / '{folder}include',
"""


def gpu_meson(context: BuildContext, inputs: Sequence[str], root: str = "") -> str:
    """Return the text of the file for a project whose folder in the tree is `root`.

    Meson includes nothing from above a project, so each has its own; headers are the tree's.
    """
    compat = context.mode is Mode.COMPAT
    script = f"files('{DETECT}')"
    command = f"'sh', {script}" if compat else f"'env', 'GPU_PLATFORM=rocm', 'sh', {script}"
    architectures = ", ".join(f"'{flag}'" for flag in offload_arch(context.target.archs))
    rocm = _ROCM.replace("@ARCHITECTURES@", architectures)
    headers = _HEADERS.format(folder=f"{'../' * (root.count('/') + 2)}{FOLDER}/" if root else "")
    rocm = rocm.replace("@COMPAT@", headers if compat else "")
    parts = [context.banner(inputs), _CHOICE.replace("{command}", command), _CUDA if compat else ""]
    return "".join([*parts, rocm])
