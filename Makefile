# What is done often, each in one line. CONTRIBUTING.md says when.
export PATH := $(CURDIR)/.venv/bin:$(PATH)
.PHONY: setup run test test-pg lint fix check bench screenshots lock

setup: ; tests/run --install-only
run: ; python manage.py serve
test: ; tests/run --sqlite
test-pg: ; tests/run --postgres
lint: ; ruff check . && ruff format --check . && lint-imports && mypy . && python manage.py makemigrations --check --dry-run
fix: ; ruff check --fix . ; ruff format .
check: ; .ci/run
bench: ; python benchmarks/run.py
screenshots: ; python tests/browser/screenshots.py build/screenshots $(if $(DATA),--data $(DATA))
lock: ; pip install --quiet uv && UV_CUSTOM_COMPILE_COMMAND='make lock' uv pip compile --quiet --universal --fork-strategy fewest --python-version 3.11 --no-annotate --extra dev --extra postgres --output-file requirements.lock pyproject.toml
