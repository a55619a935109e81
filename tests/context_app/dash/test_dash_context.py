"""The Context tab: the answer of the API, folded, with what can be chosen and why."""

from __future__ import annotations

import re
from html import unescape

import pytest

from context_app.models import Prompt
from sessions_app.services.forest.creating import create_session
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.registry.agents import create_agent
from tests.blocks import block
from tests.builders import append, compact, draft, say, talk

PIECE = {"HX-Request": "true"}


def url(session, rest=""):
    return f"/sessions/{session.id}/context{rest}"


def page(client, session, rest="", **headers):
    response = client.get(url(session, rest), headers=headers)
    return response, response.content.decode()


def shown_json(body):
    """Return the JSON of a page as text, folds as they are told."""
    (found,) = re.findall(r'aria-label="JSON">(.*?)</div>\n', body, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]+>", "", found))


def test_the_whole_is_what_the_api_returns(viewer, api, session):
    block(session, "memory", "Likes <b>tea</b>")
    talk(session, "a b c d e f g h i j k l")
    api.get("/sessions/trip/prompt")

    for name in ("anthropic", "openai-chat", "raw"):
        there = api.get("/sessions/trip/context", format=name)
        here = viewer.get(f"/sessions/{session.id}/context.json?format={name}")
        assert here.content == there.content

        _, body = page(viewer, session, f"?format={name}&whole=1")
        text = re.sub(r"\s", "", shown_json(body))
        assert text == re.sub(r"\s", "", there.content.decode())


def test_looking_does_not_freeze_the_prompt(viewer, session):
    block(session, "memory", "Likes tea")
    talk(session, "a b")

    _, body = page(viewer, session)

    assert not Prompt.objects.exists()
    assert "No prompt is frozen yet" in body
    assert "once the first call has frozen the prompt" in body


@pytest.mark.parametrize(
    "name",
    [
        "ai-sdk",
        "ai-sdk-model",
        "openai-chat",
        "openai-responses",
        "anthropic",
        "gemini",
        "workers-ai",
        "langchain",
        "raw",
    ],
)
def test_every_format_can_be_chosen(viewer, session, name):
    talk(session, "a b")

    response, body = page(viewer, session, f"?format={name}")

    assert response.status_code == 200
    assert f'<option value="{name}"' in body
    assert f'"format": "{name}"' in shown_json(body)


def test_a_long_stretch_is_folded_with_its_range(viewer, session):
    append(session, *(draft(f"message number {n}", f"m{n}") for n in range(1, 101)))

    response, body = page(viewer, session, "?format=ai-sdk")

    assert "94 messages" in body
    assert "#3 to #96" in body
    assert "message number 50" not in body
    assert len(response.content) < 100_000


def test_a_fold_opens_in_place_and_without_a_script(viewer, session):
    append(session, *(draft(f"message number {n}", f"m{n}") for n in range(1, 101)))
    _, body = page(viewer, session)
    (part,) = re.findall(r'hx-get="([^"]*open=messages-2-96)"', body)

    opened = viewer.get(unescape(part), headers=PIECE).content.decode()

    assert "message number 3&quot;" in opened
    assert "message number 42&quot;" in opened
    assert "54 messages" in opened
    assert "<html" not in opened
    _, whole = page(viewer, session, "?open=messages-2-96")
    assert "message number 42&quot;" in whole


def test_a_long_text_is_cut_and_opens(viewer, session):
    say(session, "x" * 5_000 + "THE END", uid="long")

    _, body = page(viewer, session)
    assert "4,507 more characters" in body
    assert "THE END" not in body

    opened = viewer.get(url(session, "/part?open=message-0")).content.decode()
    assert "THE END" in opened


@pytest.mark.parametrize(
    "opened",
    [
        "nothing",
        "messages-9-1",
        "messages-0-999999",
        "message-77",
        "messages",
        "-",
        "m--1",
    ],
)
def test_what_is_not_there_opens_nothing(viewer, session, opened):
    talk(session, "a b")

    assert viewer.get(url(session, f"/part?open={opened}")).status_code == 200
    assert page(viewer, session, f"?open={opened}")[0].status_code == 200


