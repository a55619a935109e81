"""The docs name what there is, and nothing else."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

import pytest
from django.core.management import get_commands

from memoryhub.api import api
from sessions_app.errors import MemoryHubError

ROOT = Path(__file__).resolve().parent.parent
OURS = ("memoryhub", "sessions_app", "context_app")


def read(path: str) -> str:
    return (ROOT / path).read_text()


def test_every_variable_is_documented() -> None:
    settings = set(re.findall(r'env\.\w+\(\s*"(\w+)"', read("memoryhub/settings.py")))
    documented = set(re.findall(r"^\| `(\w+)` \|", read("docs/configuration.md"), re.M))

    assert settings == documented


def test_every_command_is_documented() -> None:
    commands = {name for name, app in get_commands().items() if app in OURS}
    documented = set(re.findall(r"`manage\.py (\w+)`", read("docs/operations.md")))

    assert commands <= documented


@cache
def endpoints() -> dict[str, dict[str, str]]:
    """Return the operations of the schema by what the docs call them."""
    paths = api.get_openapi_schema()["paths"]
    return {
        f"{method.upper()} {path.removeprefix('/api/v1')}": operation
        for path, operations in paths.items()
        for method, operation in operations.items()
    }


def test_every_endpoint_is_documented() -> None:
    documented = set(re.findall(r"^\| `([A-Z]+ [^`]+)` \|", read("docs/api.md"), re.M))

    assert set(endpoints()) == documented


@pytest.mark.parametrize("endpoint", endpoints())
def test_every_endpoint_says_what_it_does(endpoint: str) -> None:
    assert endpoints()[endpoint]["summary"]


def codes(kind: type[MemoryHubError]) -> set[str]:
    return {kind.code}.union(*map(codes, kind.__subclasses__()))


def test_every_error_is_documented() -> None:
    documented = set(re.findall(r"`(\w+)`", read("docs/api.md")))
    abstract = {"error", "conflict"}

    assert codes(MemoryHubError) - abstract <= documented


def test_the_newest_release_is_the_version() -> None:
    heading = re.search(r"^## v(\S+)", read("CHANGELOG.md"), re.M)
    project = tomllib.loads(read("pyproject.toml"))["project"]

    assert heading
    assert heading[1] == project["version"]
