"""
Whatever is done to a session: each message of a path is to be seen in its history, or
is in what was summarised, as itself or within an older summary. And no call is seen
without its results.

The summarizer of these tests answers with the ids of what it was shown. For more
examples: pytest --hypothesis-profile=long
"""

from __future__ import annotations

import itertools
from contextlib import suppress
from random import Random

import orjson
import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sessions_app.models import Compaction, Session
from sessions_app.services.compaction.compacting import compact
from sessions_app.services.compaction.overlays import (
    Overlap,
    add_compaction,
    delete_compaction,
    update_compaction,
)
from sessions_app.services.compaction.summarizers import Summary
from sessions_app.services.forest.creating import create_session
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.forest.history import read_history
from sessions_app.services.forest.trees import leaves
from sessions_app.services.registry.agents import create_agent
from sessions_app.services.writing.deleting import delete_messages
from tests.builders import append, draft, fresh, uid_of

ACTIONS = st.sampled_from(
    ["talk"] * 4
    + ["compact"] * 4
    + ["fork", "branch", "switch", "rewrite", "take_away", "client", "delete"]
)


def ids(steps, budget, note):
    """Be a summarizer that forgets nothing."""
    return Summary(" ".join(map(shown, steps)))


def shown(step):
    return step.parts[0]["text"] if step.is_summary else step.id


class World:
    def __init__(self, random):
        self.random = random
        self.numbers = itertools.count()
        # So low that the tail is three or four messages.
        self.agent = create_agent("support", compact_after=50)
        self.sessions = [create_session(agent=self.agent, key="s")]
        # By the ids of calls: the ids of their results.
        self.groups: dict[str, list[str]] = {}

    def session(self) -> Session:
        return fresh(self.random.choice(self.sessions))

    def talk(self, session=None):
        """Append turns: a text, or a call with its results in the messages after it."""
        drafts = []
        for _ in range(self.random.randint(1, 5)):
            drafts += self.random.choice(
                [self.text, self.text, self.calls, self.whole]
            )()
        append(session or self.session(), *drafts)

    def uid(self):
        return f"m{next(self.numbers)}"

    def text(self):
        return [
            draft("some words", self.uid(), self.random.choice(["user", "assistant"]))
        ]

    def whole(self):
        part = {"type": "tool-read", "toolCallId": self.uid(), "input": {}, "output": 1}
        return [draft("", self.uid(), "assistant", parts=[part])]

    def calls(self):
        uid = self.uid()
        # Some models number their calls anew in each turn.
        names = [self.random.choice([f"{uid}-{n}", f"call_{n}"]) for n in range(3)]
        names = names[: self.random.randint(1, 3)]
        parts = [
            {"type": "tool-read", "toolCallId": name, "input": {}} for name in names
        ]
        results = [(self.uid(), name) for name in names]
        self.groups[uid] = [result for result, _ in results]
        answers = [
            draft("", result, "tool", parts=[
                {"type": "tool-result", "toolCallId": name, "output": "text"}
            ])
            for result, name in results
        ]  # fmt: skip
        return [draft("", uid, "assistant", parts=parts), *answers]

    def compact(self, session=None):
        return compact(session=session or self.session(), summarizer=ids)

    def fork(self):
        if len(self.sessions) < 4:
            self.sessions.append(fork_session(session=self.session()))

    def branch(self):
        """Go on from the end of another turn: not from the midst of a call."""
        session = self.session()
        path = self.path(session, None)
        inner = {
            uid for call, results in self.groups.items() for uid in [call, *results]
        }
        places = [uid for uid in path if uid not in inner]
        if places:
            append(session, *self.text(), parent=self.random.choice(places))

    def switch(self):
        session = self.session()
        for row in Compaction.objects.filter(session=session).order_by("?")[:1]:
            state = "active" if row.state == "disabled" else "disabled"
            with suppress(Overlap):
                update_compaction(session=session, uid=row.uid, state=state)

    def rewrite(self):
        """Make a summary longer than what it stands for."""
        session = self.session()
        for row in Compaction.objects.filter(session=session).order_by("?")[:1]:
            summary = row.summary + " edited" * self.random.randint(1, 60)
            update_compaction(session=session, uid=row.uid, summary=summary)

    def take_away(self):
        session = self.session()
        for row in Compaction.objects.filter(session=session).order_by("?")[:1]:
            delete_compaction(session=session, uid=row.uid)

    def client(self, session=None):
        """A client sums up a few turns of what it sees, whole ones."""
        session = session or self.session()
        path = self.path(session, None)
        inner = {
            uid for call, results in self.groups.items() for uid in [call, *results]
        }
        raw = [step for step in read_history(session).steps if not step.compaction]
        seen = [uid for uid in (uid_of(step.body) for step in raw) if uid not in inner]
        if not seen:
            return
        at = self.random.randrange(len(seen))
        first, last = path.index(seen[at]), path.index(seen[min(at + 1, len(seen) - 1)])
        with suppress(Overlap):
            add_compaction(
                session=session,
                first=path[first],
                last=path[last],
                summary=" ".join(path[first : last + 1]),
            )

    def delete(self):
        session = self.session()
        texts = [
            uid
            for uid in self.path(session, None)
            if uid not in self.groups
            and not any(uid in r for r in self.groups.values())
        ]
        if texts:
            delete_messages(session=session, uids=[self.random.choice(texts)])

    def path(self, session, leaf):
        steps = read_history(session, leaf=leaf, raw=True).steps
        return [uid_of(step.body) for step in steps]

    def check(self):
        for session in map(fresh, self.sessions):
            ends = [node.uid for node in leaves(session, before=None, limit=5)]
            for leaf in [None, *ends]:
                self.check_path(session, leaf)

    def check_path(self, session, leaf):
        path = self.path(session, leaf)
        seen, known = set(), []
        for step in read_history(session, leaf=leaf).steps:
            if step.compaction:
                known += step.compaction.summary.split()
            else:
                uid = uid_of(step.body)
                seen.add(uid)
                known.append(uid)
        # What was deleted since may be in a summary still.
        there = set(path)
        known = [uid for uid in known if uid != "edited"]
        assert [uid for uid in known if uid in there] == path
        for call, results in self.groups.items():
            on_path = [uid for uid in [call, *results] if uid in there]
            assert len(seen.intersection(on_path)) in (0, len(on_path))


