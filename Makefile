# Everything a developer runs. `make test` needs Python 3.11+, git, node and npm, nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2

.PHONY: hooks test torture fuzz lint schemas bench fetch dev clean

dev: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "coordhooks needs Python 3.11 or newer: make PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

# The real programs that the tests start; the only step that uses the network.
fetch: dev
	-$(BIN)/python tests/harness/fetch.py

test: fetch
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -m 'not torture'

torture: fetch
	COORDHOOKS_TORTURE=1 $(BIN)/python -m pytest -n $(WORKERS)

# Fuzzing with new examples each time, SECONDS for each property; `make test` runs a small fixed sample of the same.
SECONDS ?= 10
fuzz: dev
	COORDHOOKS_TORTURE=1 COORDHOOKS_FUZZ_SECONDS=$(SECONDS) $(BIN)/python -m pytest -n $(WORKERS) tests/fuzz

lint: dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

schemas: dev
	$(BIN)/python -m schemas.generate

# The hooks files of the plugins, from the installer's tables.
hooks: dev
	$(BIN)/python hooks/generate.py

bench: dev
	$(BIN)/python -m bench --write

clean:
	rm -rf $(VENV) .vendor dist
