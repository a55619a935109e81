from __future__ import annotations

import re

import pytest
from django.test import Client

from sessions_app.models import Session
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.registry.sessions import check_out
from tests.builders import append, compact, draft, fresh, talk


def numbers(response) -> list[int]:
    """Return which messages a page shows, by their numbers."""
    return [int(each) for each in re.findall(r'id="m(\d+)"', response.content.decode())]


def address(session: Session) -> str:
    return f"/sessions/{session.pk}"


@pytest.fixture
def long(session: Session) -> Session:
    talk(session, " ".join(f"w{number}" for number in range(1, 201)))
    return fresh(session)


def test_it_opens_at_the_head(viewer: Client, long: Session) -> None:
    response = viewer.get(address(long))

    assert numbers(response) == list(range(151, 201))
    assert "150 messages" in response.content.decode()
    assert "data-live" in response.content.decode()


def test_a_message_is_shown_with_what_is_around_it(
    viewer: Client, long: Session
) -> None:
    response = viewer.get(address(long), {"msg": "w100"})

    assert numbers(response) == list(range(76, 126))
    assert re.search(
        r'class="[^"]* selected[^"]*" id="m100"', response.content.decode()
    )
    assert "data-live" not in response.content.decode()


def test_older_and_newer_messages_come_as_pieces(viewer: Client, long: Session) -> None:
    older = viewer.get(f"{address(long)}/rows", {"before": "w151"})
    newer = viewer.get(f"{address(long)}/rows", {"after": "w125"})

    assert numbers(older) == list(range(101, 151))
    assert "100 messages" in older.content.decode()
    assert numbers(newer) == list(range(126, 176))
    assert "25 messages" in newer.content.decode()
    assert "<html" not in older.content.decode()


def test_the_same_works_without_scripts(viewer: Client, long: Session) -> None:
    assert numbers(viewer.get(address(long), {"before": "w51"})) == list(range(1, 51))


def test_a_message_of_another_branch_leads_there(
    viewer: Client, session: Session
) -> None:
    talk(session, "a b c d")
    talk(session, "x y", parent="b")
    check_out(session=session, uid="d")

    response = viewer.get(address(session), {"msg": "x"})

    assert response.context["transcript"].path.leaf.uid == "y"
    assert response.context["keep"] == "leaf=y&"
    assert "another branch" in response.content.decode()


def test_a_branch_point_has_a_chip(viewer: Client, session: Session) -> None:
    talk(session, "a b c d")
    talk(session, "x y", parent="b")

    html = viewer.get(address(session)).content.decode()

    assert "<b>2/2</b>" in html
    assert 'href="?msg=c#m3"' in html
    assert f"{address(session)}/compare?a=y&amp;b=c" in html


def test_a_compaction_is_a_band_that_opens(viewer: Client, session: Session) -> None:
    talk(session, "a b c d e")
    band = compact(session, "b", "c", "What was **said**")

    folded = viewer.get(address(session))
    opened = viewer.get(address(session), {"open": band.uid})
    linked = viewer.get(address(session), {"msg": "c"})

    assert numbers(folded) == [4, 5]
    assert "What was <strong>said</strong>" in folded.content.decode()
    assert numbers(opened) == [2, 3, 4, 5]
    assert numbers(linked) == [2, 3]


def test_a_fork_shows_what_it_shares(viewer: Client, long: Session) -> None:
    fork = fork_session(session=long, at="w60")
    talk(fork, "mine")

    assert numbers(viewer.get(address(fork))) == list(range(12, 62))
    assert numbers(viewer.get(address(fork), {"msg": "w5"})) == list(range(1, 31))


def test_nothing_yet(viewer: Client, session: Session) -> None:
    assert "No messages yet" in viewer.get(address(session)).content.decode()


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ({"msg": "no"}, 404),
        ({"leaf": "no"}, 404),
        ({"before": "no"}, 404),
        ({"after": "d", "leaf": "y"}, 422),
        ({"before": "a"}, 200),
        ({"after": "d"}, 200),
        ({"open": "no"}, 200),
        ({"msg": "compaction_no"}, 404),
        ({"leaf": "no\x00"}, 422),
    ],
)
def test_odd_addresses(
    viewer: Client, session: Session, query: dict[str, str], status: int
) -> None:
    talk(session, "a b c d")
    talk(session, "x y", parent="b")
    check_out(session=session, uid="d")

    assert viewer.get(address(session), query).status_code == status


def test_pieces_that_are_not_there(viewer: Client, session: Session) -> None:
    talk(session, "a")
    place = address(session)

    assert viewer.get(f"{place}/rows").status_code == 404
    assert viewer.get(f"{place}/part", {"msg": "a", "part": "9"}).status_code == 404
    assert viewer.get(f"{place}/part", {"msg": "a", "part": "x"}).status_code == 404
    assert viewer.get(f"{place}/part", {"msg": "no", "part": "0"}).status_code == 404
    assert viewer.get("/sessions/999999").status_code == 404


def test_anonymous_is_sent_to_log_in(client: Client, session: Session) -> None:
    response = client.get(address(session))

    assert response.status_code == 302
    assert response["Location"].startswith("/login")


def test_long_texts_are_cut_and_come_whole(viewer: Client, session: Session) -> None:
    append(session, draft("word " * 4_000, "a"))

    page = viewer.get(address(session)).content.decode()
    piece = viewer.get(f"{address(session)}/part", {"msg": "a", "part": "0"})

    assert page.count("word ") < 1_200
    assert "Show all" in page
    assert piece.content.decode().count("word") == 4_000


def test_ten_thousand_messages(
    viewer: Client, session: Session, django_assert_max_num_queries
) -> None:
    for start in range(0, 10_000, 1_000):
        numbered = range(start, start + 1_000)
        append(session, *(draft("some words " * 200, f"m{n}") for n in numbered))
    viewer.get(address(session))

    # Some of them again: what weighs too much is read as a smaller window.
    with django_assert_max_num_queries(66):
        response = viewer.get(address(session))
    assert len(response.content) < 100_000
    with django_assert_max_num_queries(76):
        response = viewer.get(address(session), {"msg": "m5000"})
    assert len(response.content) < 100_000
    with django_assert_max_num_queries(24):
        viewer.get(f"{address(session)}/rows", {"before": "m5000"})