@pytest.mark.django_db
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(program=st.lists(ACTIONS, max_size=30), seed=st.integers(0, 10**6))
def test_nothing_is_lost(program, seed):
    with transaction.atomic():
        world = World(Random(seed))
        world.talk()
        for action in program:
            getattr(world, action)()
            world.check()
        for session in world.sessions:
            done = 0
            while done < 10:
                world.talk(session)
                if done % 3 == 1:
                    world.client(fresh(session))
                done += world.compact(fresh(session)) is not None
            world.check()
        transaction.set_rollback(True)


def test_the_summaries_of_a_long_talk(session):
    """Ten compactions of one path: the last has every message but head and tail."""
    Session.objects.filter(id=session.id).update(compact_after=50)
    uids = [f"m{number}" for number in range(100)]
    for at in range(0, 100, 10):
        append(session, *(draft("some words", uid) for uid in uids[at : at + 10]))
        compact(session=fresh(session), summarizer=ids)

    steps = read_history(fresh(session)).steps

    assert Compaction.objects.filter(session=session).count() == 10
    heads, (summary,), tails = steps[:3], steps[3:4], steps[4:]
    assert [orjson.loads(step.body)["id"] for step in heads] == uids[:3]
    assert summary.compaction
    assert summary.compaction.summary.split() == uids[3 : -len(tails)]
    assert len(tails) == 3
