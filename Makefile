# The commands of a checkout. Each one sets up what it needs and can be repeated or interrupted.
#
#   PYTHON       the interpreter to make .venv with (3.11 or newer)
#   TORCH_INDEX  where pip finds torch for soak and bench; see constraints.txt
PYTHON ?= python3
TORCH_INDEX ?=
ARCH ?= gfx90a,gfx942,gfx1100
BIN := .venv/bin
SOAK = PATH="$(CURDIR)/$(BIN):$$PATH" ECLOSION_REQUIRE_TOOLCHAIN=1 $(BIN)/pytest --timeout 300

export PYTHON

.PHONY: demo test mutants soak bench lint format setup torch clean

demo: export PATH := $(CURDIR)/$(BIN):$(PATH)
demo: setup
	@rm -rf build/demo && mkdir -p build/demo
	$(BIN)/porting port examples/cuda_project -o build/demo/rocm --arch $(ARCH) \
	  --build --format html --report build/demo/report.html
	@echo
	CUDA_HOME="$$($(BIN)/python -m ci.cuda_home)" \
	$(BIN)/porting port examples/cuda_project -o build/demo/both --arch $(ARCH) --mode compat \
	  --build --format html --report build/demo/report-both.html

test: setup
	@$(BIN)/python -m ci.check

mutants: setup
	@$(BIN)/python -m ci.mutants

soak: torch
	$(SOAK) -m "soak and not realtime" -n 2 --dist loadgroup
	$(SOAK) -m realtime

bench: torch
	@status=0; for script in benchmarks/*.py; do $(BIN)/python "$$script" || status=1; done; exit $$status

lint: setup
	@$(BIN)/python -m ci.check --static

format: setup
	$(BIN)/ruff check --fix --exit-zero
	$(BIN)/ruff format
	find bindings -name '*.h' -o -name '*.cpp' | xargs clang-format-19 -i

setup:
	@ci/setup.sh

torch: setup
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --constraint constraints.txt \
	  $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) torch

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
