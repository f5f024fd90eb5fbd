# Everything from nothing but Python 3.11+ and make: the environment lives in .venv and is made when needed.
PYTHON ?= python3
BIN := .venv/bin
CODE := proofcheck.py qpkernels formulations tests docs benchmarks noxfile.py

.PHONY: demo test test-fast slow-tests coverage matrix lint format attack mutations oracles figures front-page lab-page \
	docs docs-open docs-test catalogue performance everyday campaign tips digits proofs lab-benchmark scale cluster trust \
	scikit-learn-tests jupyter browser formal release-check clean clean-code

demo: .venv/demo
	$(BIN)/qpkernels compare breast-cancer --scale --picture demo.png

# On all processors; one test alone: .venv/bin/python -m pytest -k NAME
# Bytecode is kept whatever the environment says: tests start dozens of processes, and each would compile all files.
test: .venv/dev
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --numprocesses auto --dist worksteal

# Under a minute: all but the tests named in tests/slow_tests.txt. Pull requests are judged by the whole of them.
test-fast: .venv/dev
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal -m "not slow"

# The list of slow tests, measured anew on this machine; worth it after tests were added or renamed.
slow-tests: .venv/dev
	$(BIN)/python -m pytest --measure-slow

# Debian's Chromium, which the tests of pages drive; there without a word if it is installed.
browser:
	@if command -v chromium > /dev/null; then exit 0; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends chromium; \
	else \
		echo "make browser installs Debian's chromium by apt-get, as root; otherwise install Chromium so that" \
			"'chromium' is found on the PATH." >&2; exit 1; \
	fi

# The theorems on which proofs rest, checked by Debian's Coq in a scratch folder. None may be left open, and none may
# assume more than the axioms of Coq's own real numbers, which are printed.
THEORIES := vectors kernel_qp cone_program
formal:
	@if command -v coqc > /dev/null; then exit 0; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends coq; \
	else \
		echo "make formal installs Debian's coq by apt-get, as root; otherwise install Coq 8.16 or newer so that 'coqc'" \
			"is found on the PATH." >&2; exit 1; \
	fi
	@if grep -nwE "Admitted|admit|Axioms?|Parameters?|Conjecture" formal/*.v; then \
		echo "A proof in formal/ is left open, or an axiom is assumed, on the lines above." >&2; exit 1; \
	fi
	@scratch=$$(mktemp -d) && trap 'rm -rf "$$scratch"' EXIT && cp formal/*.v "$$scratch" && cd "$$scratch" && \
	for theory in $(THEORIES); do coqc -q $$theory.v || exit 1; done && \
	(echo "Require $(THEORIES). Definition proved := (" && for theory in $(THEORIES); do \
		sed -nE "s/^(Theorem|Corollary|Lemma) ([A-Za-z0-9_]+).*/@$$theory.\2,/p" $$theory.v; \
	done && echo "tt). Print Assumptions proved.") > proved.v && coqc -q proved.v > assumptions && \
	sed -nE '/^(Axioms:|Closed under the global context)$$/d; s/^([^ ]+).*/\1/p' assumptions > axioms && \
	if grep -vE "^(ClassicalDedekindReals\.sig_(not|forall)_dec|FunctionalExtensionality\.functional_extensionality_dep)$$" \
		axioms; then \
		echo "The proofs in formal/ assume the above, which are no axioms of Coq's real numbers." >&2; exit 1; \
	fi && \
	echo "All $$(grep -c '^@' proved.v) theorems and lemmas of formal/ are proved. They assume" $$(cat axioms).

# Lines and branches of both packages that the tests reach; fails below the floor set in pyproject.toml.
coverage: .venv/dev
	$(BIN)/python -m pytest --cov --cov-report=term

# The fast tests on the oldest releases that pyproject.toml promises and on the newest; environments live in .nox.
# One of them, another interpreter: make matrix SESSIONS="newest-3.13"
matrix: .venv/dev
	$(BIN)/nox $(if $(SESSIONS),--session $(SESSIONS))

