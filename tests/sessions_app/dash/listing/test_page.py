from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.utils.timezone import now

from sessions_app.models import Session
from sessions_app.services.forest.creating import create_session
from sessions_app.services.forest.forks import fork_session
from tests.builders import say, talk

PROBE = '<img src=x onerror="alert(1)">'


def names(client, query="", **headers):
    """Return the names in the list, from the top."""
    response = client.get(f"/sessions{query}", headers=headers)
    assert response.status_code == 200
    page = response.content.decode()
    return re.findall(r'class="name cut"[^>]*>([^<]*)<', page)


def link(page, rel):
    found = re.search(rf'rel="{rel}" href="([^"]*)"', page)
    return found[1].replace("&amp;", "&") if found else None


def make(agent, *all_names, **fields):
    return [
        create_session(agent=agent, key=f"key-{name}", name=name, **fields)
        for name in all_names
    ]


def test_nobody_else_sees_the_list(client, db):
    response = client.get("/sessions")

    assert response.status_code == 302
    assert response["Location"] == "/login?next=/sessions"


def test_a_row_shows_what_was_said_first_and_last(viewer, session):
    say(session, "How do I center a div?", uid="1")
    say(session, "Use flexbox.", uid="2", role="assistant")
    say(session, "Use a table.", uid="3", role="assistant", parent="1")

    page = viewer.get("/sessions").content.decode()

    assert "How do I center a div?" in page
    assert "Use a table." in page
    assert "Use flexbox." not in page
    assert "2 branches" in page


def test_a_fork_is_shown_with_what_it_shares(viewer, session):
    say(session, "The very first words", uid="1")
    fork_session(session=session, key="fork", name="The fork")

    page = viewer.get("/sessions?q=key").content.decode()
    assert "No session matches these filters" in page
    page = viewer.get("/sessions?q=The+fork").content.decode()
    assert "The very first words" in page
    assert ">fork</span>" in page


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["b", "a"]),
        ("?sort=name", ["a", "b"]),
        ("?sort=-name", ["b", "a"]),
        ("?sort=created", ["a", "b"]),
        ("?sort=-cost", ["a", "b"]),
        ("?sort=cost", ["b", "a"]),
        ("?sort=-messages", ["a", "b"]),
        ("?sort=-context", ["a", "b"]),
        ("?q=A", ["a"]),
        ("?q=key-b", ["b"]),
        ("?q=some+wor", ["a"]),
        ("?q=other", []),
        ("?q=-", ["b", "a"]),
        ("?agent=support", ["b", "a"]),
        ("?agent=nobody", []),
        ("?kind=automation", ["b"]),
        ("?cost=1.50", ["a"]),
        ("?cost=3", []),
        ("?tag=gr%C3%BCn", ["a"]),
        ("?tag=gr", []),
        ("?status=archived", ["c"]),
        ("?status=trash", ["d"]),
        ("?status=all", ["c", "b", "a"]),
        ("?failed=1", ["b"]),
        ("?branched=1", ["a"]),
        ("?within=24h", ["b", "a"]),
        ("?until=2020-01-01", []),
        ("?since=2020-01-01", ["b", "a"]),
    ],
)
def test_filters_and_sorts(viewer, agent, query, expected):
    a, b, c, d = make(agent, "a", "b", "c", "d")
    say(a, "some words", uid="1")
    say(a, "and", uid="2")
    say(a, "other", uid="3", parent="1")
    Session.objects.filter(pk=a.pk).update(
        cost_nanos=2_000_000_000, metadata={"tags": ["grün"]}
    )
    Session.objects.filter(pk=b.pk).update(
        kind="automation", compaction_failed_at=now(), compaction_error="429"
    )
    Session.objects.filter(pk=c.pk).update(archived_at=now())
    Session.objects.filter(pk=d.pk).update(trashed_at=now())
    for number, each in enumerate((a, b, c, d)):
        moment = now() - timedelta(minutes=10 - number)
        Session.objects.filter(pk=each.pk).update(updated_at=moment)

    assert names(viewer, query) == expected


def test_a_line_whose_head_was_moved_up_has_no_branches(viewer, session):
    talk(session, "one two three")
    Session.objects.update(head=session.messages.get(uid="one"))

    assert "No session matches" in viewer.get("/sessions?branched=1").content.decode()


def test_a_fork_that_goes_on_beside_its_point_has_branches(viewer, session):
    talk(session, "one two")
    fork = fork_session(session=session, key="fork", name="fork")
    say(fork, "three", parent="one")

    assert names(viewer, "?branched=1") == ["fork"]


