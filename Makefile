# Every target sets up what it needs in .venv; a fresh machine needs Python 3.11+ and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Where a demo leaves its data and its run.
DEMO := demo
# What the benchmarks and the gallery train on, and the gallery's settings.
PAIRS ?= data/sample.txt
SET ?= training.max_minutes=null training.epochs=10 training.batch_size=384
SEEDS ?= 3

.PHONY: help demo test test-all coverage check format docs release bench kills schedules faults fuzz gallery results clean

help:  ## What there is to make
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 12

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

# pip knows the dependency groups of pyproject.toml from 25.1 on; the one of a new environment may be older.
$(VENV)/installed-%: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt \
		-e '.[dask,documents,parquet,serve,xlsx]' --group $*
	@touch $@

demo: $(VENV)/installed  ## Train on data/sample.txt for two minutes, translate, draw the attention
	$(BIN)/s2s prepare data/sample.txt --config sample.yaml --out $(DEMO)/prepared --overwrite
	$(BIN)/s2s train --config sample.yaml --data $(DEMO)/prepared --out $(DEMO)/run --overwrite
	@echo
	$(BIN)/s2s translate --model $(DEMO)/run --attention "Mary says that she has seen the old man."
	$(BIN)/s2s translate --model $(DEMO)/run --draw $(DEMO)/attention.png --overwrite "She kissed him."
	@echo
	@echo "The data are in $(DEMO)/prepared, the translator in $(DEMO)/run (its README.md has its scores),"
	@echo "the picture of its attention in $(DEMO)/attention.png. Continue with:"
	@echo "  $(BIN)/s2s translate --model $(DEMO)/run"

test: check  ## The checks and all quick tests
	$(BIN)/python -m pytest -n auto

test-all: check  ## The checks and all tests, the slow ones too
	$(BIN)/python -m pytest -n auto -m ''

coverage: check  ## All quick tests, and how much of the package they run; fails below the floor in pyproject.toml
	$(BIN)/python -m pytest -n auto --cov --cov-report=term:skip-covered --cov-report=xml

check: $(VENV)/installed-dev  ## Lint, format, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

format: $(VENV)/installed-dev  ## Put the code in form
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/installed-docs  ## The site in build/site, of docs/ and the docstrings; a dead link is an error
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going --fresh-env -b html -c docs . build/site

release: check  ## The wheel and the source distribution in dist/, checked and installed in fresh environments
	rm -rf dist
	$(BIN)/python -m build --no-isolation
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	$(BIN)/python -m pytest -m '' tests/integration/test_distributions.py

bench: $(VENV)/installed-dev  ## Measure speed, print the figures: PAIRS=FILE BENCH="--joeynmt DIR ..."
	$(BIN)/python -m benchmarks.speed --pairs $(PAIRS) $(BENCH)

kills: $(VENV)/installed-dev  ## Kill trainings fifty times, compare them with one that was never killed
	$(BIN)/python -m benchmarks.reliability.kills

schedules: $(VENV)/installed-dev  ## Run commands side by side in one folder, and kill some, in 1,000 random schedules
	$(BIN)/python -m benchmarks.reliability.schedules

faults: $(VENV)/installed-dev  ## Let each call of a training and a preparation that changes the disk fail once
	$(BIN)/python -m benchmarks.reliability.faults

fuzz: $(VENV)/installed-dev  ## Read 10,000 corrupted files of every format (hours), print the outcomes: FUZZ="FORMAT --seed 2 ..."
	$(BIN)/python -m tests.fuzz --files 10000 --kept fuzz-failures $(FUZZ)

gallery: $(VENV)/installed-dev  ## Train every model on one task (hours); fill docs/gallery.md: PAIRS=FILE SET="KEY=VALUE ..." SEEDS=3
	$(BIN)/python -m benchmarks.gallery --pairs $(PAIRS) --seeds $(SEEDS) $(foreach setting,$(SET),--set $(setting)) \
		$(if $(filter data/sample.txt,$(PAIRS)),--alignment data/sample.align,--no-pictures)

results: $(VENV)/installed-dev  ## Train systems on a pair file, fill the tables: PAIRS=FILE RESULTS="quick few" SEEDS=3
	$(BIN)/python -m benchmarks.results $(RESULTS) --pairs $(PAIRS) --seeds $(SEEDS)

clean:  ## Remove what the other targets made
	rm -rf $(VENV) $(DEMO) fuzz-failures build dist .coverage* coverage.xml .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
