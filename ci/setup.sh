#!/usr/bin/env bash
# Bring .venv to the state that constraints.txt, pyproject.toml and the C++ sources describe.
#
# The stamp is written last and holds a digest of all inputs: a run that was interrupted leaves
# none, so the next one does the work again. Two runs at once wait for each other.
set -euo pipefail

cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
stamp=.venv/.complete

ci/install_system.sh

mkdir -p build
exec 9>build/.setup.lock
flock 9

digest() {
  {
    pwd
    "$python" -c 'import sys; print(sys.version, sys.base_prefix)'
    find bindings -type f -not -path 'bindings/tests/*' -print0 | sort -z | xargs -0 sha256sum
    sha256sum constraints.txt pyproject.toml CMakeLists.txt ci/setup.sh
  } | sha256sum
}

is_usable() {
  [ -x .venv/bin/pip ] && .venv/bin/python - "$PWD/.venv" "$("$python" -c \
    'import sys; print(sys.version)')" 2>/dev/null <<'CODE'
import pathlib, sys
import pip  # an interrupted creation leaves an environment without it
same = pathlib.Path(sys.prefix).resolve() == pathlib.Path(sys.argv[1]).resolve()
raise SystemExit(not (same and sys.version == sys.argv[2]))
CODE
}

wanted=$(digest)
if [ -e "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && is_usable; then
  exit 0
fi

if ! is_usable; then
  echo "creating .venv"
  rm -rf .venv
  "$python" -m venv .venv
fi
rm -f "$stamp"
install=(.venv/bin/python -m pip install -qq --disable-pip-version-check
  --constraint constraints.txt)
echo "installing pinned packages"
# Older ones fetch a wheel whole when asked where it is, and the CUDA home asks that of large ones.
"${install[@]}" pip
"${install[@]}" cmake ninja meson setuptools nanobind scikit-build-core
echo "building eclosion"
"${install[@]}" --no-build-isolation --editable '.[dev]'
echo "$wanted" >"$stamp"
