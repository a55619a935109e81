"""A database of very many sessions, as the list of them meets it."""

from __future__ import annotations

import random
from datetime import datetime, timedelta

from django.db import connection
from django.utils.timezone import now

from benchmarks.conversations import Conversation, fill
from sessions_app.models import Agent, Message, SearchDocument, Session
from sessions_app.services.forest.creating import create_session
from sessions_app.services.registry.agents import get_or_create_agent

LONG = 10_000
OTHERS = 5_000  # sessions that have a conversation, up to so many


def make(count: int) -> None:
    """Make sessions of 50 agents; one in twenty has a conversation, one a long one."""
    chance = random.Random(1)
    agents = [get_or_create_agent(f"agent-{number}") for number in range(50)]
    moment = now()
    made = [
        _session(
            number, agents[number % 50], moment - timedelta(minutes=number * 3), chance
        )
        for number in range(count)
    ]
    Session.objects.bulk_create(made, batch_size=1000)
    _make_lineage(count, chance)
    _make_conversations(min(count // 20, OTHERS))
    fill(
        create_session(agent=agents[0], key="long", name="The long one"),
        LONG,
        Conversation(seed=3),
    )
    connection.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _session(
    number: int, agent: Agent, moment: datetime, chance: random.Random
) -> Session:
    cost = chance.choice([None, int(chance.paretovariate(1) * 10_000_000)])
    return Session(
        agent=agent,
        key=f"session-{number}",
        name=f"What {chance.randrange(10**6)} is about, number {number}",
        kind=chance.choices(["chat", "sub-agent", "automation"], [6, 3, 1])[0],
        metadata={"user": number, **({"tags": ["vip"]} if number % 500 == 0 else {})},
        cost_nanos=cost,
        archived_at=moment if number % 20 == 3 else None,
        trashed_at=moment if number % 50 == 4 else None,
        compaction_failed_at=moment if number % 1000 == 5 else None,
        compaction_error="Summarizer answered 429" if number % 1000 == 5 else "",
        created_at=moment,
        updated_at=moment,
    )  # fmt: skip


def _make_lineage(count: int, chance: random.Random) -> None:
    children = list(Session.objects.filter(kind="sub-agent").only("pk")[: count // 10])
    parents = Session.objects.filter(kind="chat").values_list("pk", flat=True)[:500]
    for child in children:
        child.parent_session_id = chance.choice(parents)
    Session.objects.bulk_update(children, ["parent_session"], batch_size=500)


def _make_conversations(count: int) -> None:
    """Give the newest sessions four messages each, in two branches."""
    conversation = Conversation(seed=2)
    sessions = list(Session.objects.order_by("-updated_at")[:count])
    drafts = conversation.drafts(4 * count)
    first = 1
    messages, documents = [], []
    for number, session in enumerate(sessions):
        root = first + number * 4
        for step in range(4):
            draft = drafts[number * 4 + step]
            above = step - 1 if step < 3 else 1
            messages.append(
                Message(
                    id=root + step, session=session, uid=f"m{step}", role=draft.role,
                    parent_id=root + above if step else None,
                    skip=root if step else None,
                    depth=above + 1, tokens=draft.tokens, path_tokens=draft.tokens * (above + 2),
                    seq=step, body=draft.body,
                )
            )  # fmt: skip
            documents.append(
                SearchDocument(ref=root + step, session=session, text=draft.text)
            )
        session.head_id = root + 2
        session.message_count = session.next_seq = 4
    Message.objects.bulk_create(messages, batch_size=500)
    SearchDocument.objects.bulk_create(documents, batch_size=500)
    Session.objects.bulk_update(
        sessions, ["head", "message_count", "next_seq"], batch_size=500
    )