@pytest.mark.parametrize("sort", ["-active", "cost", "-cost", "name", "-messages"])
def test_pages_go_on_in_both_directions(viewer, agent, monkeypatch, sort):
    monkeypatch.setattr("sessions_app.dash.listing.page.PAGE", 3)
    made = make(agent, *"abcdefgh")
    for number, each in enumerate(made):
        cost = None if number < 3 else number // 2
        Session.objects.filter(pk=each.pk).update(cost_nanos=cost)
    whole: list[str] = []
    pages: list[tuple[str, list[str]]] = []
    query: str | None = f"?sort={sort}"
    while query:
        page = viewer.get(f"/sessions{query}").content.decode()
        pages.append((query, names(viewer, query)))
        whole += pages[-1][1]
        query = link(page, "next")
    assert sorted(whole) == list("abcdefgh")
    assert "7 to 8 of 8" in page

    back = link(page, "prev")
    assert back
    assert names(viewer, back) == pages[1][1]
    assert "4 to 6 of 8" in viewer.get(f"/sessions{back}").content.decode()


def test_lineage_folds_what_stands_below(viewer, agent):
    (top,) = make(agent, "top")
    (middle,) = make(agent, "middle", parent_session=top, kind="sub-agent")
    make(agent, "low", parent_session=middle)

    assert names(viewer, "?view=lineage") == ["top"]
    assert "1 below" in viewer.get("/sessions?view=lineage").content.decode()
    opened = f"?view=lineage&open={top.pk}"
    assert names(viewer, opened) == ["top", "middle", "low"]
    assert 'class="level-2"' in viewer.get(f"/sessions{opened}").content.decode()


def test_what_stands_below_the_trash_is_not_lost_from_the_lineage(viewer, agent):
    (top,) = make(agent, "top")
    make(agent, "child", parent_session=top)
    Session.objects.filter(pk=top.pk).update(trashed_at=now())

    assert names(viewer, "?view=lineage") == ["child"]


def test_empty_and_no_match_do_not_look_alike(viewer, db):
    assert "No sessions yet" in viewer.get("/sessions").content.decode()
    no_match = viewer.get("/sessions?q=x&kind=chat").content.decode()
    assert "No session matches these filters" in no_match
    assert "of the kind chat" in no_match
    trash = viewer.get("/sessions?status=trash").content.decode()
    assert "The trash is empty" in trash


@pytest.mark.parametrize(
    "query",
    [
        "sort=color", "status=gone", "within=1y", "cost=cheap", "cost=-1", "cost=NaN",
        "since=yesterday", "since=9999-12-31&until=9999-12-31", "after=x", "after=1:x",
        "after=999999999999999999999:1", "after=9000000000000000000:1", "open=x", "n=-1",
        "view=graph", "sort=cost&after=abc:1",
    ],
)  # fmt: skip
def test_nonsense_is_refused(viewer, session, query):
    response = viewer.get(f"/sessions?{query}")

    assert response.status_code == 422
    assert "request <code>" in response.content.decode()


@pytest.mark.parametrize(
    "query", ["q=%01", "q=%22", "tag=%25", "q='\"%20OR%201", "n=9"]
)
def test_odd_text_finds_nothing_or_something_but_does_not_fail(viewer, session, query):
    assert viewer.get(f"/sessions?{query}").status_code == 200


def test_texts_are_escaped(viewer, agent):
    (made,) = make(agent, PROBE, source=PROBE)
    say(made, PROBE, uid="1")
    Session.objects.update(metadata={"tags": [PROBE]}, compaction_error=PROBE)

    for query in ("", "?tag=%3Cimg+src%3Dx%3E", "?q=%3Cimg", "?agent=%3Cimg%3E"):
        page = viewer.get(f"/sessions{query}").content.decode()
        assert "<img" not in page


def test_htmx_gets_the_list_alone(viewer, session):
    page = viewer.get("/sessions", headers={"HX-Request": "true"}).content.decode()

    assert "<html" not in page
    assert "trip" not in page or "<table" in page
    assert 'id="sessions-count" hx-swap-oob="true"' in page


def test_above_a_bound_they_are_not_counted(viewer, agent, monkeypatch):
    monkeypatch.setattr("sessions_app.dash.listing.page.PAGE", 1)
    monkeypatch.setattr("sessions_app.dash.listing.page.COUNTED", 2)
    monkeypatch.setattr(
        "sessions_app.dash.listing.page.count_up_to", lambda found: found[:3].count()
    )
    make(agent, *"abcd")

    page = viewer.get("/sessions").content.decode()

    assert "1 to 1 of more than 2" in page


def test_the_statements_do_not_grow_with_the_rows(
    viewer, agent, django_assert_num_queries
):
    viewer.get("/sessions")
    for number in range(12):
        (made,) = make(agent, f"s{number}")
        say(made, "a", uid="a")
        say(made, "b", uid="b")
        say(made, "c", uid="c", parent="a")

    # Who asks (3), the page, the agents, first inputs, words, leaves.
    with django_assert_num_queries(8):
        assert len(names(viewer)) == 12
    # And what is below each.
    with django_assert_num_queries(9):
        assert len(names(viewer, "?view=lineage")) == 12
