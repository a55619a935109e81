from __future__ import annotations

import orjson
import pytest

from sessions_app import search
from sessions_app.models import Compaction, Label, Message
from sessions_app.services.searching import find_messages
from tests.admin_pages import act, change_page, delete_page, errors_of, page_of, save
from tests.builders import context_tokens, fresh, head, say, seen


def body_of(uid, text, **fields):
    message = {"id": uid, "role": "user", "parts": [{"type": "text", "text": text}]}
    return orjson.dumps(message | fields).decode()


def named(session, uid):
    return session.messages.get(uid=uid)


def found(text):
    return sorted(
        hit.content for hit in find_messages(text=text, scope=search.Scope()).hits
    )


def counted_tokens(session):
    """Return what its row says that its context takes."""
    now = fresh(session)
    return now.head.path_tokens - now.hidden_tokens if now.head else 0


def in_step():
    return search.missing() == search.orphans() == 0


def test_its_page_shows_it_and_leads_on(admin_client, trip):
    page = admin_client.get(change_page(named(trip, "b"))).content.decode()

    assert "{\n  &quot;id&quot;: &quot;b&quot;" in page
    assert f'<a href="{change_page(named(trip, "a"))}">user a</a>' in page
    assert f'<a href="{change_page(trip)}">Trip</a>' in page


def test_it_is_edited_and_a_fork_keeps_what_it_was(admin_client, trip, fork):
    save(
        admin_client,
        change_page(named(trip, "a")),
        body=body_of("a", "rewritten " * 50),
    )

    assert "rewritten" in named(trip, "a").body
    assert '"text":"a"' in named(fork, "a").body
    assert found("rewritten") == [("rewritten " * 50)]
    assert found("a") == ["a"]
    assert counted_tokens(trip) == context_tokens(trip)
    assert in_step()


def test_unknown_keys_and_spelling_survive(admin_client, trip):
    body = '{"id": "a", "role": "user", "n": 12345678901234567890123, "f": 1.00,\r\n "parts": []}'

    save(admin_client, change_page(named(trip, "a")), body=body)

    assert named(trip, "a").body == body.replace("\r\n", "\n")


def test_without_an_id_it_keeps_its_own(admin_client, trip):
    save(
        admin_client, change_page(named(trip, "a")), body='{"role":"system","parts":[]}'
    )

    assert named(trip, "a").body == '{"id":"a","role":"system","parts":[]}'
    assert named(trip, "a").role == "system"


@pytest.mark.parametrize(
    "wrong",
    [
        "", "{", "[]", "null", "{}", '{"role":"user"}', '{"role":"user","parts":[3]}',
        '{"role":"","parts":[]}', '{"id":"b","role":"user","parts":[]}',
        '{"id":"compaction_1","role":"user","parts":[]}', '{"role":"user","parts":["\\ud800"]}',
        '{"id":3,"role":"user","parts":[]}', "[" * 5000, '{"a":' * 300 + "1" + "}" * 300,
        '{"role":"user","parts":[]}\0',
    ],
)  # fmt: skip
def test_what_is_no_message_is_refused(admin_client, trip, wrong):
    response = save(admin_client, change_page(named(trip, "a")), body=wrong)

    assert errors_of(response)
    assert trip.messages.count() == 4
    assert '"text":"a"' in named(trip, "a").body


def test_its_place_is_not_changed(admin_client, trip):
    before = named(trip, "c")

    save(
        admin_client,
        change_page(before),
        parent="",
        seq="9",
        depth="0",
        uid="z",
        role="tool",
    )

    assert vars(named(trip, "c")) | {"_state": 0} == vars(before) | {"_state": 0}


def test_one_is_deleted_and_what_follows_moves_up(admin_client, trip):
    page = admin_client.get(delete_page(named(trip, "c"))).content.decode()
    assert "1 message below will follow what is above instead." in page

    admin_client.post(delete_page(named(trip, "c")), {"post": "yes"})

    assert seen(trip) == "a C[Short] d"
    assert named(trip, "d").depth == 2
    assert in_step()


