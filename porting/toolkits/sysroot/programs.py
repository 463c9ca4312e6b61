"""The programs of a ROCm home that build systems call: clang at its place, hipcc, hipconfig."""

from pathlib import Path

from porting.toolkits.clang import Clang

_ROOT = 'root=$(cd "$(dirname "$(readlink -f "$0")")/{up}" && pwd)\n'
# ROCm's own clang finds its tree from where it lies; this one has to be told.
_CLANG = """\
#!/bin/sh
# Generated with the tree it stands in: clang, told where that tree is.
{root}exec {clang} --start-no-unused-arguments --rocm-path="$root" --end-no-unused-arguments "$@"
"""
_HIPCC = """\
#!/bin/sh
# Generated with the tree it stands in: what AMD's hipcc does with clang.
{root}
language=
links=yes
previous=
for argument in "$@"; do
  case $previous$argument in
    -x*) language=given ;;
    -c | -E | -S | -M | -MM | -fsyntax-only | --version | -v | -print-* | --help) links=no ;;
  esac
  [ "$argument" = -x ] && previous=-x || previous=
done

count=$#
previous=
hip=
while [ "$count" -gt 0 ]; do
  argument=$1
  shift
  count=$((count - 1))
  if [ -z "$language$previous" ]; then
    case $argument in
      -o | -I | -L | -D | -U | -include | -isystem | -MF | -MT | -MQ | -Xlinker)
        previous=$argument ;;
      -*) ;;
      *.cu | *.hip | *.c | *.cc | *.cpp | *.cxx)
        [ -n "$hip" ] || set -- "$@" -x hip
        hip=yes ;;
      *)
        [ -z "$hip" ] || set -- "$@" -x none
        hip= ;;
    esac
  else
    previous=
  fi
  set -- "$@" "$argument"
done
[ "$links" = no ] || set -- --hip-link "$@"
exec "$root/llvm/bin/clang++" "$@"
"""
_HIPCONFIG = """\
#!/bin/sh
# Generated with the tree it stands in.
{root}
case ${{1:-}} in
  --version | -v) printf '%s' '{version}' ;;
  --rocmpath | -R | --path | -p) printf '%s' "$root" ;;
  --hipclangpath | -l) printf '%s' "$root/llvm/bin" ;;
  --platform | -P) printf amd ;;
  --compiler | -c) printf clang ;;
  --runtime | -r) printf rocclr ;;
  --cpp_config | -C) printf '%s' " -D__HIP_PLATFORM_AMD__= -I$root/include" ;;
  *) echo "hipconfig: this stand-in does not know '${{1:-}}'" >&2; exit 1 ;;
esac
"""


def write_programs(place: Path, clang: Clang, hip_version: str) -> None:
    """Write bin/hipcc, bin/hipconfig and llvm/bin/clang, clang++ into the tree at `place`."""
    folder = place / "lib/llvm/bin"
    folder.mkdir(parents=True)
    (place / "llvm").symlink_to("lib/llvm")
    root = _ROOT.format(up="../../..")
    driver = str(clang.path)
    _write(folder / "clang++", _CLANG.format(root=root, clang=driver))
    _write(folder / "clang", _CLANG.format(root=root, clang=f"{driver} --driver-mode=gcc"))
    root = _ROOT.format(up="..")
    _write(place / "bin/hipcc", _HIPCC.format(root=root))
    _write(place / "bin/hipconfig", _HIPCONFIG.format(root=root, version=hip_version))


def _write(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)
