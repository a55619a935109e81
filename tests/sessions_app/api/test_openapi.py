"""The API's description of itself."""

from __future__ import annotations

import json
import re

import pytest
from django.contrib.staticfiles import finders
from ninja import Schema

from memoryhub.api import api as our_api
from tests.api import BASE

CONTRACT = """
POST GET /sessions
GET PUT PATCH DELETE /sessions/{id}
POST /sessions/{id}/fork
POST /sessions/{id}/split
PUT /sessions/{id}/head
POST DELETE /sessions/{id}/messages
GET /sessions/{id}/history
GET PUT DELETE /sessions/{id}/messages/{mid}
POST /sessions/{id}/messages/delete
GET /sessions/{id}/messages/{mid}/branches
PUT /sessions/{id}/messages/{mid}/label
GET /sessions/{id}/leaves
GET /sessions/{id}/tree
POST GET /sessions/{id}/compactions
PATCH DELETE /sessions/{id}/compactions/{cid}
GET /search
GET /sessions/{id}/search
POST GET /sessions/{id}/usage
GET /usage
GET /health
GET POST /agents
GET PATCH DELETE /agents/{agent}
GET POST /keys
DELETE /keys/{prefix}
"""

PATHS = our_api.get_openapi_schema()["paths"]
OPERATIONS = [
    (method, path.removeprefix(BASE), operation)
    for path, operations in PATHS.items()
    for method, operation in operations.items()
]


@pytest.mark.parametrize("line", CONTRACT.strip().splitlines())
def test_the_contract_is_there(line):
    *methods, path = line.split()

    assert {method.lower() for method in methods} <= PATHS[BASE + path].keys()


@pytest.mark.parametrize(
    ("method", "path", "operation"),
    OPERATIONS,
    ids=[f"{m} {p}" for m, p, _ in OPERATIONS],
)
def test_an_operation_is_described(method, path, operation):
    assert operation["summary"]
    assert operation["description"]
    assert operation["tags"]
    assert {"401", "404", "422", "503"} <= operation["responses"].keys()
    named = {each["name"] for each in operation["parameters"] if each["in"] == "path"}
    assert named == set(re.findall(r"{(\w+)}", path))


def test_operations_have_names_of_their_own():
    names = [operation["operationId"] for _, _, operation in OPERATIONS]

    assert len(names) == len(set(names))


def test_anyone_may_read_it(anonymous):
    response = anonymous.get("/openapi.json")

    assert response.status_code == 200
    assert response.json()["components"]["schemas"]["Error"]
    assert response.json()["info"]["title"] == "MemoryHub"


def test_the_page_loads_from_here_alone(anonymous):
    page = anonymous.get("/docs").content.decode()

    assert "/api/v1/openapi.json" in page
    links = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert links
    for link in links:
        assert finders.find(link.removeprefix("/static/")), link


def schemas_of(kind):
    for each in kind.__subclasses__():
        yield each
        yield from schemas_of(each)


def test_schemas_have_names_of_their_own():
    """Of two of one name the description would show one in the other's place."""
    ours = {
        schema
        for schema in schemas_of(Schema)
        if re.search(r"_app\.api\.", schema.__module__)
    }

    assert len(ours) > 50
    names = [schema.__name__ for schema in ours]
    assert sorted(names) == sorted(set(names))


def test_limits_of_numbers_are_told_as_json_schema_has_it():
    schemas = our_api.get_openapi_schema()["components"]["schemas"]

    assert schemas["SessionIn"]["properties"]["kv_cap"]["maximum"] == 1_000_000
    text = json.dumps(schemas)
    assert [word for word in ("ge", "gt", "le", "lt") if f'"{word}":' in text] == []


@pytest.mark.parametrize(
    ("method", "path", "operation"),
    OPERATIONS,
    ids=[f"{m} {p}" for m, p, _ in OPERATIONS],
)
def test_what_is_taken_everywhere_is_told(method, path, operation):
    named = [(each["in"], each["name"]) for each in operation["parameters"]]

    assert (("header", "Idempotency-Key") in named) == (method == "post")
    assert "/sessions/{id}" not in path or ("query", "agent") in named
    assert len(named) == len(set(named))


@pytest.mark.parametrize("path", ["/sessions", "/sessions/{id}/fork"])
def test_a_body_of_which_all_may_be_left_out_may_be_left_out(path):
    assert not PATHS[BASE + path]["post"]["requestBody"].get("required")