def test_several_are_deleted(admin_client, trip, fork):
    chosen = named(trip, "b"), named(trip, "d")

    asked = act(admin_client, "delete_selected", *chosen)
    assert "2 messages<" in asked.content.decode()
    act(admin_client, "delete_selected", *chosen, post="yes")

    assert [m.uid for m in trip.messages.order_by("id")] == ["a", "c"]
    assert head(trip) == "c"
    assert seen(fork) == "a C[Short]"
    assert in_step()


def test_messages_of_a_session_and_its_fork_go_together(admin_client, trip, fork):
    own = say(fork, "own")

    act(admin_client, "delete_selected", named(trip, "a"), own, post="yes")

    assert seen(trip) == "C[Short] d"
    assert seen(fork) == "a C[Short]"
    assert in_step()


def test_one_is_deleted_with_everything_below(admin_client, trip, fork):
    say(trip, "other", parent="b")

    asked = act(admin_client, "delete_below", named(trip, "b"), named(trip, "c"))
    assert "4 messages<" in asked.content.decode()
    assert trip.messages.count() == 5
    act(admin_client, "delete_below", named(trip, "b"), named(trip, "c"), post="yes")

    assert seen(trip) == "a"
    assert seen(fork) == "a C[Short]"
    assert in_step()


def test_it_is_searched_by_what_was_said_by_id_and_in_a_session(
    admin_client, trip, fork
):
    say(fork, "Window seat to Lisbon", uid="mine")
    address = page_of(Message, "changelist")

    def listed(query):
        response = admin_client.get(address, query)
        return [message.uid for message in response.context["cl"].result_list]

    assert listed({"q": "seats lisbon"}) == ["mine"]
    assert listed({"q": "mine"}) == ["mine"]
    assert listed({"q": str(named(trip, "b").pk)}) == ["b"]
    assert listed({"q": "window", "session": trip.pk}) == []
    assert listed({"q": "-only"}) == []
    assert listed({"parent": named(trip, "c").pk}) == ["mine", "d"]


def test_a_compaction_is_switched_and_rewritten(admin_client, trip):
    compaction = Compaction.objects.get()

    save(admin_client, change_page(compaction), state="disabled")
    assert seen(trip) == "a b c d"
    save(
        admin_client,
        change_page(compaction),
        state="active",
        summary="Longer than before",
    )

    assert seen(trip) == "a C[Longer than before] d"
    assert counted_tokens(trip) == context_tokens(trip)


def test_a_compaction_that_overlaps_is_refused_in_the_form(admin_client, trip):
    first = Compaction.objects.get()
    save(admin_client, change_page(first), state="disabled")
    second = Compaction.objects.create(
        session=trip,
        uid="2",
        first=named(trip, "c"),
        last=named(trip, "d"),
        summary="S",
    )

    response = save(admin_client, change_page(first), state="active", summary="Typed")

    assert f"overlaps with compaction {second.uid}" in errors_of(response)
    assert "Typed" in response.content.decode()
    first.refresh_from_db()
    assert (first.state, first.summary) == ("disabled", "Short")


def test_a_compaction_is_deleted(admin_client, trip):
    admin_client.post(delete_page(Compaction.objects.get()), {"post": "yes"})

    assert seen(trip) == "a b c d"
    assert fresh(trip).hidden_tokens == 0


def test_a_label_is_given_changed_and_taken(admin_client, trip, fork):
    add = page_of(Label, "add")
    save(admin_client, add, session=fork.pk, message=named(trip, "a").pk, text="root")
    label = Label.objects.get(session=fork, message=named(trip, "a"))
    save(admin_client, change_page(label), text="the root")

    label.refresh_from_db()
    assert label.text == "the root"
    act(admin_client, "delete_selected", label, post="yes")
    assert not Label.objects.filter(id=label.id).exists()


def test_a_label_is_for_a_message_that_the_session_has(admin_client, trip, fork):
    response = save(
        admin_client,
        page_of(Label, "add"),
        session=fork.pk,
        message=named(trip, "d").pk,
        text="x",
    )

    assert "The session has no such message." in response.content.decode()
