# TokenSteps. `make` alone lists the targets. Written for GNU Make 3.81 (macOS) and later.

VENV := .venv
BIN := $(VENV)/bin
# The first interpreter that runs and is new enough; `make PYTHON=/path/to/python3` overrides. Evaluated only when .venv must be made.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3 python; do "$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo "$$p"; break; }; done)
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# What isn't in the lock with its hash isn't installed.
PIP_INSTALL_LOCKED := $(PIP_INSTALL) --require-hashes
# What makes and checks the locks, in an environment of its own: it decides nothing about the app's.
TOOLS := $(VENV)/tools
# Environments with the lowest and the newest versions that the ranges of requirements.txt let in.
OLDEST := $(VENV)/oldest
NEXT := $(VENV)/next
# mutmut, beside what development needs.
MUTANTS := $(VENV)/mutants
# Every page in a browser, once.
SMOKE := tests/browser/test_access.py
# The same, and the lessons' walks, without the patches of Streamlit (`TOKENSTEPS_PLAIN=1`).
PLAIN := $(SMOKE) tests/browser/test_walk.py
# One lock for Linux, macOS and Windows and every Python from 3.11 on.
COMPILE = $(TOOLS)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
  --annotation-style line --custom-compile-command "make lock"
# Versions that are locked stay where they fit. `make lock LOCK_ARGS=--upgrade` takes the newest of all that the ranges let in.
LOCK_ARGS ?=
# Four workers, each taking whole files, for two cores: they often wait, for pages and servers. Browser tests share one server per worker.
PYTEST_ARGS ?= -n 4 --dist loadfile
VERSION = $(shell sed -n 's/^__version__: Final = "\(.*\)"$$/\1/p' tokensteps/version.py)
BABEL = $(BIN)/python -m babel.messages.frontend --quiet
LOCALE := assets/locale/tokensteps
# What `make dist` tries the package with, of those that are here: versions or paths.
PYTHONS ?= 3.11 3.12 3.13
# How many servers `make serve` starts.
WORKERS ?= 2
# Rooms and faults of `make mutants`: all rooms, and one fault in ten.
ROOMS ?=
FAULTS ?=
# How long `make day` takes for its eight hours.
MINUTES ?= 20
# One port if given (`make run PORT=8600`), else 8501 or the next free one.
PORT ?=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help run serve dev test stress lint types unit browser browsers live nginx redis dist visit load hostile siege day real oldest next mutants bench keys format screenshots messages lock audit clean

help: ## list these targets
	@echo "TokenSteps: see how subword tokenizers are trained, one step at a time."
	@echo
	@awk 'BEGIN {FS = ":.*## "} /^[a-z]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

run: $(VENV)/.run ## install what is missing and open the app in the browser (PORT=8600 picks the port)
	@headless=; \
	if [ -n "$$CI" ]; then headless=1; fi; \
	if [ "$$(uname -s)" = Linux ] && [ -z "$$DISPLAY$$WAYLAND_DISPLAY" ]; then headless=1; fi; \
	set -- $(if $(strip $(PORT)),--server.port $(PORT)); \
	: "With no display nothing is opened; naming the address keeps Streamlit from asking the internet for it."; \
	if [ -n "$$headless" ]; then set -- "$$@" --server.headless true --browser.serverAddress localhost; fi; \
	exec $(BIN)/python -m streamlit run app.py "$$@"

serve: $(VENV)/.run ## several workers on consecutive ports, for nginx (WORKERS=2 PORT=8501)
	@exec $(BIN)/python deploy/serve.py --workers $(WORKERS) $(if $(strip $(PORT)),--port $(PORT))

dev: $(VENV)/.dev ## install what development needs

test: lint browser nginx redis ## lint, types and the tests, within eight minutes (SLOW=1: the slow ones, too)
	@: "Types take one core. The other one compiles the tests meanwhile, which else each process of the tests would do for itself."; \
	$(BIN)/python -m pytest --collect-only -q >/dev/null & collected=$$!; \
	$(MAKE) --no-print-directory types; types=$$?; \
	wait $$collected; exit $$types
	$(BIN)/python -m pytest $(PYTEST_ARGS)

stress: $(VENV)/.dev ## every case and every example, where the suite takes a sample
	STRESS=1 HOSTILE_STRINGS=10000 $(BIN)/python -m pytest $(PYTEST_ARGS) --ignore=tests/browser

lint: $(VENV)/.dev ## ruff: rules and format
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .

types: $(VENV)/.dev ## mypy
	$(BIN)/python -m mypy

unit: $(VENV)/.dev ## the tests that need no browser
	$(BIN)/python -m pytest $(PYTEST_ARGS) --ignore=tests/browser

browser: $(VENV)/.dev ## find a Chromium for the browser tests, or install one
	@$(BIN)/python tests/browser/chromium.py --ensure

browsers: $(VENV)/.dev ## every page of the app and of the static site in Firefox and WebKit as well; installs them on Debian as root or on CI
	@$(BIN)/python -m tests.browser.others --ensure
	OTHER_BROWSERS=1 $(BIN)/python -m pytest -n 0 -rs tests/browser/test_other_browsers.py tests/browser/test_site_elsewhere.py

