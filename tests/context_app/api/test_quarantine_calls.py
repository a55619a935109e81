from __future__ import annotations

import pytest

from tests.api import api_of, refusal, walk
from tests.blocks import INJECTION, scan_with

MEMORY = "/sessions/trip/blocks/memory"


@pytest.fixture(autouse=True)
def _quarantine(api, agent):
    scan_with(agent, "quarantine")
    api.post("/sessions/trip/blocks", {"label": "memory"})


@pytest.fixture
def held(api):
    return api.put(MEMORY, {"content": INJECTION}).json()


def test_it_works(api, admin, held):
    assert held.keys() == {
        "id",
        "agent",
        "session",
        "block",
        "action",
        "key",
        "content",
        "description",
        "findings",
        "author",
        "state",
        "decided_by",
        "decided_at",
        "created_at",
    }
    assert admin.get("/quarantine").json() == {"items": [held], "next": None}

    approved = admin.post(f"/quarantine/{held['id']}/approve")

    assert approved.json()["state"] == "approved"
    assert approved.json()["decided_by"].startswith("key mh_")
    assert api.get(MEMORY).json()["content"] == INJECTION
    assert admin.get("/quarantine").json()["items"] == []
    assert len(admin.get("/quarantine", state="all").json()["items"]) == 1


def test_reject(api, admin, held):
    rejected = admin.post(f"/quarantine/{held['id']}/reject").json()

    assert rejected["state"] == "rejected"
    assert api.get(MEMORY).json()["content"] == ""
    again = admin.post(f"/quarantine/{held['id']}/approve")
    assert refusal(again) == (409, "already_decided")


def test_pages(api, admin):
    for number in range(5):
        api.put(MEMORY, {"content": f"{INJECTION} {number}"})

    assert len(walk(admin, "/quarantine", limit=2)) == 5


def test_a_tool_call_is_told(api):
    response = api.post(
        "/sessions/trip/tools/set_context",
        {"arguments": {"label": "memory", "content": INJECTION}},
    )

    assert response.json()["output"].startswith("Held for review")


def test_a_held_write_survives_its_idempotency_key(api, admin):
    for _ in range(2):
        response = api.post(
            f"{MEMORY}/append", {"content": INJECTION}, Idempotency_Key="k"
        )
        assert response.status_code == 202

    assert len(admin.get("/quarantine").json()["items"]) == 1


def test_who_may(api, held, outsider):
    assert len(api.get("/quarantine").json()["items"]) == 1
    assert outsider.get("/quarantine").json()["items"] == []
    assert refusal(outsider.get("/quarantine", agent="support")) == (404, "not_found")
    for decision in ("approve", "reject"):
        path = f"/quarantine/{held['id']}/{decision}"
        assert refusal(api.post(path)) == (403, "forbidden")
        assert refusal(outsider.post(path)) == (404, "not_found")
        assert refusal(outsider.post(f"/quarantine/{2**70}/{decision}")) == (
            422,
            "invalid",
        )


def test_an_operator_of_all_agents(held, db):
    everyone = api_of(None, "admin")

    assert len(everyone.get("/quarantine").json()["items"]) == 1
    assert len(everyone.get("/quarantine", agent="support").json()["items"]) == 1
    assert everyone.post(f"/quarantine/{held['id']}/approve").status_code == 200
