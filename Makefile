# The two commands of a new user: `make demo` and `make test`. `make help` lists the rest.
SHELL := /bin/bash
PYTHON ?= python3
BIN := .venv/bin
INSTALLED := .venv/installed

# Where this is set, every start of a program would compile the tree's modules anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test check bench lock clean

help:  ## list what can be made
	@sed -nE 's/^([a-z]+):.*## (.*)/make \1|\2/p' Makefile | column -t -s '|'

demo: $(INSTALLED)  ## a cluster in a temporary folder, real jobs, every command shown before it runs
	$(BIN)/python demo/run.py

test: packages $(INSTALLED)  ## everything that CI checks
	.ci/check
	$(BIN)/python -m pytest

check: $(INSTALLED)  ## the checks that start no daemon: format, lint, types, imports, tidiness
	.ci/check

bench: $(INSTALLED)  ## XCE beside its peers, measured in one run
	bench/prepare
	$(BIN)/python -m bench.run

lock:  ## choose new versions for development and write them to requirements/dev.txt
	requirements/refresh

clean:  ## remove the virtual environment and what tools left behind
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

.PHONY: packages
packages:
	.ci/packages

# What is installed is what the lock says: the build tools too, hence no build isolation.
$(INSTALLED): pyproject.toml requirements/dev.txt
	@$(PYTHON) -c 'import ensurepip, venv' || { echo "the Debian package python3-venv is missing" >&2; exit 1; }
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --requirement requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	$(BIN)/python -m pip check
	touch $(INSTALLED)
