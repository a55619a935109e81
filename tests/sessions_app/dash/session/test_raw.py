"""What is stored, as it is stored."""

from __future__ import annotations

import json

import pytest
from django.urls import reverse

from sessions_app.services.forest.forks import fork_session
from tests.builders import append, compact, draft, fresh, say, talk

pytestmark = pytest.mark.django_db


def address(session, **query) -> str:
    return reverse("session-raw", args=[session.pk], query=query)


def lines(response) -> list[str]:
    content = b"".join(response.streaming_content).decode()
    return [json.loads(line)["id"] for line in content.splitlines()]


def test_messages_stand_as_they_were_sent(session, viewer):
    say(session, "hello", extra={"kept": [1.50, True]})
    page = viewer.get(address(session)).content.decode()
    assert "&quot;kept&quot;" in page
    assert "Session row and metadata" in page


def test_pages_go_on_without_a_gap(session, viewer):
    append(session, *(draft(f"m{n}", f"m{n}") for n in range(50)))
    page = viewer.get(address(session)).content.decode()
    assert "Message #31 as JSON" in page
    assert "Message #30 as JSON" not in page
    older = viewer.get(
        address(session, start="m29"), headers={"HX-Request": "true"}
    ).content.decode()
    assert "Message #30 as JSON" in older
    assert "Message #10 as JSON" not in older
    assert "<html" not in older


def test_what_a_compaction_covers_is_there(session, viewer):
    talk(session, "a b c d")
    compact(session, "b", "c")
    page = viewer.get(address(session)).content.decode()
    assert page.count("as JSON lines") == 1
    assert "Message #2 as JSON" in page


def test_the_path_is_downloaded_as_lines(session, viewer):
    append(session, *(draft(f"m{n}", f"m{n}") for n in range(450)))
    talk(session, "x y", parent="m1")
    answer = viewer.get(address(session, leaf="y", download=1))
    assert lines(answer) == ["m0", "m1", "x", "y"]
    answer = viewer.get(address(session, leaf="m449", download=1))
    assert lines(answer) == [f"m{n}" for n in range(450)]
    assert answer["Content-Type"] == "application/x-ndjson"
    assert "attachment" in answer["Content-Disposition"]


def test_a_fork_downloads_what_it_inherits(session, viewer):
    talk(session, "a b c")
    fork = fork_session(session=session, at="b", name="fork")
    talk(fork, "x")
    assert lines(viewer.get(address(fork, download=1))) == ["a", "b", "x"]


def test_one_message_alone_is_whole(session, viewer):
    say(session, "y" * 50_000, uid="long")
    say(session, "short")
    page = viewer.get(address(session)).content.decode()
    assert "y" * 5_000 not in page
    assert "Show all" in page
    alone = viewer.get(address(session, msg="long")).content.decode()
    assert "y" * 50_000 in alone


def test_nothing_in_it_is_markup(session, viewer):
    session.name = "</title><script>alert(1)</script>"
    session.metadata = {"<script>": "</pre><script>alert(2)</script>"}
    session.save()
    say(session, "</pre><script>alert(3)</script>", uid='"><script>alert(4)</script>')
    assert "<script>alert" not in viewer.get(address(session)).content.decode()


@pytest.mark.parametrize("query", ["leaf", "msg", "start"])
def test_what_is_not_there(session, viewer, query):
    talk(session, "a b")
    assert viewer.get(address(session, **{query: "nothing"})).status_code == 404


def test_a_page_that_is_on_another_branch(session, viewer):
    talk(session, "a b")
    talk(session, "x", parent="a")
    assert viewer.get(address(session, leaf="x", start="b")).status_code == 422


def test_an_empty_session(session, viewer):
    assert "No messages yet" in viewer.get(address(session)).content.decode()
    assert lines(viewer.get(address(session, download=1))) == []


def test_who_may_see_it(session, client, viewer):
    assert client.get(address(session)).url.startswith("/login")
    assert viewer.post(address(session)).status_code == 405


def test_queries(session, viewer, django_assert_max_num_queries):
    append(session, *(draft(f"m{n}", f"m{n}") for n in range(30)))
    fresh(session)
    with django_assert_max_num_queries(24):
        viewer.get(address(session))