lint: .venv/dev
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/ruff check $(CODE)
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/dev
	$(BIN)/ruff format $(CODE)
	$(BIN)/ruff check --fix $(CODE)

# 10,000 random models in bad shape through two solvers each, and answers forged on purpose: about an hour. Every
# failure is named with the seed that repeats it: .venv/bin/python -m tests.attack --seed N
attack: .venv/dev
	$(BIN)/python -m tests.attack $(OPTIONS)

# 10,000 proofs changed on purpose: proofcheck refuses each, or what it claims is true by a computation with 60 digits.
# Some minutes; a failure is named with the seed that repeats it: .venv/bin/python -m tests.proofs --seed N
mutations: .venv/dev
	$(BIN)/python -m tests.proofs $(OPTIONS)

# The lab in a cell of JupyterLab itself, which gets an environment of its own.
jupyter: .venv/dev .venv/jupyter/made
	$(BIN)/python -m pytest tests/jupyter --jupyter .venv/jupyter/bin/jupyter-lab

# LIBSVM's heart_scale from a folder of yours: make oracles DATA=folder
oracles: .venv/dev
	$(BIN)/python -m pytest tests/oracles --data "$(DATA)"

# The tests that scikit-learn ships, on our estimators in place of its own; docs/estimators/scikit-learn.md
scikit-learn-tests: .venv/dev
	$(BIN)/python -m tests.scikit_learn

# The pictures of docs/examples as files in figures/, each with the numbers that it shows; make docs draws them into the
# site. Some of them: make figures OPTIONS="w3 w9"
figures: .venv/dev
	$(BIN)/python docs/figures.py $(OPTIONS)

# The picture of README.md anew, docs/static/front_page.png.
front-page: .venv/dev
	$(BIN)/python docs/front_page.py

# The picture of docs/lab.md anew, docs/static/lab.png, in Chromium (make browser).
lab-page: .venv/dev
	$(BIN)/python docs/lab_page.py

# What is published, in dist/: built, checked, and used in empty environments; a minute or two. Before a tag:
# make release-check OPTIONS="--tag v0.1.0"
release-check: .venv/dev
	$(BIN)/python -m tests.release $(OPTIONS)

# The site, in docs/_build/html; every warning is an error. OPTIONS="-D plot_gallery=0" leaves the gallery's pictures out.
docs: .venv/docs docs/catalogue.md
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/sphinx-build -b html -d docs/_build/doctrees -j auto --fail-on-warning --keep-going -q $(OPTIONS) docs docs/_build/html

