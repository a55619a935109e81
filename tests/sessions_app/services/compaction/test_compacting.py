from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection, transaction

from sessions_app.models import Compaction, Session
from sessions_app.services.compaction.automatic import queue
from sessions_app.services.compaction.compacting import compact
from sessions_app.services.compaction.overlays import StalePlan
from sessions_app.services.compaction.plans import plan_compaction, step_of
from sessions_app.services.compaction.summarizers import (
    Call,
    Summary,
    UnknownSummarizer,
    choose,
)
from sessions_app.services.forest.history import read_history
from sessions_app.services.registry.sessions import check_out
from sessions_app.services.spend.spending import record_usage
from sessions_app.services.spend.usage import Tokens
from sessions_app.services.writing.editing import put_message
from sessions_app.summaries.chunks import cautious_tokens
from sessions_app.summaries.extractive import summarize
from sessions_app.tokens import text_tokens
from tests.builders import append, context_tokens, draft, fresh, say, seen, talk
from tests.builders import compact as cover
from tests.compacting import UIDS, answers, configure, fill, run
from tests.llm_server import llm_server, says


@pytest.fixture(autouse=True)
def _settings(settings):
    configure(settings)


@pytest.fixture
def session(session):
    return fill(session)


# The plan


def test_the_plan(session):
    plan = plan_compaction(session=session)

    assert (plan.first, plan.last, plan.count, plan.planned_at) == ("d", "h", 5, "j")
    assert plan.tokens == 5 * 101
    assert plan.budget_tokens == 101
    assert plan.prompt.count("[user]\nword word") == 5
    assert "about 101 tokens" in plan.prompt


def test_the_plan_of_a_session_without_a_threshold(agent, session):
    Session.objects.filter(id=session.id).update(compact_after=None)
    assert plan_compaction(session=fresh(session)) is None

    agent.compact_after = 500
    agent.save()
    assert plan_compaction(session=fresh(session)).last == "h"


def test_the_plan_of_another_branch(session):
    talk(session, "x y", parent="a")

    plan = plan_compaction(session=fresh(session), leaf="j")

    assert (plan.first, plan.last, plan.planned_at) == ("d", "h", "j")
    assert plan_compaction(session=fresh(session)) is None


def test_the_plan_of_an_empty_session(agent, db):
    empty = Session.objects.create(agent=agent, key="empty")

    assert plan_compaction(session=empty) is None


def test_a_plan_fits_into_one_prompt(session, settings):
    settings.SUMMARIZER_PROMPT_TOKENS = 600

    plan = plan_compaction(session=session)

    assert (plan.first, plan.last) == ("d", "e")
    assert cautious_tokens(plan.prompt) <= 600
    assert plan_compaction(session=session, prompts=None).last == "h"


def test_older_summaries_are_in_the_plan(session):
    cover(session, "d", "e", "first things")

    plan = plan_compaction(session=fresh(session))

    assert (plan.first, plan.last, plan.count) == ("d", "h", 5)
    assert "<earlier_summary>\nfirst things\n" in plan.prompt
    assert plan.prompt.count("[user]") == 3


# Compacting


def test_it_works(session):
    before = context_tokens(session)

    made = compact(session=session, created_by="me")

    assert (made.first.uid, made.last.uid) == ("d", "h")
    assert (made.method, made.model, made.created_by) == ("extractive", "", "me")
    assert made.cost_nanos is None
    assert text_tokens(made.summary) <= 101
    assert context_tokens(session) < before - 350
    assert compact(session=fresh(session)) is None


def test_a_model_is_asked(session, settings):
    prompt = plan_compaction(session=session).prompt

    with llm_server(says("  What was said \n")) as server:
        settings.SUMMARIZER_URL = server.url + "/"
        made = compact(session=session)

    assert (made.summary, made.method, made.model) == (
        "What was said",
        "openai",
        "small-1",
    )
    assert server.paths == ["/v1/chat/completions"]
    assert server.headers[0]["authorization"] == "Bearer sk-very-secret"
    assert server.requests[0]["model"] == "small"
    assert server.prompts == [prompt]
    assert seen(session) == "a b c C[What was said] i j"


def test_its_usage_is_in_the_ledger(session, settings):
    with llm_server(says("S")) as server:
        settings.SUMMARIZER_URL = server.url
        made = compact(session=session)

    row = session.usage_rows.get()
    assert (row.purpose, row.provider, row.model) == ("compaction", "openai", "small-1")
    assert (row.input_tokens, row.cache_read_tokens) == (200, 1000)
    assert (row.output_tokens, row.reasoning_tokens) == (60, 30)
    assert json.loads(row.raw)["prompt_tokens"] == 1200
    assert fresh(session).input_tokens == 200
    assert made.cost_nanos == row.cost_nanos


def test_a_long_middle_is_summed_up_in_several_steps(session, settings):
    settings.SUMMARIZER_PROMPT_TOKENS = 1000
    append(session, *(draft("word " * 500, f"x{number}") for number in range(3)))
    with llm_server(says("S1"), says("S2"), says("S3"), says("S4")) as server:
        settings.SUMMARIZER_URL = server.url
        made = compact(session=fresh(session))

    assert 2 <= len(server.prompts) <= 4
    assert made.summary == f"S{len(server.prompts)}"
    assert all(cautious_tokens(prompt) <= 1000 for prompt in server.prompts)
    assert "<earlier_summary>\nS1\n" in server.prompts[1]
    assert session.usage_rows.count() == len(server.prompts)


