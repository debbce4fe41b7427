# Everything here sets itself up: Python 3.11 or newer and make are all that is needed.
# A second call with nothing changed starts at once.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PROJECT_FILES := pyproject.toml constraints.txt compat/openmed-agent/pyproject.toml

SHELL := /bin/sh

.PHONY: help verify test test-browser diagrams lint types format coverage docs mutants parity replay journal-soak bench-checker bench-histories bench-journal footprint clean

help: ## Say what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort

$(READY): $(PROJECT_FILES)
	@echo "Setting up $(VENV) …"
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt pip
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --group dev
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --no-build-isolation --editable '.[cli,diagrams,audit,cluster,journal]' --editable compat/openmed-agent
	@touch $@

verify: $(READY) ## Prove every property of the lifecycle
	@$(BIN)/python -m verification --report-directory verification $(VERIFY_OPTIONS)

test: $(READY) ## Run the tests
	@$(BIN)/python -bb -X dev -m pytest -n 2 -q $(PYTEST_OPTIONS)

lint: $(READY) ## Ruff, and the arrows of the architecture
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports

types: $(READY) ## mypy --strict
	@$(BIN)/mypy

format: $(READY) ## Put the code into the agreed form
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

coverage: $(READY) ## Branch coverage of the core: anything below 100 % fails
	@$(BIN)/python -m pytest -n 2 -q tests/unit tests/property --cov --cov-report=term-missing:skip-covered --cov-fail-under=100

mutants: $(READY) ## Mutate the core; a survivor that docs/mutants.md doesn't list fails (25 min)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --group mutation
	@$(BIN)/python scripts/run_mutants.py

parity: $(READY) ## Compare with OpenMed 3.1.0: make parity PARITY_OPTIONS='--examples 2000'
	@PYTHON=$(PYTHON) scripts/make_peer.sh .venv-parity
	@$(BIN)/python -m verification.parity $(PARITY_OPTIONS)

replay: $(READY) ## Walk through a counterexample again: make replay RUN='--depends _/0 1.0/1.0'
	@$(BIN)/python -m verification.run_model.replay $(RUN)

bench-checker: $(READY) ## Our engines beside SPIN, TLC, networkx and pyModelChecking (15 min)
	@scripts/ensure_spin.sh
	@scripts/ensure_java.sh
	@$(BIN)/python -m benchmarks.checkers

bench-histories: $(READY) ## Steps a second of the check of histories, and its memory (1 min)
	@$(BIN)/python -m benchmarks.histories

bench-journal: $(READY) ## Steps a second through the journal, beside the bare floor (10 min)
	@$(BIN)/python -m benchmarks.journal $(BENCH_OPTIONS)

journal-soak: $(READY) ## Races and crashes of the journal at full length (15 min)
	@$(BIN)/python scripts/soak_journal.py

footprint: $(READY) ## Measure what the core costs
	@$(BIN)/python benchmarks/footprint.py

docs: $(READY) ## Write what is generated: the codes, the schemas, what the journal's walls refuse
	@$(BIN)/python scripts/write_codes_page.py
	@$(BIN)/python scripts/write_schemas.py
	@$(BIN)/python scripts/write_walls_page.py

diagrams: $(READY) ## Draw the lifecycle in every format, and write the explorer
	@$(BIN)/python scripts/write_diagrams.py
	@$(BIN)/python scripts/write_explorer.py

test-browser: $(READY) ## The explorer and the diagrams in a real browser and on Node
	@scripts/ensure_browser.sh
	@$(BIN)/python -m pytest -q -n 2 tests/browser

clean: ## Forget the environment and every cache
	@rm -rf $(VENV) .venv-parity .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .coverage*
