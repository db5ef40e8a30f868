# `make run` and `make test` need nothing but Python 3.11+, make and, on Debian, apt.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: run test setup check demo bench clean

run: setup
	@$(BIN)/browser-pilot serve --prove

test: setup
	@$(BIN)/python -m pytest -n 2

check: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports
	@$(BIN)/pyright

demo: setup
	@$(BIN)/browser-pilot demo

bench: setup
	@$(BIN)/python -m bench

setup: $(STAMP)
	@$(BIN)/browser-pilot setup-browser --quiet

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Browser Pilot needs Python 3.11 or newer; set PYTHON=…"; exit 1; }
	@test -x $(BIN)/python || { echo "Creating $(VENV) …"; $(PYTHON) -m venv $(VENV); }
	@echo "Installing Browser Pilot and what it needs …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@$(BIN)/python -m browser_pilot.assets
	@touch $(STAMP)

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache dist
