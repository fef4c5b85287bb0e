# Every target sets up what it needs: only Python 3.11+ and make are taken for granted.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
WORKERS ?= 2
# More testers than cores: many tests wait for servers, browsers and disks.
TESTERS ?= 3

.PHONY: demo reproduce pages evidence test check format bench clean

demo: $(VENV)/.runtime
	@mkdir -p out
	$(BIN)/spnb simulate --arms 25 --rounds 1000 --runs 200 --seed 1 --workers $(WORKERS) \
	  --agent TS --agent "Seq(TS)" --agent bUCB --agent "Seq(bUCB)" --agent UCBrev+ --agent Challenge \
	  --plot out/demo.png --json out/demo.json

reproduce: $(VENV)/.runtime
	$(BIN)/spnb reproduce all --workers $(WORKERS) --out out/reproduce $(ARGS)

# The pages that hold figures of the reproduction, made anew from a full run.
pages: reproduce demo
	cp out/demo.png docs/images/regret.png
	cp out/reproduce/paper-reproduced.md docs/
	$(BIN)/python -m spnb.paper.quote out/reproduce README.md docs/agents.md

# The same for the evidence beyond the paper, which takes an hour or more.
evidence: $(VENV)/.runtime
	$(BIN)/spnb reproduce beyond --workers $(WORKERS) --out out/beyond $(ARGS)
	cp out/beyond/figures/beyond-*.png docs/images/
	$(BIN)/python -m spnb.paper.quote out/beyond docs/profit.md docs/changing.md docs/identification.md

test: check
	rm -f .coverage .coverage.*
	$(BIN)/python -m pytest -n $(TESTERS) --cov --cov-report=term --ignore=tests/contract $(PYTEST)
# The contracts play many runs in plain Python, which tracing every line would slow down by half.
	$(BIN)/python -m pytest -n $(TESTERS) --no-cov tests/contract $(PYTEST)

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks --json out/benchmarks.json

clean:
	rm -rf $(VENV) out .coverage .coverage.* .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "spnb needs Python 3.11 or newer; say make PYTHON=python3.x")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) -e .
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) -e ".[dev]"
	@touch $@ $(VENV)/.runtime