def test_a_hundred_thousand_tokens_are_compacted_in_the_end(session, settings):
    settings.SUMMARIZER_PROMPT_TOKENS = 1500
    append(session, *(draft(f"word{n} " * 100, f"x{n}") for n in range(200)))
    with llm_server(says("S")) as server:
        settings.SUMMARIZER_URL = server.url
        queue(session.id)
        job = run()

    assert (job.error, fresh(session).compaction_error) == ("", "")
    assert len(seen(session).split()) <= 6
    shown = "".join(server.prompts)
    assert all(f"word{n} " in shown for n in range(198))


def test_the_cost_where_it_is_known(session, monkeypatch):
    def priced(**fields):
        row, new, budgets = record_usage(**fields)
        row.cost_nanos = 5
        return row, new, budgets

    def summarize(steps, budget, note):
        note(Call("m", Tokens(input_tokens=1)))
        note(Call("m", Tokens(input_tokens=1)))
        return Summary("S", "m")

    monkeypatch.setattr(
        "sessions_app.services.compaction.compacting.record_usage", priced
    )

    assert compact(session=session, summarizer=summarize).cost_nanos == 10


def test_nothing_to_do(agent, session):
    few = Session.objects.create(agent=agent, key="few", compact_after=29)
    talk(few, "a b c d e")

    assert compact(session=few, summarizer="extractive") is None
    assert fresh(few).compaction_tried == 5 * 6


@pytest.mark.parametrize("name", ["none", "openai"])
def test_an_unknown_summarizer(session, name):
    with pytest.raises(UnknownSummarizer):
        compact(session=session, summarizer=name)


def test_which_summarizer(settings):
    assert choose() == "extractive"
    settings.SUMMARIZER_URL = "http://127.0.0.1:1/v1"
    assert choose() == "openai"
    assert choose("extractive") == "extractive"
    settings.SUMMARIZER = "extractive"
    assert choose() == "extractive"


# What changes meanwhile


def test_a_session_that_goes_on_meanwhile(session):
    made = compact(
        session=session, summarizer=answers("S", lambda: say(session, "more"))
    )

    assert made
    assert seen(session) == "a b c C[S] i j more"


def test_a_message_that_is_changed_meanwhile(session):
    """The summary no longer fits: another one is made."""
    texts = iter(["changed once"])

    def edit():
        for text in texts:
            put_message(session=session, draft=draft(text, "e"))

    made = compact(session=session, summarizer=answers("S", edit))

    assert made
    assert seen(session) == "a b c C[S] i j"


def test_a_session_that_never_stands_still(session):
    texts = iter(range(10))

    def edit():
        put_message(session=session, draft=draft(f"changed {next(texts)}", "e"))

    with pytest.raises(StalePlan):
        compact(session=session, summarizer=answers("S", edit))

    assert next(texts) == 2
    assert seen(session) == UIDS
    # It is no failure that somebody has to look at: the job comes back.
    assert fresh(session).compaction_error == ""


def test_a_branch_that_is_left_meanwhile(session):
    once = iter([1])

    def leave():
        for _ in once:
            check_out(session=session, uid="b")
            talk(session, " ".join(f"x{n}" for n in range(90)))

    compact(session=session, summarizer=answers("S", leave))

    assert seen(session, "j") == UIDS
    assert seen(session).startswith("a b x0 C[S] x")


def test_a_summary_that_another_makes_meanwhile(session):
    once = iter([1])

    def other():
        for _ in once:
            cover(session, "d", "h", "theirs")

    assert compact(session=session, summarizer=answers("S", other)) is None
    assert seen(session) == "a b c C[theirs] i j"


def test_no_transaction_is_open_while_a_summary_is_made(session):
    depth = len(connection.savepoint_ids)
    depths = []

    compact(
        session=session,
        summarizer=answers("S", lambda: depths.append(len(connection.savepoint_ids))),
    )

    assert depths == [depth]


def test_an_imported_session(agent):
    """The Pi excerpt of tests/data: all calls, files and requests are found."""
    path = Path(__file__).parents[3] / "data" / "pi-v3.jsonl"
    call_command(
        "import_sessions", str(path), "--agent", agent.name, stdout=io.StringIO()
    )
    session = Session.objects.filter(agent=agent).order_by("-message_count")[0]
    Session.objects.filter(id=session.id).update(compact_after=10)
    session = fresh(session)

    plan = plan_compaction(session=session)
    made = compact(session=session)

    assert made
    assert (made.first.uid, made.last.uid) == (plan.first, plan.last)
    assert made.summary.startswith("## Topic\n")
    assert text_tokens(made.summary) <= plan.budget_tokens
    steps = [step_of(step) for step in read_history(session, raw=True).steps]
    text = summarize(steps, 400)
    assert "- Where do the beans go?" in text
    assert "- Called read 1 time: plan.txt" in text


def test_it_is_one_transaction(session, monkeypatch):
    def fail(*args):
        raise RuntimeError

    monkeypatch.setattr(
        "sessions_app.services.compaction.overlays.tell_compacted", fail
    )
    with pytest.raises(RuntimeError), transaction.atomic():
        compact(session=session)

    assert not Compaction.objects.exists()
