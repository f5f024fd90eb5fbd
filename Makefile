# Everything from nothing but Python 3.11+ and make: the environment lives in .venv and is made when needed.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint format oracles examples catalogue performance clean

demo: .venv/demo
	$(BIN)/qpkernels compare breast-cancer

test: .venv/dev
	$(BIN)/python -m pytest

lint: .venv/dev
	$(BIN)/ruff format --check qpkernels formulations tests oracles docs benchmarks
	$(BIN)/ruff check qpkernels formulations tests oracles docs benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/dev
	$(BIN)/ruff format qpkernels formulations tests oracles docs benchmarks
	$(BIN)/ruff check --fix qpkernels formulations tests oracles docs benchmarks

# LIBSVM's heart_scale from a folder of yours: make oracles DATA=folder
oracles: .venv/dev
	$(BIN)/python -m pytest oracles --data "$(DATA)"

# The worked examples of docs/examples; their pictures are in docs/examples/pictures.
examples: .venv/dev
	$(BIN)/python docs/examples

# docs/catalogue.md: every model, who solves it, and how well that is proved. The tests write it as well.
catalogue: .venv/dev
	$(BIN)/python docs/catalogue.py

# docs/performance, beside LIBSVM and (--intelex PYTHON) oneDAL: make performance DATA=folder OPTIONS="--only usps"
performance: .venv/dev
	$(BIN)/python -m benchmarks --data "$(DATA)" --measure all $(OPTIONS)

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("qpkernels needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv

.venv/demo: pyproject.toml .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[solvers]"
	touch $@

.venv/dev: pyproject.toml .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	touch .venv/demo $@

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis docs/catalogue.md docs/examples/pictures
