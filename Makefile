# Set-up happens by itself: each target first brings .venv up to date with pyproject.toml.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
  $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help demo test test-long check format bench clean

help: ## Show what there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: .venv/.installed ## Search 613 real papers in memory: keywords, then the citation graph
	@$(BIN)/citehop demo

test: .venv/.developed ## Run the tests; those that need Neo4j say where they looked for it
	@$(BIN)/python -m pytest $(ARGS)

test-long: .venv/.developed ## Run every test, the minutes-long ones too
	@$(BIN)/python -m pytest -m "" $(ARGS)

check: .venv/.developed ## Check format, lint and types
	@$(BIN)/ruff format --check --quiet . || { echo "run 'make format'"; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy

format: .venv/.developed ## Put the code into its format
	@$(BIN)/ruff format --quiet .
	@$(BIN)/ruff check --quiet --fix .

bench: .venv/.benched ## Time what runs in memory against other libraries; ARGS=--help names all benchmarks
	@$(BIN)/python -m benchmarks $(ARGS)

clean: ## Remove what the targets made
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis dist build

.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "citehop needs Python 3.11 or newer; name it: make PYTHON=/path/to/python"; exit 1; }
	@$(PYTHON) -m venv .venv

.venv/.installed: .venv/bin/python pyproject.toml
	@echo "Setting up .venv (once) ..." >&2
	@$(PIP) --editable .
	@touch $@

.venv/.developed: .venv/.installed
	@echo "Setting up the tools for tests (once) ..." >&2
	@$(PIP) --upgrade "pip>=25.1"
	@$(PIP) --group dev --editable .
	@touch $@

# What cannot be had for this Python or machine is left out of the benchmarks by name.
.venv/.benched: .venv/.developed
	@echo "Setting up what benchmarks race (once) ..." >&2
	@$(PIP) --group bench && touch $@ || echo "not all of it could be had; what is missing is left out" >&2
