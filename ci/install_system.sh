#!/usr/bin/env bash
# Install the system packages that building and testing need: by apt when root, else say which.
#
# What is looked for are the programs and headers, not the packages, so a machine that has them
# from elsewhere is left alone. Nothing is done, quickly, when all are there.
set -euo pipefail

python=${PYTHON:-python3}

missing_packages() {
  command -v c++ >/dev/null && command -v cc >/dev/null || echo g++
  command -v openssl >/dev/null || echo openssl
  command -v ip >/dev/null || [ -x /usr/sbin/ip ] || echo iproute2
  command -v git >/dev/null || echo git
  command -v patch >/dev/null || echo patch
  command -v clang++-19 >/dev/null || echo clang-19
  compgen -G '/usr/lib/llvm-19/lib/clang/19/lib/linux/libclang_rt.fuzzer-*.a' >/dev/null ||
    echo libclang-rt-19-dev
  command -v ld.lld-19 >/dev/null || echo lld-19
  command -v llvm-readelf-19 >/dev/null || echo llvm-19
  command -v clang-format-19 >/dev/null || echo clang-format-19
  command -v clang-offload-bundler-19 >/dev/null || echo clang-tools-19
  command -v make >/dev/null || echo make
  command -v ccache >/dev/null || echo ccache
  command -v zstd >/dev/null || echo zstd
  command -v cargo >/dev/null || echo cargo
  command -v rustc >/dev/null || echo rustc
  command -v rustfmt >/dev/null || echo rustfmt
  command -v bindgen >/dev/null || echo bindgen
  compgen -G '/usr/share/cargo/registry/cc-1.*' >/dev/null || echo librust-cc-dev
  # bindgen 0.60 stops at the headers of newer ones
  [ -e /usr/lib/llvm-15/lib/libclang.so.1 ] || echo libclang1-15
  [ -e /usr/include/doctest/doctest.h ] || echo doctest-dev
  command -v "$python" >/dev/null || echo python3
  "$python" -c 'import ensurepip, venv' 2>/dev/null || echo python3-venv
  "$python" - 2>/dev/null <<'CODE' || echo python3-dev
import pathlib, sysconfig
raise SystemExit(not (pathlib.Path(sysconfig.get_path("include")) / "Python.h").exists())
CODE
}

check_python() {
  "$python" -c 'import sys; raise SystemExit(sys.version_info < (3, 11))' && return
  echo "$("$python" --version) is $python, 3.11 or newer is needed;" \
    "name another interpreter: make PYTHON=/path/to/python3.11" >&2
  return 1
}

packages=$(missing_packages | xargs)
if [ -n "$packages" ]; then
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "system packages are missing; install them as root: apt-get install $packages" >&2
    exit 1
  fi
  echo "installing system packages: $packages"
  export DEBIAN_FRONTEND=noninteractive
  apt-get -qq update
  # shellcheck disable=SC2086 # a list of names
  apt-get -qq install --yes --no-install-recommends $packages </dev/null >/dev/null
  packages=$(missing_packages | xargs)
  if [ -n "$packages" ]; then
    echo "still missing after their installation: $packages (PYTHON is $python)" >&2
    exit 1
  fi
fi
check_python