live: browser ## the static site's page that trains in the browser, with Python in it: Chromium, and Firefox and WebKit where they are here
	LIVE=1 $(BIN)/python -m pytest -n 0 -rs tests/browser/test_try_page.py
	$(BIN)/python -m benchmarks.live

nginx: $(VENV)/.dev ## find nginx for the test of a deployment, or install it as root or on CI
	@$(BIN)/python -m tests.browser.nginx --ensure

redis: $(VENV)/.dev ## find a Redis or Valkey for the tests of classes, or install one as root or on CI
	@$(BIN)/python -m tests.app.classroom.redis_server --ensure

visit: browser ## what a visit costs in a real browser: bytes, requests, seconds, beside an empty Streamlit app
	$(BIN)/python -m benchmarks.visit

load: $(VENV)/.dev ## a lecture hall at one server: 100 sessions, a click each 3 seconds
	$(BIN)/python -m benchmarks.load

hostile: browser ## 10,000 hostile strings, 100,000 messages and 20,000 files through whatever takes them, and strings through a browser
	HOSTILE_STRINGS=10000 HOSTILE_MESSAGES=100000 HOSTILE_FILES=20000 $(BIN)/python -m pytest $(PYTEST_ARGS) -rP tests/test_hostile.py tests/test_fuzz.py
	$(BIN)/python -m tests.hostile_browser

siege: $(VENV)/.dev ## a class of 25 steps for four minutes while one visitor attacks; says whether it had to wait, and what memory stays
	$(BIN)/python -m benchmarks.siege

day: $(VENV)/.dev ## a day of four classes in MINUTES=20: memory, open files, threads, processes, the store, before and after
	$(BIN)/python -m benchmarks.day --minutes $(MINUTES)

real: browser ## tokenizers that models are published with, from ordinary packages, against their own libraries, and through the page (TOKENSTEPS_REAL names the folder)
	$(BIN)/python -m pytest -n 0 -rs -s tests/real/real.py tests/real/chats.py tests/real/page.py tests/real/scorm.py

oldest: $(VENV)/.dev $(TOOLS)/.made browser ## the tests without a browser, and every page in one, with the lowest versions that requirements.txt lets in
	@test -x $(OLDEST)/bin/python || $(TOOLS)/bin/uv venv --quiet --python $(BIN)/python $(OLDEST)
	@grep '(an extra' requirements-dev.txt >$(OLDEST)/extras.txt
	@$(TOOLS)/bin/uv pip compile --quiet --resolution lowest-direct --no-annotate --no-header --python $(OLDEST)/bin/python requirements.txt $(OLDEST)/extras.txt --output-file $(OLDEST)/versions.txt
	@$(TOOLS)/bin/uv pip install --quiet --python $(OLDEST)/bin/python --constraint $(OLDEST)/versions.txt -r requirements-dev.txt
	SLOW=1 $(OLDEST)/bin/python -m pytest $(PYTEST_ARGS) --ignore=tests/browser
	$(OLDEST)/bin/python -m pytest $(PYTEST_ARGS) $(SMOKE)
	TOKENSTEPS_PLAIN=1 $(OLDEST)/bin/python -m pytest $(PYTEST_ARGS) $(PLAIN)

next: $(VENV)/.dev $(TOOLS)/.made browser ## the same with the newest versions that the index has; first says what is newer than the lock
	@test -x $(NEXT)/bin/python || $(TOOLS)/bin/uv venv --quiet --python $(BIN)/python $(NEXT)
	@$(TOOLS)/bin/uv pip install --quiet --python $(NEXT)/bin/python --upgrade -r requirements-dev.txt
	@for each in $(BIN) $(NEXT)/bin; do $(TOOLS)/bin/uv pip freeze --python "$$each/python" >"$$each/packages.txt"; done
	@diff $(BIN)/packages.txt $(NEXT)/bin/packages.txt | grep '^[<>]' || echo "The index has nothing newer than the lock; this is the suite as it is."
	SLOW=1 $(NEXT)/bin/python -m pytest $(PYTEST_ARGS) --ignore=tests/browser
	$(NEXT)/bin/python -m pytest $(PYTEST_ARGS) $(SMOKE)
	TOKENSTEPS_PLAIN=1 $(NEXT)/bin/python -m pytest $(PYTEST_ARGS) $(PLAIN)

mutants: $(VENV)/.dev $(TOOLS)/.made ## small faults in the code, and the share that the nearest tests let pass (ROOMS="runs classroom"; FAULTS='*' tries all)
	@test -x $(MUTANTS)/bin/python || $(TOOLS)/bin/uv venv --quiet --python $(BIN)/python $(MUTANTS)
	@$(TOOLS)/bin/uv pip install --quiet --python $(MUTANTS)/bin/python -r requirements-dev.txt 'mutmut>=3.8.1,<4'
	$(MUTANTS)/bin/python -m tests.mutants $(ROOMS) $(if $(FAULTS),'$(FAULTS)')

