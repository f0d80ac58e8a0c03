# Everything here works on a fresh checkout: the environment is built on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# Numba keeps its compiled loops beside the sources, so the second run is fast.
export MPLBACKEND := Agg

.PHONY: browser demo notebooks pictures test lint typecheck coverage accept bench reproduce answers relabelling inputs smarts brute-force fuzz kills mutants wheel clean help

help:
	@echo "make demo    train the paper's GCN on BA-house, explain it, leave everything in runs/ba-house"
	@echo "make docs    the documentation as a site, in build/docs: open build/docs/index.html"
	@echo "make drawings the pictures of docs/how-it-works.md, anew"
	@echo "make test    lint, types, every test"
	@echo "make coverage every test, and which lines none of them runs"
	@echo "make accept  accept changes of public names, signatures, help texts and saved files, after a look at the diff"
	@echo "make bench   speed and memory; AGAINST=../before in turns with another checkout"
	@echo "make reproduce every table and figure of the paper and of ours, in results/paper (hours; ITEMS=... for some, ITEMS="all --quick" to try)"
	@echo "make answers are the answers still those that were accepted? (minutes)"
	@echo "make inputs  do rules follow models that read unusual inputs? six planted worlds, ten seeds (half an hour)"
	@echo "make smarts  does RDKit count what patterns of molecules say? (minutes)"
	@echo "make relabelling do the numbers of the nodes matter? subsets of the real data sets (minutes)"
	@echo "make brute-force do networkx and RDKit agree with every count and sentence? (minutes)"
	@echo "make fuzz    are odd graphs and odd models explained, or refused in one line? 2,000 pairs (minutes)"
	@echo "make kills   is anything lost when a command is killed? 200 kills (minutes)"
	@echo "make mutants do tests notice forty changes of the code? (half an hour)"
	@echo "make browser do reports work in Chromium? the system's, PROTOGRAPH_CHROMIUM, or Debian's, which it installs (minutes)"
	@echo "make pictures docs/images: the report and a card of it, of the Mutagenicity run (minutes)"
	@echo "make notebooks do the examples run? each notebook anew, kept with what it shows (minutes)"
	@echo "make wheel   build the wheel, install it into an empty environment, run the demo there"

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), "Protograph needs Python 3.11 or newer; set PYTHON="'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt torch numpy
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $(STAMP)

demo: $(STAMP)
	$(BIN)/protograph explain ba-house --out runs/ba-house --force

.PHONY: docs drawings
# Sphinx is for the site alone, so that tests need not wait for it.
$(VENV)/.docs: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	@touch $@

# Warnings are errors; a page that would load anything from another host is one too (docs/conf.py).
docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -W --keep-going -q -E docs build/docs
	@echo "open build/docs/index.html"

drawings: $(STAMP)
	$(BIN)/python docs/drawings.py

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

typecheck: $(STAMP)
	$(BIN)/mypy

# Two processes of one thread each: the files' own fixtures are made once, and the processes leave each other a core.
test: lint typecheck
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadscope

coverage: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadscope --cov=protograph --cov-report=term

accept: $(STAMP)
	$(BIN)/python -m tests.test_promises --accept

bench: $(STAMP)
	$(BIN)/python -m research.speed $(if $(AGAINST),--against $(AGAINST))

# A run that was broken off goes on where it ended. MNIST-sp takes a GPU: .venv/bin/python -m research.paper all --device cuda.
ITEMS ?= all
reproduce: $(STAMP)
	$(BIN)/python -m research.paper $(ITEMS) --without mnist-sp

answers: $(STAMP)
	$(BIN)/python -m research.answers

inputs: $(STAMP)
	$(BIN)/python -m research.inputs

relabelling: $(STAMP)
	$(BIN)/python -m research.relabelling

smarts: $(STAMP)
	$(BIN)/python -m research.smarts

brute-force: $(STAMP)
	$(BIN)/python -m research.brute_force

fuzz: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/python -W ignore -m research.fuzz

mutants: $(STAMP)
	$(BIN)/python -m research.mutants

kills: $(STAMP)
	$(BIN)/python -m research.kills

# Playwright drives the system's Chromium, and downloads none; Debian's is installed where there is none.
browser: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,browser]'
	@test -n "$$PROTOGRAPH_CHROMIUM" || command -v chromium >/dev/null || command -v chromium-browser >/dev/null || \
		$$(test "$$(id -u)" = 0 || echo sudo) apt-get install --yes --no-install-recommends chromium
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest tests/browser

# The run is that of `protograph explain mutagenicity`; RUN= names another.
RUN ?= runs/mutagenicity
pictures: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,browser]'
	test -d $(RUN) || $(BIN)/protograph explain mutagenicity --out $(RUN)
	$(BIN)/python -m research.pictures $(RUN)

notebooks: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,notebooks]'
	$(BIN)/python -m research.notebooks

wheel: $(STAMP)
	$(BIN)/python -m research.wheel

clean:
	rm -rf $(VENV) runs dist build .mypy_cache .pytest_cache .ruff_cache .hypothesis
