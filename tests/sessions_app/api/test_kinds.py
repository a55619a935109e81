from __future__ import annotations

import pytest

from sessions_app.formats import FORMATS
from sessions_app.strategies import STRATEGIES
from tests.api import refusal


def test_it_lists_the_formats(api):
    response = api.get("/formats")

    assert response.status_code == 200
    items = response.json()["items"]
    assert {"name": "openai-chat", "title": FORMATS["openai-chat"].title} in items
    assert [each["name"] for each in items] == list(FORMATS)
    assert all(each["title"] for each in items)


def test_it_lists_the_strategies(api):
    response = api.get("/strategies")

    assert response.status_code == 200
    items = response.json()["items"]
    assert [each["name"] for each in items] == list(STRATEGIES)
    assert all(each["description"] for each in items)
    sizes = {each["name"]: (each["unit"], each["default"]) for each in items}
    assert sizes == {
        "simple": (None, None),
        "sliding_window": ("window", 30),
        "token_window": ("max_tokens", 128_000),
        "summarizing": ("window", 20),
    }


@pytest.mark.parametrize("path", ["/formats", "/strategies"])
def test_they_are_one_page(api, path):
    assert api.get(path).json()["next"] is None


@pytest.mark.parametrize("path", ["/formats", "/strategies"])
def test_they_need_a_key(anonymous, path):
    assert refusal(anonymous.get(path)) == (401, "unauthenticated")


def test_every_format_and_strategy_that_is_listed_is_taken(api, session):
    for kind in api.get("/formats").json()["items"]:
        response = api.get("/sessions/trip/context", format=kind["name"])
        assert response.json()["format"] == kind["name"]
    for kind in api.get("/strategies").json()["items"]:
        query = {"strategy": kind["name"]}
        if kind["unit"]:
            query[kind["unit"]] = 5
        response = api.get("/sessions/trip/context", **query)
        assert response.json()["strategy"] == kind["name"]
