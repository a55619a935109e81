"""Two operators who do the same at once: one does it, and the other is told so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from context_app.models import Block, HeldWrite, Version
from sessions_app.models import Compaction, Message, MessageChange, Session
from tests.everything import INJECTION, Places, add_everything
from tests.people import client_of
from tests.sessions_app.services.forest.test_locking import race

pytestmark = pytest.mark.django_db(transaction=True)
OPERATORS = 4


@pytest.fixture
def places(settings: Any, tmp_path: Any) -> Places:
    settings.BACKUPS_DIR = tmp_path / "backups"
    return add_everything()


def at_once(place: str, form: Callable[[int], dict[str, Any]]) -> list[str]:
    """Send a form by several operators; return what each is told, those who did it first."""
    clients = [client_of(f"oscar{number}", "operator") for number in range(OPERATORS)]

    def send(client: Client, number: int) -> Callable[[], str]:
        def sent() -> str:
            response = client.post(place, form(number), follow=True)
            assert response.status_code < 500
            return f"{response.status_code} {response.content.decode()}"

        return sent

    answers: list[str] = race(
        *(send(client, number) for number, client in enumerate(clients))
    )
    return answers


def told(answers: list[str], words: str) -> int:
    return sum(words in answer for answer in answers)


def test_saving_a_block(places):
    memory = Block.objects.get(pk=places["blocks"]["pk"])
    answers = at_once(
        f"/blocks/{memory.pk}/save",
        lambda number: {"content": f"new {number}", "version": memory.version},
    )

    memory.refresh_from_db()
    written = Version.objects.filter(block=memory, content__startswith="new")
    assert [each.content for each in written] == [memory.content]
    assert told(answers, f"saved as v{memory.version}") == 1
    assert sum(each.startswith("409") for each in answers) == OPERATORS - 1


def test_deciding_on_a_held_write(places):
    held = HeldWrite.objects.get(pk=places["quarantine"]["pk"])
    answers = at_once(
        f"/quarantine/{held.pk}",
        lambda number: {"decision": "approve" if number % 2 else "reject"},
    )

    held.refresh_from_db()
    carried_out = Version.objects.filter(content__contains=INJECTION).count()
    assert carried_out == (1 if held.state == "approved" else 0)
    assert told(answers, "The write to") == 1
    assert told(answers, "Nothing was changed") == OPERATORS - 1


def test_disabling_a_compaction(places):
    place, uid = f"/sessions/{places['sessions']['pk']}", places["sessions"]["uid"]
    answers = at_once(f"{place}/compactions/{uid}/disable", lambda number: {})

    assert Compaction.objects.get(uid=uid).state != Compaction.State.ACTIVE
    assert all(each.startswith(("200", "409")) for each in answers)


def test_deleting_a_branch(places):
    session = Session.objects.get(pk=places["sessions"]["pk"])
    count = session.messages.count()
    answers = at_once(
        f"/sessions/{session.pk}/tree",
        lambda number: {"act": "delete", "message": "b1", "expected": "1"},
    )

    assert Message.objects.filter(session=session).count() == count - 1
    assert MessageChange.objects.filter(action="subtree").count() == 1
    assert told(answers, "1 branch with 1 messages deleted") == 1
    assert sum(each.startswith("404") for each in answers) == OPERATORS - 1


@pytest.mark.parametrize("act", ["trash", "delete"])
def test_trashing_and_deleting_sessions(places, act):
    chosen = [places[name]["pk"] for name in ("sessions", "fork", "trashed")]
    answers = at_once("/sessions", lambda number: {"sure": act, "session": chosen})

    done = {"trash": "2 sessions moved", "delete": "1 session deleted"}[act]
    assert told(answers, done) == 1
    assert (
        told(answers, done.replace(done[0], "0", 1)) + told(answers, "0 sessions") >= 1
    )
    assert all(each.startswith("200") for each in answers)
    left = Session.objects.filter(trashed_at=None).count()
    assert left == (0 if act == "trash" else 2)


def test_undoing_a_change(places):
    pk, change = places["sessions"]["pk"], places["sessions"]["change"]
    answers = at_once(f"/sessions/{pk}/changes/{change}/undo", lambda number: {})

    assert told(answers, "1 message is back") == 1
    assert sum(each.startswith("409") for each in answers) == OPERATORS - 1
