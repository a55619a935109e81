from __future__ import annotations

from datetime import timedelta
from importlib import import_module

import pytest
from django.utils.timezone import now

from sessions_app.models import Message, SearchDocument, Session
from sessions_app.models.fields import to_millis
from sessions_app.search import Scope
from sessions_app.search.backends import backend
from sessions_app.services.forest.creating import create_session
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.registry.sessions import clear_session, delete_session
from sessions_app.services.searching import find_messages
from sessions_app.services.writing.editing import put_message
from tests.builders import draft, fresh, say

EVERYWHERE = Scope()


def find(text, scope=EVERYWHERE, **options):
    """Return the ids of what is found, in the order of the alphabet."""
    hits = find_messages(text=text, scope=scope, **options).hits
    return " ".join(sorted(hit.message for hit in hits))


def whole(session):
    """Return the scope of a session, with what it inherits."""
    session = fresh(session)
    return Scope(session=session.id, path=session.fork_point_id)


def path(session, uid):
    return Scope(path=Message.objects.get(session=session, uid=uid).id)


def test_it_works(session):
    say(session, "The deployment is on Friday, with budget concerns", uid="m1")
    say(session, "Something else", uid="m2")

    found = find_messages(text="friday", scope=EVERYWHERE)

    (hit,) = found.hits
    assert (hit.session, hit.agent, hit.message) == ("trip", "support", "m1")
    assert (hit.role, hit.kind) == ("user", "message")
    assert hit.snippet == ("The deployment is on \x02Friday\x03, with budget concerns")
    assert hit.content == "The deployment is on Friday, with budget concerns"
    assert hit.created_at == session.messages.get(uid="m1").created_at
    assert (found.more, found.complete, found.scanned) == (False, True, 0)


@pytest.mark.parametrize("text", ["", "   ", "zzz", "...", "*"])
def test_nothing_is_found(session, text):
    say(session, "Something", uid="m1")

    found = find_messages(text=text, scope=EVERYWHERE)

    assert (found.hits, found.more) == ([], False)


def test_the_best_comes_first(session):
    say(session, "budget " + "and many other words " * 20, uid="m1")
    say(session, "budget budget", uid="m2")

    hits = find_messages(text="budget", scope=EVERYWHERE).hits

    assert [hit.message for hit in hits] == ["m2", "m1"]
    assert hits[0].score > hits[1].score


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("friday", "m1 m2"),
        ("friday budget", "m1"),
        ('"budget friday"', ""),
        ('"the budget"', "m1"),
        ("friday -budget", "m2"),
        ("friday -budget -other", ""),
        ("-budget friday", "m2"),
        ('friday -"the budget"', "m2"),
        ("budget OR other", "m1 m2"),
        ("bud*", "m1"),
        ("*udg*", "m1"),
        ("friday *udg*", "m1"),
        ("friday -*udg*", "m2"),
        ("*udg* -friday", ""),
        ("*rida* -budget", "m2"),
        ("*UDG*", "m1"),
        ("bu", ""),
    ],
)
def test_queries(session, text, found):
    say(session, "On Friday the budget is due", uid="m1")
    say(session, "Other things on friday", uid="m2")

    assert find(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("部署", "m1"),
        ("星期五", "m1 m2"),
        ("部署安排在星期五", "m1"),
        ("部署 星期五", "m1"),
        ("星期五 -部署", "m2"),
        ("预算 OR 部署", "m1"),
        ("部", "m1"),
        ("カレー", "m3"),
        ("カレ", "m3"),
        ("budget 星期五", "m2"),
        ("budget -星期五", ""),
        ('"在星期五"', "m1"),
        ("五星期", ""),
    ],
)
def test_cjk(session, text, found):
    say(session, "部署安排在星期五", uid="m1")
    say(session, "星期五 budget", uid="m2")
    say(session, "今日はカレーです", uid="m3")

    assert find(text) == found


def test_percent_signs_are_no_wildcards(session):
    say(session, "100% sure", uid="m1")
    say(session, "100 times sure", uid="m2")

    assert find('*"0% s"*') == "m1"
    assert find('*"0_ s"*') == ""


def test_tools_are_found(session):
    part = {"type": "tool-weather", "input": {"city": "Oslo"}, "output": "rainy"}
    say(session, "", uid="m1", parts=[part])

    assert find("weather") == find("oslo") == find("rainy") == "m1"


def test_the_scope_of_a_path(session):
    for uid, parent in [("a", None), ("b", "a"), ("c", "b"), ("d", "a")]:
        say(session, "word", uid=uid, parent=parent)

    assert find("word", path(session, "b")) == "a b"
    assert find("word", path(session, "d")) == "a d"
    assert find("*wor*", path(session, "d")) == "a d"


def test_the_scope_of_a_session(agent, session):
    say(session, "word", uid="a")
    say(create_session(agent=agent), "word", uid="b")

    assert find("word", whole(session)) == "a"


