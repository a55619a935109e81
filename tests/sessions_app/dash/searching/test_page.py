from __future__ import annotations

import re
import sys

import pytest
from django.utils.timezone import now

from context_app.authors import operator as by_operator
from context_app.models import Block
from context_app.services.creating import create_block
from context_app.services.entries import set_entry
from sessions_app.models import Message, Session
from sessions_app.services.forest.creating import create_session
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.registry.sessions import check_out
from tests.builders import say

PROBE = '<img src=x onerror="alert(1)">'


def page_of(client, query, status=200):
    response = client.get(f"/search?{query}")
    assert response.status_code == status
    return response.content.decode()


def links(page):
    """Return where the hits lead, from the top."""
    return [
        link.replace("&amp;", "&")
        for link in re.findall(r'<a class="hit" data-row href="([^"]*)"', page)
    ]


def test_nobody_else_searches(client, db):
    assert client.get("/search?q=x")["Location"] == "/login?next=/search%3Fq%3Dx"


def test_a_hit_is_marked_and_shown_with_what_it_answers(viewer, session):
    say(session, "Can you watch the theme?", uid="1")
    say(session, "I watch it all day", uid="2", role="assistant")

    page = page_of(viewer, "q=all+watching")

    assert links(page) == [f"/sessions/{session.pk}?msg=2"]
    assert "I <mark>watch</mark> it <mark>all</mark> day" in page
    assert "User: Can you watch the theme?" in page
    assert "1 hit in 1 session" in page
    assert "#2" in page


def test_what_a_user_asked_is_shown_with_the_answer(viewer, session):
    say(session, "Zebra?", uid="1")
    say(session, "Yes.", uid="2", role="assistant")

    assert "Assistant: Yes." in page_of(viewer, "q=zebra")


def test_a_hit_beside_the_main_path_opens_on_its_branch(viewer, session):
    say(session, "root", uid="1")
    say(session, "zebra", uid="2")
    say(session, "below", uid="a/b?&", parent="2")
    say(session, "other", uid="4", parent="1")
    check_out(session=session, uid="4")

    page = page_of(viewer, "q=zebra")

    assert links(page) == [f"/sessions/{session.pk}?leaf=a%2Fb%3F%26&msg=2"]
    assert "another branch" in page


def test_what_forks_inherit_is_shown_once_and_found_in_the_fork(viewer, session):
    say(session, "zebra", uid="1")
    fork = fork_session(session=session, key="fork", name="fork")

    assert links(page_of(viewer, "q=zebra")) == [f"/sessions/{session.pk}?msg=1"]
    assert len(links(page_of(viewer, f"q=zebra&session={fork.pk}"))) == 1


def test_hits_are_grouped_by_lineage(viewer, agent):
    top = create_session(agent=agent, key="top", name="The top")
    below = create_session(agent=agent, key="low", name="The low", parent_session=top)
    other = create_session(agent=agent, key="other", name="The other")
    for number in range(3):
        say(top, f"zebra {number}", uid=f"t{number}")
        say(below, f"zebra {number}", uid=f"b{number}")
    say(other, "zebra in a longer text than the others have", uid="o")

    page = page_of(viewer, "q=zebra")

    assert page.count('class="card hit-group"') == 2
    assert "7 hits in 3 sessions" in page
    assert "3 more in this session" in page
    assert "in The low" in page
    alone = page_of(viewer, f"q=zebra&group={top.pk}")
    assert len(links(alone)) == 6
    assert "more in this session" not in alone


def test_narrowing_down(viewer, agent, stranger):
    ours = create_session(agent=agent, key="ours")
    theirs = create_session(agent=stranger, key="theirs")
    say(ours, "zebra one", uid="1")
    say(ours, "zebra two", uid="2", role="assistant")
    say(theirs, "zebra three", uid="3")
    Message.objects.filter(uid="1").update(created_at=now().replace(year=2020))

    def found(query):
        return sorted(link[-1] for link in links(page_of(viewer, f"q=zebra&{query}")))

    assert found("") == ["1", "2", "3"]
    assert found("agent=support") == ["1", "2"]
    assert found(f"session={theirs.pk}") == ["3"]
    assert found("role=assistant") == ["2"]
    assert found("when=24h") == ["2", "3"]
    assert found("until=2021-01-01") == ["1"]
    assert found("since=2021-01-01") == ["2", "3"]
    assert found("in=blocks") == []


