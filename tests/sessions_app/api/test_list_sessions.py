from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils.timezone import now

from sessions_app.models import Session
from sessions_app.services.forest.creating import create_session
from tests.api import api_of, refusal, walk

URL = "/sessions"
ORDERS = ["-updated_at", "updated_at", "-created_at", "created_at", "name", "-name"]


def make(agent, key, minutes=0, **fields):
    """Make a session that was last used some minutes ago."""
    moment = now() - timedelta(minutes=minutes)
    made = create_session(agent=agent, key=key, **fields)
    Session.objects.filter(id=made.id).update(created_at=moment, updated_at=moment)
    return made


def ids(api, **query):
    return " ".join(each["id"] for each in api.get(URL, **query).json()["items"])


def test_the_newest_activity_comes_first(api, agent):
    make(agent, "old", 10)
    make(agent, "new", 1)
    make(agent, "mid", 5)

    assert ids(api) == "new mid old"


def test_an_item_is_the_session(api, session):
    (item,) = api.get(URL).json()["items"]

    assert item == api.get("/sessions/trip").json()


def test_it_lists_only_the_agents_own(api, agent, stranger):
    make(agent, "ours")
    make(stranger, "theirs")

    assert ids(api) == "ours"


def test_a_key_for_all_agents_lists_all(admin_api, agent, stranger):
    make(agent, "ours", 1)
    make(stranger, "theirs")

    assert ids(admin_api) == "theirs ours"
    assert ids(admin_api, agent="support") == "ours"
    assert refusal(admin_api.get(URL, agent="none")) == (404, "not_found")


def test_another_agents_are_not_there(api, stranger):
    assert refusal(api.get(URL, agent="stranger")) == (404, "not_found")
    assert ids(api, agent="support") == ""


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"q": "rome"}, "a"),
        ({"q": "ROME"}, "a"),
        ({"q": "b"}, "b"),
        ({"q": "100%"}, "b"),
        ({"q": "%"}, "b"),
        ({"q": "_"}, ""),
        ({"q": "x"}, ""),
        ({"q": ""}, "a b"),
        ({"model": "m1"}, "a"),
        ({"source": "cli"}, "b"),
        ({"kind": "coding"}, "b"),
        ({"kind": "chat", "model": "m2"}, ""),
        ({"status": "active"}, "a b"),
        ({"status": "archived"}, "c"),
        ({"status": "all"}, "a b c"),
        ({"limit": 1}, "a"),
    ],
)
def test_it_filters(api, agent, query, found):
    make(agent, "a", 1, name="To Rome", model="m1")
    make(agent, "b", 2, name="100% cotton", model="m2", source="cli", kind="coding")
    make(agent, "c", 3, archived_at=now())

    assert ids(api, **query) == found


def test_it_filters_by_activity(api, agent):
    make(agent, "old", 60)
    make(agent, "new", 1)
    since = now() - timedelta(minutes=30)

    assert ids(api, since=since.isoformat()) == "new"
    # Without a zone it is of UTC.
    assert ids(api, since=since.replace(tzinfo=None).isoformat()) == "new"


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("limit", [1, 2, 3, 500])
def test_pages_hold_each_session_once(api, agent, order, limit):
    for index in range(7):
        make(agent, f"s{index}", name="same" if index < 4 else f"n{index}")
    moment = now()
    Session.objects.exclude(key="s6").update(created_at=moment, updated_at=moment)

    found = walk(api, URL, order=order, limit=limit)

    whole = api.get(URL, order=order).json()["items"]
    assert found == whole
    assert len({each["id"] for each in found}) == 7
    values = [each[order.removeprefix("-")] for each in found]
    assert values == sorted(values, reverse=order.startswith("-"))


def test_a_page_goes_on_where_it_was_when_others_come(api, agent):
    for minutes in range(3):
        make(agent, f"s{minutes}", minutes)
    page = api.get(URL, limit=2).json()
    make(agent, "newer")

    assert ids(api, cursor=page["next"]) == "s2"


def test_an_empty_list_has_no_next(api):
    assert api.get(URL).json() == {"items": [], "next": None}


def test_it_asks_as_often_for_many_as_for_one(api, agent, django_assert_num_queries):
    for index in range(20):
        make(agent, f"s{index}", parent_session=Session.objects.first())
    api.get(URL)

    with django_assert_num_queries(3):
        assert len(api.get(URL).json()["items"]) == 20


def test_it_needs_a_key(anonymous):
    assert refusal(anonymous.get(URL)) == (401, "unauthenticated")


def test_a_reading_key_is_enough(agent):
    assert api_of(agent, "read").get(URL).status_code == 200


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("limit", 0),
        ("limit", 501),
        ("limit", "many"),
        ("limit", 10**30),
        ("order", "id"),
        ("status", "gone"),
        ("since", "yesterday"),
        ("since", "1700000000"),
        ("since", "0001-01-01T00:00:00+12:00"),
        ("since", "9999-12-31T23:59:59-12:00"),
        ("q", "x" * 501),
    ],
)
def test_a_filter_that_cannot_be_is_named(api, field, value):
    response = api.get(URL, **{field: value})

    assert refusal(response) == (422, "invalid")
    (wrong,) = response.json()["error"]["details"]["fields"]
    assert wrong["field"] == field


# Nonsense, then positions that are no such thing: "", [0], [1e99, 1], ["\0", 1].
CURSORS = ["x", "%%%", "ü", "IiI", "WzBd", "WzFlOTksMV0", "WyJcdTAwMDAiLDFd"]


@pytest.mark.parametrize("order", ["name", "-updated_at"])
@pytest.mark.parametrize("cursor", CURSORS)
def test_it_refuses_a_cursor_that_it_did_not_give(api, order, cursor):
    response = api.get(URL, order=order, cursor=cursor)

    assert refusal(response) == (422, "bad_cursor")


@pytest.mark.parametrize("since", ["0001-01-01T00:00:00", "1969-12-31", "9999-12-31"])
def test_any_year_will_do(api, since):
    assert api.get(URL, since=since).status_code == 200