# From a server, since browsers run no workers of a page that is a file, as the lab is; Ctrl-C ends it.
docs-open: docs
	(sleep 1; $(BIN)/python -m webbrowser http://127.0.0.1:8765/) & \
		$(BIN)/python -m http.server 8765 --bind 127.0.0.1 --directory docs/_build/html

# The site in a real browser, as make docs has built it: its search, maths, pictures, links, sizes, phones and the dark.
docs-test: .venv/docs
	$(BIN)/python -m pytest docs/checks

docs/catalogue.md:
	$(BIN)/python docs/catalogue.py

# docs/catalogue.md with its picture: every model, who solves it, and how well that is proved. The tests write it as well.
catalogue: .venv/dev
	$(BIN)/python docs/catalogue.py

# docs/performance, beside LIBSVM and (--intelex PYTHON) oneDAL: make performance DATA=folder OPTIONS="--only usps"
performance: .venv/dev
	$(BIN)/python -m benchmarks --data "$(DATA)" --measure all $(OPTIONS)

# docs/performance/everyday.md: fit and predict beside scikit-learn's, of the sets that people have, ten minutes;
# OPTIONS="--go-on" after an interruption, OPTIONS="--only iris wine" for some.
everyday: .venv/dev
	QPKERNELS_COMPILE=first $(BIN)/python -m benchmarks.everyday $(if $(DATA),--data "$(DATA)") $(OPTIONS)

# docs/performance/campaign.md: the default beside every other solver on 1,000 random problems; hours, and a rerun goes on
# where the last one ended.
campaign: .venv/dev
	$(BIN)/python -m benchmarks.campaign $(OPTIONS)

# docs/performance/tips.md, which docs/use/performance.md shows beside the code that is measured: about a minute.
tips: .venv/dev
	$(BIN)/python -m benchmarks.tips $(OPTIONS)

# docs/performance/digits.md: the test errors of digits under every protocol, from usps.npz, or zip.train.gz and
# zip.test.gz, in a folder of yours: make digits DATA=folder; an hour.
digits: .venv/dev
	$(BIN)/python -m benchmarks.digits --data "$(DATA)"

# docs/performance/proofs.md: portable proofs written and checked, from a9a.xz in a folder of yours if it is named; minutes.
proofs: .venv/dev
	$(BIN)/python -m benchmarks.proofs $(if $(DATA),--data "$(DATA)") $(OPTIONS)

# docs/performance/lab.md: a point dragged in a browser, and an hour of random events; OPTIONS="--soak 0" without that.
lab-benchmark: .venv/dev
	$(BIN)/python -m benchmarks.lab $(OPTIONS)

# docs/scale: low rank, its bounds, large samples, least squares and workers; hours. make scale DATA=folder
scale: .venv/dev cluster
	$(BIN)/python -m benchmarks.scale.low_rank
	$(BIN)/python -m benchmarks.scale.tuning --data "$(DATA)"
	$(BIN)/python -m benchmarks.scale.bounds --data "$(DATA)"
	$(BIN)/python -m benchmarks.scale.exact --data "$(DATA)"
	$(BIN)/python -m benchmarks.scale.least_squares "$(DATA)/cpusmall.xz"
	$(BIN)/python -m benchmarks.scale

# docs/scale/cluster.json: 10,000,000 samples with workers of Dask beside one process, and once more with one killed.
cluster: .venv/dev
	$(BIN)/python -m benchmarks.scale.cluster $(OPTIONS)
	$(BIN)/python -m benchmarks.scale.cluster --kill $(OPTIONS)

# docs/trust: published problems before a judge, solvers cross-examined, enclosures, 10,000 attacks; an afternoon.
# Some problems only: make trust DATA=folder OPTIONS="--only TAME HS268"
trust: .venv/dev
	$(BIN)/python -m benchmarks.trust --data "$(DATA)" $(OPTIONS)
	$(BIN)/python -m benchmarks.trust.examinations
	$(BIN)/python -m benchmarks.trust.enclosures
	-$(BIN)/python -m tests.attack --output attack.jsonl > docs/trust/attack.txt
	$(BIN)/python -m benchmarks.trust.summary

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("qpkernels needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv

.venv/demo: pyproject.toml .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[solvers,plot]"
	touch $@

.venv/dev: pyproject.toml .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[dev]"
	touch .venv/demo $@

.venv/docs: pyproject.toml .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[docs]"
	touch .venv/demo $@

.venv/jupyter/made: pyproject.toml .venv/bin/python
	$(PYTHON) -m venv .venv/jupyter
	.venv/jupyter/bin/python -m pip install --quiet --disable-pip-version-check "jupyterlab>=4.4" --editable ".[notebook]"
	touch $@

# Machine code that numba kept.
clean-code:
	find $(CODE) -name "*.nb[ic]" -delete

clean: clean-code
	rm -rf .venv .nox dist .coverage .mypy_cache .ruff_cache .pytest_cache .hypothesis docs/catalogue.md docs/catalogue.png \
		docs/_build docs/gallery docs/api/generated demo.png figures attack.jsonl