bench: $(VENV)/.dev ## time the engine against other tokenizers
	$(BIN)/python -m benchmarks

keys: browser ## time the playground's text box, tipping points and “What if” in Chromium, from a key to what is painted
	$(BIN)/python -m benchmarks.editor
	$(BIN)/python -m benchmarks.whatif

dist: $(VENV)/.dev $(TOOLS)/.made browser ## build the package, and try it in empty environments (PYTHONS="3.11 3.13" names them)
	rm -rf dist
	$(TOOLS)/bin/uv build --quiet
	$(TOOLS)/bin/uv build --quiet --wheel packaging/core --out-dir dist
	$(TOOLS)/bin/twine check --strict dist/*
	UV=$(abspath $(TOOLS)/bin/uv) PYTHONS="$(PYTHONS)" $(BIN)/python -m pytest -n 0 tests/dist.py

format: $(VENV)/.dev ## put the code into the project's format
	$(BIN)/python -m ruff check --fix .
	$(BIN)/python -m ruff format .

screenshots: browser ## draw the pictures in docs/ again
	$(BIN)/python -m tests.browser.screenshots

messages: $(VENV)/.dev ## collect the translatable strings, bring the catalogues up to date, compile them
	@mkdir -p assets/locale
	$(BABEL) extract --project TokenSteps --version $(VERSION) --copyright-holder "TokenSteps contributors" --width 120 \
	  --sort-by-file --add-location file --add-comments "Translators:" --mapping babel.cfg --keyword N_ --output-file $(LOCALE).pot .
	for language in zh ja; do $(BABEL) update --input-file $(LOCALE).pot --domain tokensteps --output-dir assets/locale \
	  --locale $$language --width 120 --ignore-obsolete --ignore-pot-creation-date || exit 1; done
	$(BABEL) compile --domain tokensteps --directory assets/locale --statistics

lock: $(TOOLS)/.made ## write the locks anew from the ranges in requirements*.txt (LOCK_ARGS=--upgrade takes the newest)
	$(COMPILE) $(LOCK_ARGS) requirements.txt --output-file requirements.lock
	$(COMPILE) $(LOCK_ARGS) --constraint requirements.lock requirements-dev.txt --output-file requirements-dev.lock

audit: $(TOOLS)/.made ## ask PyPI for known vulnerabilities in what is locked
	@for lock in requirements.lock requirements-dev.lock; do \
	  : "Strict: what can't be asked about isn't taken for safe."; \
	  if said="$$($(TOOLS)/bin/pip-audit --strict --require-hashes --disable-pip --progress-spinner off --requirement $$lock 2>&1)"; then \
	    echo "$$lock: no known vulnerabilities."; \
	  elif echo "$$said" | grep -q "^Found .* known vulnerabilit"; then \
	    echo "$$said"; echo "$$lock: raise the ranges in requirements*.txt where needed, then make lock LOCK_ARGS=--upgrade" >&2; exit 1; \
	  else \
	    echo "$$said" | tail -n 3 >&2; \
	    echo "$$lock: not audited, PyPI could not be asked about all of it. Nothing is known; try again with a connection to the package index." >&2; exit 1; \
	  fi; \
	done

clean: ## remove the environment and everything generated
	rm -rf $(VENV) dist .mypy_cache .pytest_cache .ruff_cache .hypothesis test-results *.egg-info
	find . -name .git -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

# The environment, and a stamp for each set of dependencies, so that nothing is installed twice.
$(VENV)/.run: requirements.lock | $(BIN)/python
	@echo "Installing what TokenSteps needs into $(VENV) ..."
	@$(PIP_INSTALL_LOCKED) -r requirements.lock
	@touch $@

$(VENV)/.dev: requirements-dev.lock | $(BIN)/python
	@echo "Installing what development needs into $(VENV) ..."
	@$(PIP_INSTALL_LOCKED) -r requirements-dev.lock
	@touch $(VENV)/.run $@

$(TOOLS)/.made: | $(BIN)/python
	@echo "Installing what makes and checks the locks into $(TOOLS) ..."
	@$(BIN)/python -m venv $(TOOLS)
	@$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check 'uv>=0.13.9,<0.14' 'pip-audit>=2.10.1,<3' 'twine>=7,<8'
	@touch $@

$(BIN)/python:
	@set -e; python="$(PYTHON)"; \
	if [ -z "$$python" ]; then \
	  echo "TokenSteps needs Python 3.11 or later, and none was found. Install it (Debian: apt install python3 python3-venv; macOS: brew install python)" >&2; \
	  echo "or name one: make run PYTHON=/path/to/python3" >&2; exit 1; \
	fi; \
	if ! "$$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then \
	  package="python$$("$$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')-venv"; \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "$$python lacks its venv module: installing $$package ..."; \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$$package"; \
	  else \
	    echo "$$python lacks its venv module. Install it and try again: sudo apt install $$package" >&2; exit 1; \
	  fi; \
	fi; \
	echo "Making $(VENV) with $$("$$python" --version) ..."; \
	"$$python" -m venv --clear $(VENV)