@pytest.mark.parametrize(
    "query",
    ["window=x", "window=0", "max_tokens=-1", "keep_recent=1e3", "format=nope",
     "strategy=nope", "window=3&max_tokens=3", "strategy=simple&window=3",
     "window=99999999999999999999"],
)  # fmt: skip
def test_a_question_without_an_answer_keeps_the_form(viewer, session, query):
    talk(session, "a b")

    response, body = page(viewer, session, f"?{query}")

    assert response.status_code == 422
    assert "This cannot be shown." in body
    assert '"strategy": "simple"' in shown_json(body)


def test_a_leaf_that_is_not_there_is_not_found(viewer, session):
    talk(session, "a b")

    assert page(viewer, session, "?leaf=z")[0].status_code == 404
    assert viewer.get("/sessions/999/context").status_code == 404


def test_a_window_shows_less(viewer, session):
    talk(session, "a b c d e f")

    _, body = page(viewer, session, "?strategy=sliding_window&window=2&format=raw")

    assert '"e"' in body.replace("&quot;", '"')
    assert '"text": "d"' not in shown_json(body)


def test_a_summary_is_marked_and_has_its_share(viewer, session):
    append(session, *(draft(f"message number {n}", f"m{n}") for n in range(1, 9)))
    compact(session, "m2", "m6", "What was said about the harbour")

    _, body = page(viewer, session)

    assert re.search(r'<div class="jl summary">.*harbour', body)
    assert re.search(r"Summary</span><span><b>[1-9]", body)


def test_repairs_lead_to_their_messages(viewer, session):
    call = {
        "type": "tool-look",
        "toolCallId": "c1",
        "state": "input-available",
        "input": {},
    }
    append(session, draft("a", "a"), draft("b", "b", role="assistant", parts=[call]))
    say(session, "c")

    _, body = page(viewer, session, "?format=anthropic")

    assert "orphan_call" in body
    assert f'href="/sessions/{session.id}?msg=b">#2</a>' in body
    assert "nothing is rewritten" in body


def test_texts_are_escaped(viewer, session):
    probe = "</span><script>alert(1)</script>"
    block(session, "memory", probe)
    say(session, probe, uid='"><img src=x onerror=alert(2)>')
    session.name = probe
    session.save()

    for rest in (
        "",
        "?whole=1",
        "?format=openai-chat",
        "?open=system",
        "/part?open=message-0",
    ):
        _, body = page(viewer, session, rest)
        assert "<script>alert" not in body
        assert "<img src=x" not in body


def test_the_command_has_no_key_in_it(viewer, session):
    talk(session, "a")

    _, body = page(viewer, session, "?format=gemini")

    assert "Bearer $KEY" in body
    assert "http://testserver/api/v1/sessions/trip/context?format=gemini" in body


def test_htmx_gets_the_piece_and_a_new_branch_the_page(viewer, session):
    talk(session, "a b")
    say(session, "c", parent="a")
    here = f"http://testserver{url(session)}"

    headers = {**PIECE, "HX-Current-URL": here}
    response, body = page(viewer, session, "?format=gemini", **headers)
    assert "<html" not in body
    assert response["HX-Push-Url"] == url(session, "?format=gemini")

    response, body = page(viewer, session, "?leaf=b", **headers)
    assert response["HX-Redirect"] == url(session, "?leaf=b")


def test_a_fork_shows_what_it_shares(viewer, session):
    talk(session, "alpha beta gamma")
    other = fork_session(session=session, key="other", at="beta")

    _, body = page(viewer, other)

    assert "alpha" in body
    assert "gamma" not in body


def test_an_empty_session(viewer, session):
    response, body = page(viewer, session)

    assert response.status_code == 200
    assert '"messages": []' in shown_json(body)


def test_strangers_are_sent_to_log_in(client, session):
    for rest in ("", "/part", ".json"):
        assert client.get(url(session, rest))["Location"].startswith("/login")


def test_its_queries(viewer, session, django_assert_num_queries):
    talk(create_session(agent=create_agent("other"), key="o"), "a b")
    append(session, *(draft(f"message number {n}", f"m{n}") for n in range(1, 101)))
    page(viewer, session)

    with django_assert_num_queries(25):
        page(viewer, session)
