from __future__ import annotations

import hashlib

import pytest

from context_app.models import Prompt
from tests.api import refusal

PROMPT = "/sessions/trip/prompt"
MEMORY = "/sessions/trip/blocks/memory"


@pytest.fixture(autouse=True)
def _memory(api):
    api.post("/sessions/trip/blocks", {"label": "memory", "content": "one"})


def test_it_works(api):
    prompt = api.get(PROMPT).json()

    assert prompt.keys() == {
        "text",
        "version",
        "sha256",
        "tokens",
        "stale",
        "frozen_at",
    }
    assert prompt["text"].endswith("one")
    assert prompt["sha256"] == hashlib.sha256(prompt["text"].encode()).hexdigest()
    assert (prompt["version"], prompt["stale"]) == (1, False)
    assert api.get(PROMPT).json() == prompt


def test_it_goes_stale_and_is_refreshed(api):
    first = api.get(PROMPT).json()
    api.put(MEMORY, {"content": "two"})

    stale = api.get(PROMPT).json()
    assert stale == {**first, "stale": True}

    refreshed = api.post(f"{PROMPT}/refresh").json()
    assert refreshed["diff"].split("\n")[-2:] == ["-one", "+two"]
    assert (refreshed["version"], refreshed["stale"]) == (2, False)
    del refreshed["diff"]
    assert api.get(PROMPT).json() == refreshed


def test_a_dry_run(api):
    first = api.get(PROMPT).json()
    api.put(MEMORY, {"content": "two"})

    dry = api.call("POST", f"{PROMPT}/refresh", query={"dry_run": "1"}).json()

    assert "+two" in dry["diff"]
    assert (dry["version"], dry["text"][-3:]) == (2, "two")
    assert api.get(PROMPT).json()["text"] == first["text"]
    assert Prompt.objects.count() == 1


def test_versions(api):
    api.get(PROMPT)
    api.put(MEMORY, {"content": "two"})
    api.post(f"{PROMPT}/refresh")

    items = api.get(f"{PROMPT}/versions").json()["items"]

    assert [(each["version"], each["stale"]) for each in items] == [
        (2, False),
        (1, True),
    ]


def test_who_may(reader, outsider):
    assert reader.get(PROMPT).status_code == 200
    assert refusal(reader.post(f"{PROMPT}/refresh")) == (403, "forbidden")
    for response in (outsider.get(PROMPT), outsider.post(f"{PROMPT}/refresh")):
        assert refusal(response) == (404, "not_found")


def test_the_policy_decides_on_figures(api, admin):
    api.patch(MEMORY, {"max_tokens": 10})
    assert "[20% — 2/10 tokens]" in api.get(PROMPT).json()["text"]

    policy = admin.patch("/agents/support/policy", {"usage_in_headers": False})

    assert policy.json()["usage_in_headers"] is False
    assert api.get(PROMPT).json()["stale"] is True
    assert "%" not in api.post(f"{PROMPT}/refresh").json()["text"]


def test_a_policy_is_an_admins(api, admin, outsider):
    assert api.get("/agents/support/policy").json()["scan"] == "flag"
    assert refusal(api.patch("/agents/support/policy", {})) == (403, "forbidden")
    assert refusal(outsider.get("/agents/support/policy")) == (404, "not_found")
    response = admin.patch("/agents/support/policy", {"scan": "maybe"})
    assert refusal(response) == (422, "invalid")
