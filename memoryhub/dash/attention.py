"""What an operator should look at: the list on the overview, and the dot in the top bar."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta

from django.urls import reverse
from django.utils.timezone import now

from context_app.models import HeldWrite
from context_app.services.quarantine import held_writes_of
from memoryhub.services.doctor import urgent_checks
from sessions_app.dash.rendering.formatting import money, short_id
from sessions_app.models import Budget, Delivery, Job, Session
from sessions_app.services.jobs.rerunning import CANCELLED
from sessions_app.services.spend.budgets import states_of, title, with_names
from sessions_app.services.spend.series import unpriced_models

KEPT = 15.0  # seconds; the dot may be that late
MOST = 5  # of one kind are named, and the rest counted
DAYS = 30


@dataclass(frozen=True, slots=True)
class Matter:
    """Something to look at: ``level`` is "bad" (it failed) or "warn" (look soon)."""

    level: str
    icon: str
    title: str
    text: str
    url: str
    act: str


def failed_compactions() -> Iterator[Matter]:
    failed = Session.objects.living().exclude(compaction_failed_at=None)
    for session in failed.select_related("agent").order_by("-compaction_failed_at")[
        :MOST
    ]:
        name = session.name or short_id(session.key)
        yield Matter(
            "bad",
            "warning",
            "Compaction failed",
            f"{session.agent.name} · {name}. {session.compaction_error}",
            reverse("session-compactions", args=[session.pk]),
            "Open",
        )


def budgets_in_need() -> Iterator[Matter]:
    for standing in states_of(with_names().filter(active=True)):
        if standing.state == Budget.State.OK:
            continue
        over = standing.state == Budget.State.OVER
        limit = standing.budget.limit_nanos
        kind = "hard" if standing.budget.hard else "soft"
        yield Matter(
            "bad" if over else "warn",
            "gauge",
            f"{title(standing.budget)} is at {100 * standing.spent // limit}%",
            f"{money(standing.spent)} of {money(limit)}, a {kind} limit.",
            reverse("budgets"),
            "Budgets",
        )


def held_writes() -> Iterator[Matter]:
    count = held_writes_of(None).filter(state=HeldWrite.State.HELD).count()
    if count:
        yield Matter(
            "warn",
            "tag",
            f"{count} {'write' if count == 1 else 'writes'} in quarantine",
            "They look like prompt injection, and wait for an operator.",
            reverse("quarantine"),
            "Review",
        )


def failed_jobs() -> Iterator[Matter]:
    since = now() - timedelta(days=DAYS)
    failed = Job.objects.filter(finished_at__gte=since).exclude(error="")
    failed = failed.exclude(error__startswith=CANCELLED)
    count = failed.count()
    if count:
        newest = failed.order_by("-finished_at")[0]
        yield Matter(
            "bad",
            "warning",
            f"{count} {'job' if count == 1 else 'jobs'} failed for good",
            f"The last one, {newest.name}: {newest.error[:120]}",
            reverse("jobs") + "?state=failed",
            "Open",
        )


def undelivered() -> Iterator[Matter]:
    since = now() - timedelta(days=DAYS)
    count = Delivery.objects.filter(
        state=Delivery.State.FAILED, created_at__gte=since
    ).count()
    if count:
        yield Matter(
            "bad",
            "warning",
            f"{count} {'event was' if count == 1 else 'events were'} not delivered",
            "A webhook did not take them in a day of tries.",
            reverse("webhooks"),
            "Webhooks",
        )


def unpriced() -> Iterator[Matter]:
    models = unpriced_models(since=now() - timedelta(days=DAYS), limit=MOST)
    if models:
        count = sum(calls for _, calls in models)
        names = ", ".join(name or "no model" for name, _ in models)
        yield Matter(
            "warn",
            "tag",
            f"{count} {'call has' if count == 1 else 'calls have'} no price",
            f"Of {names}, in {DAYS} days. They are in no sum.",
            reverse("prices"),
            "Prices",
        )


def server_in_need() -> Iterator[Matter]:
    """The database, the disk, the backups and the job worker: see the doctor."""
    for check in urgent_checks():
        if check.state != "ok":
            text = f"{check.text[:1].upper()}{check.text[1:]}. {check.advice}"
            url = reverse("system")
            yield Matter(check.state, "warning", check.name, text, url, "System")


SOURCES: tuple[Callable[[], Iterator[Matter]], ...] = (
    failed_compactions,
    failed_jobs,
    undelivered,
    budgets_in_need,
    held_writes,
    unpriced,
    server_in_need,
)

_kept: list[tuple[float, int]] = []


def matters() -> list[Matter]:
    """Return what to look at, failures first."""
    found = [matter for source in SOURCES for matter in source()]
    _kept[:] = [(time.monotonic(), len(found))]
    return sorted(found, key=lambda matter: matter.level)


def count_attention() -> int:
    """Return how many matters there are, as of the last seconds."""
    if not _kept or time.monotonic() - _kept[0][0] > KEPT:
        matters()
    return _kept[0][1]
