"""
Compacting a session: plan, have it summed up, lay the summary over it.

The summary is made outside of any transaction, for it may take minutes. What it
covers is then looked at again: if it reads otherwise by now, the plan is made anew.
"""

from __future__ import annotations

import time

from django.db import transaction

from sessions_app.errors import BudgetExceeded, NotFound
from sessions_app.messages import summary_tokens
from sessions_app.models import Compaction, Session
from sessions_app.services.compaction.outcomes import (
    context_tokens,
    note_failure,
    note_tried,
)
from sessions_app.services.compaction.overlays import (
    BadRange,
    Overlap,
    StalePlan,
    add_compaction,
)
from sessions_app.services.compaction.plans import (
    Plan,
    is_unchanged,
    plan_compaction,
    threshold_of,
)
from sessions_app.services.compaction.summarizers import (
    MODELS,
    SUMMARIZERS,
    Call,
    Summarizer,
    SummarizerFailed,
    Summary,
    UnknownSummarizer,
    choose,
)
from sessions_app.services.forest.locking import lock_session
from sessions_app.services.jobs import job
from sessions_app.services.spend.spending import check_may_spend, record_usage

# How often a plan is made, when the session is changed while it is summed up.
ATTEMPTS = 2
# The most prompts for one compaction, so that a failure costs no more of them. What
# is longer takes several, each of which has the one before it in it.
PROMPTS = 4
# For how many seconds a job begins one compaction after another.
TURN = 150


def compact(
    *,
    session: Session,
    summarizer: str | Summarizer | None = None,
    created_by: str = "",
    key_id: int | None = None,
    only_if_due: bool = False,
) -> Compaction | None:
    """
    Compact a session's path, and return the compaction; None: there is nothing to do.

    ``only_if_due`` is for what nobody has asked for: it wants the context above its
    threshold, and a summary that makes it shorter. Never call it in a transaction
    with a summarizer that asks others. A summarizer's failure is noted with the session.
    ``key_id`` is the API key that what it costs counts to.

    :raises UnknownSummarizer: if there is none of that name, or it is not set up
    :raises SummarizerFailed: if no summary comes of it
    :raises BudgetExceeded: if it asks a model, and a hard budget is used up
    :raises StalePlan: if the session is changed again and again meanwhile
    :raises NotFound: if the session is deleted meanwhile
    """
    try:
        name = "custom" if callable(summarizer) else choose(summarizer)
        function = summarizer if callable(summarizer) else SUMMARIZERS[name]
        run = _Run(session, name, function, created_by, key_id, only_if_due=only_if_due)
        compaction = run.attempt()
    except (BudgetExceeded, SummarizerFailed, UnknownSummarizer) as error:
        note_failure(session, error.message)
        raise
    if compaction is None:
        note_tried(session)
    return compaction


class _Run:
    def __init__(
        self,
        session: Session,
        name: str,
        function: Summarizer,
        created_by: str,
        key_id: int | None,
        *,
        only_if_due: bool,
    ) -> None:
        self.session = session
        self.name = name
        self.function = function
        self.created_by = created_by
        self.key_id = key_id
        self.only_if_due = only_if_due
        # Of the calls until now, in billionths of a dollar.
        self.costs: list[int | None] = []

    def attempt(self) -> Compaction | None:
        for _ in range(ATTEMPTS):
            plan = plan_compaction(session=self.session, prompts=PROMPTS)
            if plan is None or not self._is_due():
                return None
            if self.name in MODELS:
                check_may_spend(self.session.id, self.key_id)
            summary = self.function(plan.steps, plan.budget_tokens, self._note_call)
            if self.only_if_due and summary_tokens(summary.text) >= plan.tokens:
                return None
            try:
                return self._commit(plan, summary)
            except (StalePlan, Overlap, BadRange):
                continue
        raise StalePlan(
            "The session was changed again and again while it was summed up"
        )

    def _is_due(self) -> bool:
        threshold = threshold_of(self.session)
        return not self.only_if_due or (
            threshold is not None and context_tokens(self.session) > threshold
        )

    def _note_call(self, call: Call) -> None:
        row, _, _ = record_usage(
            session=self.session,
            key_id=self.key_id,
            tokens=call.tokens,
            provider=self.name,
            model=call.model,
            purpose="compaction",
            latency_ms=call.latency_ms,
            raw=call.raw,
        )
        self.costs.append(row.cost_nanos)

    def _cost(self) -> int | None:
        known = [cost for cost in self.costs if cost is not None]
        return sum(known) if known and len(known) == len(self.costs) else None

    @transaction.atomic
    def _commit(self, plan: Plan, summary: Summary) -> Compaction:
        session = lock_session(self.session)
        try:
            unchanged = is_unchanged(session, plan)
        except NotFound as exc:
            raise StalePlan("What the plan was made on is gone") from exc
        if not unchanged:
            raise StalePlan("What the plan covers has changed")
        return add_compaction(
            session=session,
            summary=summary.text,
            first=plan.first,
            last=plan.last,
            planned_at=plan.planned_at,
            method=self.name,
            model=summary.model,
            cost_nanos=self._cost(),
            created_by=self.created_by,
        )


@job
def compact_session(
    *,
    session: int,
    summarizer: str | None = None,
    created_by: str = "auto",
    key_id: int | None = None,
    only_if_due: bool = True,
) -> None:
    """Compact a session until there is nothing more to do, or it is another job's turn."""
    end = time.monotonic() + TURN
    while time.monotonic() < end:
        living = Session.objects.living().select_related("agent")
        found = living.filter(id=session).first()
        if found is None:
            return
        try:
            done = compact(
                session=found,
                summarizer=summarizer,
                created_by=created_by,
                key_id=key_id,
                only_if_due=only_if_due,
            )
        except NotFound:
            # It was deleted meanwhile.
            return
        if done is None:
            return
