from __future__ import annotations

import pytest

from tests.api import escaped, refusal, walk
from tests.blocks import INJECTION, scan_with

PATHS = ["/sessions/trip/blocks", "/agents/support/blocks"]


@pytest.fixture(params=PATHS)
def skills(api, request):
    api.post(request.param, {"label": "skills", "kind": "skill"})
    return f"{request.param}/skills"


@pytest.fixture(params=PATHS)
def notes(api, request):
    api.post(request.param, {"label": "notes", "kind": "search"})
    return f"{request.param}/notes"


def put(api, path, key, content="x", **fields):
    return api.put(f"{path}/entries/{escaped(key)}", {"content": content, **fields})


def test_it_works(api, skills):
    made = put(api, skills, "pirate", "Arr", description="Speaks")

    assert made.status_code == 201
    assert made.json().keys() == {
        "key",
        "description",
        "content",
        "tokens",
        "version",
        "findings",
        "updated_at",
    }
    changed = put(api, skills, "pirate", "Ahoy")
    assert (changed.status_code, changed.json()["description"]) == (200, "Speaks")
    assert api.get(f"{skills}/entries/pirate").json() == changed.json()
    assert api.get(skills).json()["content"] == "- pirate: Speaks"


def test_pages(api, skills):
    for number in range(5):
        put(api, skills, f"k{number}")

    assert [each["key"] for each in walk(api, f"{skills}/entries", limit=2)] == [
        f"k{number}" for number in range(5)
    ]


def test_delete_and_have_back(api, skills):
    put(api, skills, "a", "one")
    assert api.delete(f"{skills}/entries/a").status_code == 204
    assert refusal(api.get(f"{skills}/entries/a")) == (404, "not_found")
    assert refusal(api.delete(f"{skills}/entries/a")) == (404, "not_found")

    versions = api.get(f"{skills}/entries/a/versions").json()["items"]
    assert [(each["version"], each["deleted"]) for each in versions] == [
        (2, True),
        (1, False),
    ]
    response = api.post(f"{skills}/entries/a/revert", {"version": 1})
    assert response.json()["content"] == "one"
    assert response.json()["version"] == 3
    assert api.get(f"{skills}/entries/a/versions/3").json()["diff"].endswith("+one")


def test_search(api, notes):
    put(api, notes, "coffee", "Drinks coffee")
    put(api, notes, "tea", "Drinks tea")

    found = api.get(f"{notes}/search", q="coffee").json()

    assert [each["key"] for each in found["items"]] == ["coffee"]
    assert found["text"] == "[coffee]\nDrinks coffee"
    assert api.get(f"{notes}/search", q="none").json() == {
        "items": [],
        "next": None,
        "text": "No results found.",
    }
    assert refusal(api.get(f"{notes}/search", q="-x")) == (422, "invalid_query")
    assert refusal(api.get(f"{notes}/search")) == (422, "invalid")


def test_skills_are_not_searched(api, skills):
    assert refusal(api.get(f"{skills}/search", q="x")) == (422, "not_searchable")


def test_keys_may_hold_anything(api, skills):
    for key in ("a b", "ü", "100%", "a/b"):
        assert put(api, skills, key).status_code == 201
        assert api.get(f"{skills}/entries/{escaped(key)}").json()["key"] == key


def test_compare_and_set(api, skills):
    assert put(api, skills, "a", version=0).status_code == 201
    assert refusal(put(api, skills, "a", version=0)) == (409, "version_mismatch")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, (422, "invalid")),
        ({"content": None}, (422, "invalid")),
        ({"content": "x", "extra": 1}, (422, "invalid")),
        ({"content": "nul\0"}, (422, "invalid")),
    ],
)
def test_what_is_refused(api, skills, body, expected):
    assert refusal(api.put(f"{skills}/entries/a", body)) == expected


def test_too_long(api):
    api.post("/sessions/trip/blocks", {"label": "s", "kind": "skill", "max_tokens": 5})

    response = put(api, "/sessions/trip/blocks/s", "a", "one two three four five")

    assert refusal(response) == (422, "exceeds_max_tokens")
    message = response.json()["error"]["message"]
    assert message == 'Block "s" exceeds maxTokens: 7 > 5'


def test_a_text_block_has_none(api):
    api.post("/sessions/trip/blocks", {"label": "m"})
    path = "/sessions/trip/blocks/m"

    assert refusal(put(api, path, "a")) == (422, "not_keyed")
    assert api.get(f"{path}/entries").json()["items"] == []


def test_it_is_held(api, agent, skills):
    scan_with(agent, "quarantine")

    response = put(api, skills, "a", INJECTION)

    assert response.status_code == 202
    assert response.json()["key"] == "a"
    assert refusal(api.get(f"{skills}/entries/a")) == (404, "not_found")


def test_who_may(api, reader, outsider, skills):
    put(api, skills, "a")

    assert reader.get(f"{skills}/entries").status_code == 200
    assert refusal(put(reader, skills, "a")) == (403, "forbidden")
    for response in (
        outsider.get(f"{skills}/entries"),
        outsider.get(f"{skills}/entries/a"),
        outsider.get(f"{skills}/search", q="x"),
        put(outsider, skills, "a"),
        outsider.delete(f"{skills}/entries/a"),
    ):
        assert refusal(response) == (404, "not_found")
