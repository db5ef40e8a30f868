# `make run` and `make test` need nothing but Python 3.11+, make and, on Debian, apt.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
OWN ?= tests/acting/test_click.py tests/acting/test_dialogs.py tests/acting/test_reach.py tests/pages/test_world.py
ROOT := $(if $(filter 0,$(shell id -u)),,sudo -n)

.PHONY: run test setup check fuzz demo dev stress docs bench python-venv wasi-clang grid-and-redis clean

run: setup
	@$(BIN)/browser-pilot serve --prove

# The tests of pages run again in the user's own Chrome, through the extension: a part of them, for time.
test: setup wasi-clang grid-and-redis
	@$(BIN)/python -m pytest -n 2 --dist loadgroup
	@$(BIN)/python -m pytest -q -n 2 --own $(OWN)

check: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports
	@$(BIN)/pyright
	@$(BIN)/python -m tests.check_javascript
	@$(BIN)/python -m pytest -q tests/policy --cov=browser_pilot.policy --cov-branch --cov-fail-under=100 --cov-report=term-missing:skip-covered

# URLs judged by our parser and by Chromium's own; COUNT=… for another number.
fuzz: setup
	@$(BIN)/python -m tests.fuzz_urls $(or $(COUNT),1000000)

# What takes long: the link to the user's Chrome, cut and killed a hundred times; hubs killed 200 times; 500 page swaps.
stress: setup
	@$(BIN)/python -m pytest -n 0 --long -m long

dev: setup
	@$(BIN)/browser-pilot dev

demo: setup
	@$(BIN)/browser-pilot demo

docs: setup
	@$(BIN)/python -m browser_pilot.server.reference > docs/tools.md

bench: setup
	@$(BIN)/python -m bench

setup: $(STAMP)
	@$(BIN)/browser-pilot setup-browser --quiet

$(STAMP): pyproject.toml constraints.txt | $(BIN)/pip
	@echo "Installing Browser Pilot and what it needs …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@# The pages of MiniWoB++ alone: what it would need to drive them itself is heavy, and we do that.
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -c constraints.txt miniwob
	@$(BIN)/python -m browser_pilot.assets
	@touch $(STAMP)

$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Browser Pilot needs Python 3.11 or newer: make PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || $(MAKE) --no-print-directory python-venv
	@echo "Creating $(VENV) …"
	@$(PYTHON) -m venv $(VENV)

# Debian and Ubuntu keep venv in a package of its own.
python-venv:
	@echo "Python has no venv module; installing python3-venv …"
	@$(ROOT) sh -c 'apt-get install -y python3-venv || { apt-get update && apt-get install -y python3-venv; }' >/dev/null 2>&1 \
		&& $(PYTHON) -c 'import ensurepip' \
		|| { echo "That did not work. Please run: sudo apt-get install python3-venv"; exit 1; }

# The tests build a guest from C. Where this cannot be installed, those tests are left out, and say so.
wasi-clang:
	@command -v clang >/dev/null && [ -d /usr/include/wasm32-wasi ] || ! command -v apt-get >/dev/null || { \
		echo "Installing clang for WASI, for the tests of guests in C …"; \
		$(ROOT) sh -c 'p="clang lld wasi-libc libclang-rt-dev-wasm32"; apt-get install -y --no-install-recommends $$p \
			|| { apt-get update && apt-get install -y --no-install-recommends $$p; }' >/dev/null 2>&1 \
		|| echo "That did not work: the tests of guests in C are left out."; }

# The tests run a real Selenium Grid and a real Redis. Where these cannot be installed, those tests are left out.
grid-and-redis:
	@command -v java >/dev/null && command -v chromedriver >/dev/null && command -v redis-server >/dev/null \
		|| ! command -v apt-get >/dev/null || { \
		echo "Installing Java, chromedriver and Redis, for the tests of Grid and of several hubs …"; \
		$(ROOT) sh -c 'p="openjdk-17-jre-headless chromium-driver redis-server"; \
			apt-get install -y --no-install-recommends $$p \
			|| { apt-get update && apt-get install -y --no-install-recommends $$p; }' >/dev/null 2>&1 \
		|| echo "That did not work: the tests of Grid and Redis are left out."; }

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache dist