def test_the_scope_of_an_agent(session, stranger):
    say(session, "word", uid="a")
    say(create_session(agent=stranger), "word", uid="theirs")

    assert find("word", Scope(agent=session.agent_id)) == "a"
    assert find("*wor*", Scope(agent=session.agent_id)) == "a"
    assert find("word", Scope(agent=stranger.id)) == "theirs"
    assert find("word") == "a theirs"


def test_a_fork_finds_what_it_inherits(session):
    for uid in "abc":
        say(session, "word", uid=uid)
    fork = fork_session(session=session, at="b")
    say(fork, "word", uid="x")

    assert find("word", whole(fork)) == "a b x"
    assert find("*wor*", whole(fork)) == "a b x"
    assert find("word", path(fork, "x")) == "a b x"
    assert find("word", whole(session)) == "a b c"


def test_a_shared_message_is_found_once(session):
    say(session, "word", uid="a")
    for _ in range(3):
        fork_session(session=session)

    assert find("word") == "a"


def test_forks_that_came_apart_both_have_it(session):
    say(session, "word", uid="a")
    fork = fork_session(session=session)

    put_message(session=session, draft=draft("other", "a"))

    assert find("word", whole(session)) == ""
    assert find("other", whole(session)) == "a"
    assert find("word", whole(fork)) == "a"


def test_roles(session):
    say(session, "word", uid="a", role="user")
    say(session, "word", uid="b", role="assistant")

    assert find("word", Scope(role="assistant")) == "b"
    assert find("*wor*", Scope(role="assistant")) == "b"
    assert find("word", Scope(role="tool")) == ""


def test_dates(session):
    moment = now()
    for days, uid in enumerate("abc"):
        say(session, "word", uid=uid)
        at = moment + timedelta(days=days)
        session.messages.filter(uid=uid).update(created_at=at)
    second, third = (to_millis(moment + timedelta(days=days)) for days in (1, 2))

    assert find("word", Scope(since=second)) == "b c"
    assert find("word", Scope(until=second)) == "a"
    assert find("word", Scope(since=second, until=third)) == "b"
    assert find("*wor*", Scope(since=second, until=third)) == "b"


def test_an_expired_session_is_not_found(agent, session):
    say(session, "word", uid="a")
    other = create_session(agent=agent, ttl_seconds=100)
    say(other, "word", uid="b")
    assert find("word") == "a b"

    Session.objects.filter(id=other.id).update(expires_at=now())

    assert find("word") == find("*wor*") == "a"


def test_a_fork_outlives_the_session_that_it_comes_from(session):
    say(session, "word", uid="a")
    fork = fork_session(session=session)

    Session.objects.filter(id=session.id).update(expires_at=now())

    assert find("word", whole(fork)) == "a"
    assert find("*wor*", whole(fork)) == "a"


def test_pages(session):
    for i in range(5):
        say(session, "word", uid=f"m{i}")

    pages = [
        find_messages(text="word", scope=EVERYWHERE, limit=2, offset=offset)
        for offset in (0, 2, 4, 6)
    ]

    assert [[hit.message for hit in page.hits] for page in pages] == [
        ["m4", "m3"], ["m2", "m1"], ["m0"], [],
    ]  # fmt: skip
    assert [page.more for page in pages] == [True, True, False, False]


def test_a_scan_says_how_much_it_read(session, monkeypatch):
    for i in range(5):
        say(session, "word", uid=f"m{i}")

    whole_scan = find_messages(text="*wor*", scope=EVERYWHERE)
    monkeypatch.setattr(import_module("sessions_app.search.find"), "SCANNED", 3)
    part = find_messages(text="*wor*", scope=EVERYWHERE)

    assert (whole_scan.scanned, whole_scan.complete) == (5, True)
    assert (part.scanned, part.complete) == (3, False)
    assert [hit.message for hit in part.hits] == ["m4", "m3", "m2"]


def test_what_was_deleted_is_not_found(agent, session):
    other = create_session(agent=agent)
    say(session, "word", uid="a")
    say(other, "word", uid="b")

    clear_session(session=session)
    delete_session(session=other)

    assert find("word") == find("*wor*") == ""
    backend().check()


def test_what_is_no_message_is_not_taken_for_one(session):
    message = say(session, "word", uid="a")
    SearchDocument.objects.create(
        kind="entry", ref=message.id, session=session, text="another thing"
    )

    assert find("another") == ""
    assert find("another", path(session, "a")) == ""


def test_clearing_leaves_what_is_no_message(session):
    say(session, "word", uid="a")
    SearchDocument.objects.create(kind="entry", ref=1, session=session, text="kept")

    clear_session(session=session)
    assert [document.text for document in SearchDocument.objects.all()] == ["kept"]

    delete_session(session=session)
    assert not SearchDocument.objects.exists()


def test_the_index_is_made_anew(session):
    say(session, "word", uid="a")
    say(session, "部署安排", uid="b")

    backend().rebuild()

    backend().check()
    assert find("word") == "a"
    assert find("部署安") == "b"
