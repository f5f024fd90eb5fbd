# Everything from nothing but Python 3.11+ and make: the environment lives in .venv and is made when needed.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint format oracles clean

demo: .venv/demo
	$(BIN)/qpkernels compare breast-cancer

test: .venv/dev
	$(BIN)/python -m pytest

lint: .venv/dev
	$(BIN)/ruff format --check src tests oracles
	$(BIN)/ruff check src tests oracles
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/dev
	$(BIN)/ruff format src tests oracles
	$(BIN)/ruff check --fix src tests oracles

# LIBSVM's heart_scale from a folder of yours: make oracles DATA=folder
oracles: .venv/dev
	$(BIN)/python -m pytest oracles --data "$(DATA)"

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
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
