# Two commands matter: `make demo` and `make test`. Each sets up what it needs in .venv first.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check install

.PHONY: demo test gates fuzz lint format bench soak docs screenshots lock clean

demo: $(VENV)/run.stamp
	@$(BIN)/lode demo

# Bytecode is kept, also where the environment forbids it: compiling is half of the start of a process.
# Three processes on two cores, because many tests wait for others; whoever is free takes the next test.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -q --dist worksteal
test: $(VENV)/dev.stamp
	@$(PYTEST) -n 3 --ignore tests/gates

# Crawls of the recorded webs whose quality may not fall below pinned figures; two minutes. CI runs them, too.
gates: $(VENV)/dev.stamp
	@$(PYTEST) -n 2 tests/gates

# The API, asked some fifty times as much as by the tests; a quarter of an hour.
fuzz: $(VENV)/dev.stamp
	@LODE_FUZZ=600 $(BIN)/python -m pytest -q -n 2 --timeout 1800 tests/unit/app/api/test_fuzzing.py

lint: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/dev.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/dev.stamp
	@$(BIN)/python -m bench

# A crawl that is killed some hundred times; about five minutes. The other long one: python -m bench soak.
soak: $(VENV)/dev.stamp
	@$(BIN)/python -m bench kills

docs: $(VENV)/dev.stamp
	$(BIN)/python docs/reference.py
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

# Pictures of the web application, of a made-up web on this machine; they want Chromium.
screenshots: $(VENV)/dev.stamp
	$(BIN)/python docs/screenshots.py

# Pins the newest versions that resolve on every supported Python; no index address is written down.
COMPILE := $(BIN)/uv pip compile pyproject.toml --all-extras --universal --python-version 3.11 \
  --generate-hashes --no-emit-index-url --no-header --no-annotate --quiet --upgrade
lock: $(VENV)/bin/python
	$(PIP) uv
	$(COMPILE) --group build --output-file requirements.lock
	$(COMPILE) --group dev --constraint requirements.lock --output-file requirements-dev.lock

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Motherlode needs Python 3.11 or newer; run 'make PYTHON=/path/to/python3.11 ...'." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) \
	  || { rm -rf $(VENV); echo "This python3 cannot make a virtual environment; on Debian and Ubuntu: apt install python3-venv." >&2; exit 1; }

$(VENV)/run.stamp: $(VENV)/bin/python requirements.lock pyproject.toml
	@echo "Setting up $(VENV) ..."
	@$(PIP) --require-hashes --no-deps -r requirements.lock
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/dev.stamp: $(VENV)/run.stamp requirements-dev.lock
	@$(PIP) --require-hashes --no-deps -r requirements-dev.lock
	@touch $@

clean:
	rm -rf $(VENV) .venv-peers .venv-solvers docs/_build .pytest_cache .mypy_cache .ruff_cache .hypothesis
