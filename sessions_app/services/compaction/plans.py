"""What a session's next compaction is to cover, and what is to be summarised."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import orjson
from django.conf import settings

from sessions_app.models import Session
from sessions_app.planning import (
    MOST_BUDGET,
    Limits,
    Step,
    find_span,
    shorten,
    summary_budget,
)
from sessions_app.services.forest.history import Step as Seen
from sessions_app.services.forest.history import read_history
from sessions_app.summaries.chunks import SEPARATOR, cautious_tokens
from sessions_app.summaries.folding import split_previous
from sessions_app.summaries.prompts import FRAME_TOKENS, build_single_prompt
from sessions_app.summaries.rendering import render_all
from sessions_app.tokens import message_tokens

# Of a threshold, so that a compaction gets well below it: the first and the newest
# messages that stay, and the summary.
SHARE_OF_HEAD = 0.75
SHARE_OF_TAIL = 0.5
SHARE_OF_SUMMARY = 0.25


@dataclass(frozen=True, slots=True)
class Plan:
    """
    The steps that a summary of about ``budget_tokens`` is to stand for.

    ``fingerprint`` tells whether they are still the same; ``planned_at`` is the
    message that the path ended with.
    """

    steps: tuple[Step, ...]
    budget_tokens: int
    planned_at: str
    fingerprint: str

    @property
    def first(self) -> str:
        return self.steps[0].first

    @property
    def last(self) -> str:
        return self.steps[-1].last

    @property
    def count(self) -> int:
        """Return how many messages are covered, those beneath older summaries too."""
        return sum(step.count for step in self.steps)

    @property
    def tokens(self) -> int:
        return sum(step.tokens for step in self.steps)

    @property
    def prompt(self) -> str:
        """Return what to ask a model, in one prompt."""
        previous, texts = split_previous(self.steps)
        return build_single_prompt(
            SEPARATOR.join(texts),
            previous=previous,
            budget=self.budget_tokens,
            room=settings.SUMMARIZER_PROMPT_TOKENS,
        )


def plan_compaction(
    *, session: Session, leaf: str | None = None, prompts: int | None = 1
) -> Plan | None:
    """
    Return what to compact on the path to ``leaf``, by default the head, if anything.

    The plan is as long as fits into so many prompts; None sets no bound. What is left
    is for the next plan, which has this one's summary in it.

    :raises NotFound: if the session sees no message ``leaf``
    """
    history = read_history(session, leaf=leaf)
    steps = [step_of(seen) for seen in history.steps]
    span = find_span(steps, limits_of(session))
    if span is None or history.leaf is None:
        return None
    if prompts is not None:
        room = prompts * (settings.SUMMARIZER_PROMPT_TOKENS - FRAME_TOKENS)
        texts = render_all(steps[slice(*span)])
        sizes = [cautious_tokens(text) + cautious_tokens(SEPARATOR) for text in texts]
        span = shorten(steps, span, sizes, room)
    chosen = tuple(steps[slice(*span)])
    return Plan(
        steps=chosen,
        budget_tokens=_budget(session, sum(step.tokens for step in chosen)),
        planned_at=history.leaf,
        fingerprint=fingerprint(history.steps[slice(*span)]),
    )


def threshold_of(session: Session) -> int | None:
    """Return the tokens above which a session is compacted by itself; None: never."""
    own = session.compact_after
    return (session.agent.compact_after if own is None else own) or None


def limits_of(session: Session) -> Limits:
    """
    Return what a plan leaves alone: less of a tail where the threshold is low.

    A tail as large as the threshold would leave nothing to compact, and a head that
    fills it would keep the context above it for ever.
    """
    threshold, limits = threshold_of(session), Limits()
    if threshold is None:
        return limits
    tail = min(limits.tail_tokens, int(SHARE_OF_TAIL * threshold))
    head = int(SHARE_OF_HEAD * threshold)
    return Limits(limits.protect_head, tail, limits.min_tail, head)


def _budget(session: Session, tokens: int) -> int:
    threshold = threshold_of(session)
    if threshold is None:
        return summary_budget(tokens)
    return summary_budget(tokens, min(MOST_BUDGET, int(SHARE_OF_SUMMARY * threshold)))


def step_of(seen: Seen) -> Step:
    """Return a step of a history for a plan."""
    # As it was read when it was written, so that the tokens come out the same.
    message = orjson.loads(seen.body)
    compaction = seen.compaction
    if compaction is None:
        parts = message["parts"]
        return Step(message["id"], message["role"], parts, message_tokens(message))
    return Step(
        message["id"],
        message["role"],
        message["parts"],
        compaction.tokens_after,
        covers=(compaction.first_uid, compaction.last_uid),
        count=compaction.length,
    )


def fingerprint(steps: list[Seen]) -> str:
    """Return what is the same as long as every step still reads the same."""
    digest = hashlib.sha256()
    for step in steps:
        digest.update(f"{len(step.body)}\n{step.body}".encode())
    return digest.hexdigest()


def is_unchanged(session: Session, plan: Plan) -> bool:
    """
    Say whether what a plan covers still reads as it did.

    :raises NotFound: if the message that it was planned at is gone
    """
    now = read_history(
        session, leaf=plan.planned_at, start=plan.last, limit=len(plan.steps)
    )
    return fingerprint(now.steps) == plan.fingerprint
