"""Requests of which everything may be left out, the body too."""

from __future__ import annotations

import pytest

from tests.api import refusal
from tests.builders import talk


def test_making_a_session(api):
    made = api.post("/sessions")

    assert made.status_code == 201
    assert (made.json()["agent"], made.json()["kind"]) == ("support", "chat")
    assert api.post("/sessions").json()["id"] != made.json()["id"]


def test_getting_or_making_a_session(api):
    assert api.put("/sessions/trip").status_code == 201
    assert api.put("/sessions/trip").status_code == 200


def test_forking_at_the_head(api, session):
    talk(session, "a b c")

    fork = api.post("/sessions/trip/fork")

    assert fork.status_code == 201
    assert fork.json()["fork_point"] == "c"


def test_compacting(api, session):
    assert api.post("/sessions/trip/compact").status_code == 202


@pytest.mark.parametrize("body", [b"null", b"[]", b"{"])
def test_a_body_that_is_none(api, body):
    assert refusal(api.post("/sessions", body)) == (422, "invalid")


def test_what_has_to_be_said(api, session):
    assert refusal(api.post("/sessions/trip/split")) == (422, "invalid")
