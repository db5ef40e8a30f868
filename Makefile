# `make run` and `make test` need only Python 3.11+, make and, on Debian, apt.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
OWN ?= tests/page/actions/test_mouse.py tests/page/actions/test_dialogs.py tests/page/actions/test_scroll_upload.py tests/page/actions/test_drag.py tests/page/test_isolated_world.py
ROOT := $(if $(filter 0,$(shell id -u)),,sudo -n)

.PHONY: run test setup check fuzz demo dev redteam stress docs bench dist bundle install-check lowest-check python-venv wasi-clang test-servers clean

run: setup
	@$(BIN)/browser-pilot serve --prove

# The tests start hundreds of Python processes: they need the cached bytecode, whatever the environment says.
test: export PYTHONDONTWRITEBYTECODE =
# Some page tests run a second time in the user's Chrome, through the extension.
test: setup wasi-clang test-servers
	@$(BIN)/python -m pytest -n 2 --dist loadgroup
	@$(BIN)/python -m pytest -q -n 2 --own $(OWN)

check: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports
	@$(BIN)/pyright
	@$(BIN)/python -m tests.check_javascript
	@$(BIN)/python -m pytest -q tests/policy --cov=browser_pilot.policy --cov-branch --cov-fail-under=100 --cov-report=term-missing:skip-covered

# Compares our URL parser with Chromium's; COUNT=… sets the number of URLs.
fuzz: setup
	@$(BIN)/python -m tests.fuzz_urls $(or $(COUNT),1000000)

# Attacks by kind, with a table of tried and held: 3,000 approval swaps, 2,000 secret canaries. ROUNDS=… sets another number.
redteam: setup
	@ROUNDS=$(ROUNDS) LONG=$(LONG) $(BIN)/python -m tests.redteam $(KIND)

# Long tests: connections to the user's Chrome cut a hundred times, hubs and browsers killed, sessions under load.
stress: setup
	@$(BIN)/python -m pytest -n 0 --long -m long

dev: setup
	@$(BIN)/browser-pilot dev

demo: setup
	@$(BIN)/browser-pilot demo

docs: setup
	@$(BIN)/python -m browser_pilot.mcp_server.docs_generator > docs/tools.md
	@$(BIN)/python -m browser_pilot.config.reference docs
	@$(BIN)/python -m browser_pilot.page.injected_script
	@$(BIN)/python -m tests.architecture

bench: setup
	@$(BIN)/python -m bench

# The wheel and the sdist; fails without their assets.
dist: setup
	@rm -rf dist
	@$(BIN)/python -m build --no-isolation

# What is released besides the wheel: the MCP bundle (.mcpb) and the extension for web stores, in dist/.
bundle: dist
	@$(BIN)/python -m release.bundle
	@$(BIN)/python -m release.extension_zip

# Installs the wheel into an empty environment and uses it with an empty home; `lowest-check` with the lowest versions.
# WITH=python3.13 sets the interpreter.
install-check: dist
	@$(BIN)/python -m tests.installation $(if $(WITH),--python $(WITH))

lowest-check: dist
	@$(BIN)/python -m tests.installation --lowest

setup: $(STAMP)
	@$(BIN)/browser-pilot setup-browser --quiet

$(STAMP): pyproject.toml constraints.txt | $(BIN)/pip
	@echo "Installing Browser Pilot and its dependencies …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@# Only the pages of MiniWoB++: its own dependencies are large, and our tests control the pages themselves.
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -c constraints.txt miniwob
	@$(BIN)/python -m browser_pilot.assets
	@touch $(STAMP)

$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Browser Pilot needs Python 3.11 or newer: make PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || $(MAKE) --no-print-directory python-venv
	@echo "Creating $(VENV) …"
	@$(PYTHON) -m venv $(VENV)

# Debian and Ubuntu have venv in a separate package.
python-venv:
	@echo "Python has no venv module; installing python3-venv …"
	@$(ROOT) sh -c 'apt-get install -y python3-venv || { apt-get update && apt-get install -y python3-venv; }' >/dev/null 2>&1 \
		&& $(PYTHON) -c 'import ensurepip' \
		|| { echo "The installation failed. Please run: sudo apt-get install python3-venv"; exit 1; }

# Some tests build a guest from C. They are skipped if clang cannot be installed.
wasi-clang:
	@command -v clang >/dev/null && [ -d /usr/include/wasm32-wasi ] || ! command -v apt-get >/dev/null || { \
		echo "Installing clang for WASI, for tests of guests in C …"; \
		$(ROOT) sh -c 'p="clang lld wasi-libc libclang-rt-dev-wasm32"; apt-get install -y --no-install-recommends $$p \
			|| { apt-get update && apt-get install -y --no-install-recommends $$p; }' >/dev/null 2>&1 \
		|| echo "The installation failed: tests of guests in C are skipped."; }

# Some tests run a real Selenium Grid, Redis and Squid. They are skipped if these cannot be installed.
test-servers:
	@command -v java >/dev/null && command -v chromedriver >/dev/null && command -v redis-server >/dev/null && [ -x /usr/sbin/squid ] \
		|| ! command -v apt-get >/dev/null || { \
		echo "Installing Java, chromedriver, Redis and Squid, for tests of the Grid, of several hubs and of proxies …"; \
		$(ROOT) sh -c 'p="openjdk-17-jre-headless chromium-driver redis-server squid"; \
			apt-get install -y --no-install-recommends $$p \
			|| { apt-get update && apt-get install -y --no-install-recommends $$p; }' >/dev/null 2>&1 \
		|| echo "The installation failed: tests of the Grid, Redis and Squid are skipped."; }

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache dist
