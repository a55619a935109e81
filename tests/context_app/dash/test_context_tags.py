"""The context window in the inspector, and the system prompt over a transcript."""

from __future__ import annotations

from django.template import Context, Template

from context_app.dash.panel import context_panel
from context_app.models import Prompt
from context_app.services.policies import set_policy
from context_app.services.prompts import freeze_prompt
from context_app.working_context import build_context
from sessions_app.models import Session
from tests.blocks import block
from tests.builders import compact, say, talk

PANEL = Template("{% context_panel session leaf %}")
ROW = Template("{% frozen_prompt_row session %}")


def shares(session, leaf):
    bar = context_panel(session, leaf)["bar"]
    return {part["name"]: part["tokens"] for part in bar["segments"]}


def test_the_panel_adds_up_to_what_the_model_is_sent(session):
    block(session, "memory", "Likes tea, and walks by the harbour")
    talk(session, "a b c d e f")
    compact(session, "b", "d", "What was said")
    sent = build_context(session=session)

    found = shares(session, "f")

    assert sum(found.values()) == sent.tokens.total
    assert found["Summary"] == sent.conversation.summary_tokens > 0
    assert found["System text"] + found["Blocks"] == sent.tokens.system
    assert found["Tools"] == sent.tokens.tools > 0


def test_another_branch_has_its_own_figures(session):
    talk(session, "a b c")
    compact(session, "a", "c", "What was said at length, for so few words")
    say(session, "d", parent="a")

    assert shares(session, "d")["Summary"] == 0
    assert shares(session, "c")["Summary"] > 0


def test_the_bar_is_scaled_to_the_threshold(session):
    talk(session, "a b c")
    total = context_panel(session, "c")["bar"]["total"]

    session.compact_after = 1_000
    assert context_panel(session, "c")["bar"]["free"] == 1_000 - total
    session.compact_after = 5
    assert context_panel(session, "c")["bar"]["over"] == total - 5
    session.compact_after = None
    assert context_panel(session, "c")["bar"]["free"] is None


def test_a_strategy_that_leaves_out_is_named(session):
    talk(session, "a")
    set_policy(agent=session.agent, strategy="sliding_window")
    session = Session.objects.get(id=session.id)

    assert "sliding_window" in PANEL.render(Context({"session": session, "leaf": "a"}))


def test_an_empty_session_has_a_panel(session):
    assert "Context window" in PANEL.render(Context({"session": session, "leaf": None}))


def test_the_row_tells_of_the_prompt_without_freezing_it(session):
    block(session, "memory", "Likes <b>tea</b>")

    before = ROW.render(Context({"session": session}))
    assert "not frozen yet" in before
    assert not Prompt.objects.exists()

    freeze_prompt(session=session)
    after = ROW.render(Context({"session": session}))
    assert "v1 · frozen" in after
    assert "Likes &lt;b&gt;tea" in after


def test_the_panel_is_cheap(session, django_assert_num_queries):
    block(session, "memory", "Likes tea")
    talk(session, "a b c")
    freeze_prompt(session=session)
    context_panel(session, "c", 5)

    with django_assert_num_queries(4):
        context_panel(session, "c", 5)


def test_a_fork_is_told_how_many_blocks_come_along(operator, session):
    block(session, "memory", "a")
    block(session, "human", "b")
    block(session.agent, "soul", "c", shared=True)
    talk(session, "a")
    html = operator.get(f"/sessions/{session.pk}/fork").content.decode()
    assert "Take the 2 blocks along" in html
