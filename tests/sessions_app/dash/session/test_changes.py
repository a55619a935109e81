"""Undoing edits and deletions from toasts and from the list of events."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

from sessions_app.models import MessageChange
from sessions_app.services.undoing.changes import changes_of
from sessions_app.services.writing.deleting import delete_messages
from tests.builders import draft, seen, talk

pytestmark = pytest.mark.django_db
UNDO = re.compile(r'action="(/sessions/\d+/changes/\d+/undo)"')


def offered(operator, session, name="session"):
    page = operator.get(reverse(name, args=[session.pk])).content.decode()
    return UNDO.findall(page)


def act(operator, session, name, **data):
    return operator.post(reverse(name, args=[session.pk]), data)


def test_a_deletion_offers_to_be_undone(session, operator):
    talk(session, "a b c")
    act(operator, session, "session-delete", msg="b", mode="reparent")
    assert seen(session) == "a c"

    (undo,) = offered(operator, session)
    answer = operator.post(undo)

    assert (answer.status_code, answer.url) == (303, f"/sessions/{session.pk}")
    assert seen(session) == "a b c"
    assert "1 message is back" in operator.get(answer.url).content.decode()
    assert MessageChange.objects.get().undone_by == "operator oscar"
    assert operator.post(undo).status_code == 409


def test_an_edit_offers_to_be_undone_and_that_too(session, operator):
    talk(session, "a")
    act(operator, session, "session-edit", **{"msg": "a", "text-0": "new"})
    assert session.messages.get().body == draft("new", "a").body

    (undo,) = offered(operator, session)
    operator.post(undo)
    assert session.messages.get().body == draft("a", "a").body

    (again,) = offered(operator, session)
    assert again != undo
    operator.post(again)
    assert session.messages.get().body == draft("new", "a").body


def test_an_edit_that_changes_nothing_offers_nothing(session, operator):
    talk(session, "a b")
    act(operator, session, "session-delete", msg="b", mode="reparent")
    offered(operator, session)

    act(operator, session, "session-edit", **{"msg": "a", "text-0": "a"})

    assert offered(operator, session) == []


def test_events_offer_it_for_good(session, operator, viewer):
    talk(session, "a b c")
    delete_messages(session=session, uids=["b"], mode="subtree", by="key <b>x")

    events = reverse("session-events", args=[session.pk])
    page = viewer.get(events).content.decode()
    assert "2 messages deleted with all below" in page
    assert "key &lt;b&gt;x" in page
    assert UNDO.findall(page) == []
    (undo,) = offered(operator, session, "session-events")
    operator.post(undo)

    assert seen(session) == "a b c"
    page = operator.get(events).content.decode()
    assert "Undone: 2 messages deleted with all below" in page
    assert UNDO.findall(page) == []


def test_who_may(session, client, viewer, operator):
    talk(session, "a b")
    delete_messages(session=session, uids=["b"])
    change = changes_of(session)[0].pk
    address = reverse("session-undo-change", args=[session.pk, change])

    assert client.post(address).url.startswith("/login")
    assert viewer.post(address).status_code == 403
    assert operator.get(address).status_code == 405
    for place in ([session.pk, 10**9], [10**9, change]):
        missing = reverse("session-undo-change", args=place)
        assert operator.post(missing).status_code == 404
    assert seen(session) == "a"