def test_more_hits_follow_on_the_next_page(viewer, agent, monkeypatch):
    monkeypatch.setattr("sessions_app.dash.searching.page.GROUPS", 2)
    monkeypatch.setattr("sessions_app.dash.searching.page.ALONE", 2)
    for number in range(3):
        made = create_session(agent=agent, key=f"s{number}")
        say(made, "zebra", uid=f"m{number}")
    for number in range(4):
        say(made, f"zebra again {number}", uid=f"n{number}")

    def walk(query):
        found: list[int] = []
        start: int | None = 0
        while start is not None:
            page = page_of(viewer, f"{query}&start={start}")
            found.append(len(links(page)))
            match = re.search(r'rel="next" href="[^"]*start=(\d+)', page)
            start = int(match[1]) if match else None
        return found

    assert sorted(walk("q=zebra")) in ([1, 4], [2, 3])
    assert walk(f"q=zebra&session={made.pk}") == [2, 2, 1]


def test_more_than_are_looked_at_is_said(viewer, session, monkeypatch):
    monkeypatch.setattr("sessions_app.services.searching.pages.BEST", 2)
    for number in range(3):
        say(session, f"zebra {number}", uid=str(number))

    assert "There are more" in page_of(viewer, "q=zebra")


def note(owner, label, key, content, *, shared=False):
    author = by_operator("ada")
    made = create_block(
        owner=owner, label=label, kind=Block.Kind.SEARCH, shared=shared, author=author
    )
    assert isinstance(made, Block)
    set_entry(block=made, key=key, content=content, author=author)


def test_entries_of_blocks_lead_to_their_block(viewer, session):
    note(session, "my notes", "a&b", "The zebra is striped")
    note(session.agent, "all", "c", "A zebra again", shared=True)

    page = page_of(viewer, "q=zebra")

    assert sorted(links(page)) == [
        "/blocks?agent=support&block=all&entry=c",
        f"/sessions/{session.pk}/blocks?block=my%20notes&entry=a%26b",
    ]
    assert "2 hits in 2 block entries" in page
    assert len(links(page_of(viewer, f"q=zebra&session={session.pk}"))) == 2
    assert links(page_of(viewer, "q=zebra&in=messages")) == []


def test_the_trash_is_not_searched(viewer, session):
    note(session, "notes", "k", "zebra")
    say(session, "zebra", uid="1")
    Session.objects.update(trashed_at=now())

    assert links(page_of(viewer, "q=zebra")) == []
    page_of(viewer, f"q=zebra&session={session.pk}", status=404)


def test_blank_no_match_and_error_do_not_look_alike(viewer, session):
    assert "Search all that was said" in page_of(viewer, "")
    assert "There is no word in this query" in page_of(viewer, "q=%3F%21")
    assert "Nothing matches “zebra”" in page_of(viewer, "q=zebra&role=user")
    refused = page_of(viewer, "q=-zebra", status=422)
    assert "This query cannot be answered" in refused
    assert 'value="-zebra"' in refused


def test_the_slow_way_is_said(viewer, session, monkeypatch):
    say(session, "zebra", uid="1")
    say(session, "horse", uid="2")

    assert "looked up one by one in all 2 texts" in page_of(viewer, "q=*ebr*")
    # The package has a function of the module's name.
    monkeypatch.setattr(sys.modules["sessions_app.search.find"], "SCANNED", 1)
    assert "older ones were left out" in page_of(viewer, "q=*ebr*")


@pytest.mark.parametrize(
    "query", ["when=1y", "in=here", "session=x", "group=-1", "since=now", "start=x"]
)
def test_nonsense_is_refused(viewer, session, query):
    page_of(viewer, f"q=x&{query}", status=422)


@pytest.mark.parametrize("query", ["session=99", "agent=nobody"])
def test_what_is_not_there_is_a_404(viewer, session, query):
    page_of(viewer, f"q=x&{query}", status=404)


def test_texts_are_escaped(viewer, agent):
    made = create_session(agent=agent, key="k", name=PROBE)
    say(made, f"zebra {PROBE}", uid="1")
    say(made, PROBE, uid=PROBE, role="<b>")

    for query in ("q=zebra", "q=onerror", "q=%3Cimg+src%3E", "q=zebra&role=%3Cimg%3E"):
        assert "<img" not in page_of(viewer, query)


def test_the_statements_do_not_grow_with_the_hits(
    viewer, agent, django_assert_num_queries
):
    for number in range(12):
        made = create_session(agent=agent, key=f"s{number}")
        say(made, "zebra", uid="a")
        say(made, "zebra", uid="b")
        say(made, "zebra", uid="c", parent="a")
    viewer.get("/search?q=zebra")

    # Who asks (3); hits, messages, lineages, sessions, entries; texts, paths, branches,
    # neighbours and their words.
    with django_assert_num_queries(13):
        page_of(viewer, "q=zebra")
