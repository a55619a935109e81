"""The page on spend: figures, bars a day, tables, and all of it as CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.http import HttpResponse, StreamingHttpResponse
from django.utils.timezone import now

from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import show
from sessions_app.dash.spend.chart import Chart, spend_chart
from sessions_app.dash.spend.ranges import PRESETS, Range, midnight, read_range
from sessions_app.dash.spend.tables import tables
from sessions_app.errors import Invalid
from sessions_app.models import Agent
from sessions_app.models.fields import to_millis
from sessions_app.services.spend.export import HEAD, ledger_days
from sessions_app.services.spend.groups import DAY, group_usage, total_usage
from sessions_app.services.spend.series import (
    series_of,
    slots,
    token_series,
    unpriced_models,
)

# What a mean of seven days looks back to.
MEAN = timedelta(days=6)

STACKS = {
    "model": "Model",
    "kind": "Token kind",
    "agent": "Agent",
    "purpose": "Purpose",
}
KINDS = {
    "input_tokens": "Uncached input",
    "output_tokens": "Output",
    "cache_read_tokens": "Cache read",
    "cache_write_tokens": "Cache write",
    "reasoning_tokens": "Reasoning",
}


@page(Role.VIEWER, nav="spend")
def spend(request: PageRequest) -> HttpResponse:
    shown = read_range(request.GET)
    by = request.GET.get("by", "model")
    if by not in STACKS:
        raise Invalid(f"by: must be one of {', '.join(STACKS)}", field="by")
    chart = chart_of(shown, by)
    models = chart if by == "model" else chart_of(shown, "model")
    context = {
        "range": shown,
        "presets": PRESETS,
        "stacks": STACKS,
        "by": by,
        "chart": chart,
        "tables": tables(shown, models.series),
        **figures(shown),
    }
    return show(request, "spend/spend.html", context)


def chart_of(shown: Range, by: str, *, width: int = 1240, height: int = 250) -> Chart:
    if by == "kind":
        tokens = token_series(hourly=shown.hourly, **shown.span)
        label = "Tokens over time, by kind"
        return spend_chart(
            tokens,
            shown,
            label=label,
            name_of=KINDS.__getitem__,
            unit="tokens",
            width=width,
            height=height,
        )
    names = dict(Agent.objects.values_list("id", "name")) if by == "agent" else {}
    return spend_chart(
        series_of(by=by, hourly=shown.hourly, **shown.span),
        shown,
        label=f"Cost over time, by {by}",
        name_of=lambda key: names.get(key, str(key or "not named")),
        width=width,
        height=height,
        before=() if shown.hourly else days_before(shown),
    )


def days_before(shown: Range) -> list[int]:
    """Return what was spent on each of the days that a mean of the first looks back to."""
    first = midnight(shown.since.date())
    span = {**shown.span, "since": first - MEAN, "until": first}
    found = series_of(by="purpose", **span)
    days = [to_millis(day) // DAY for day in slots(first - MEAN, first, DAY)]
    totals = [sum(costs.get(day, 0) for costs in found.values()) for day in days]
    # Days before the first that was ever paid for are no days without spend.
    return totals[next((at for at, cost in enumerate(totals) if cost), len(totals)) :]


def figures(shown: Range) -> dict[str, Any]:
    """Return the figures over the chart."""
    total, before = total_usage(**shown.span), total_usage(**shown.before)
    today = midnight(now().date())
    purposes = group_usage(by="purpose", **shown.span).groups
    compaction = [group.sums for group in purposes if group.key == "compaction"]
    week = total_usage(since=today - timedelta(days=7), until=today)
    return {
        "total": total,
        "past": before.cost_nanos,
        "today": total_usage(since=today, until=today + timedelta(days=1)),
        "week_mean": (week.cost_nanos or 0) // 7,
        "compaction": compaction[0] if compaction else None,
        "unpriced_models": unpriced_models(**shown.whole_days)
        if total.unpriced
        else [],
    }


@page(Role.VIEWER, nav="spend")
def spend_csv(request: PageRequest) -> StreamingHttpResponse:
    """Give the days' sums of the range, a line for each agent, model, purpose and key."""
    shown = read_range(request.GET)
    writer = csv.writer(_Echo())

    def lines() -> Iterator[str]:
        yield writer.writerow(HEAD)
        for row in ledger_days(**shown.whole_days):
            yield writer.writerow([_inert(value) for value in row])

    response = StreamingHttpResponse(lines(), content_type="text/csv; charset=utf-8")
    name = f"spend-{shown.since:%Y-%m-%d}-to-{shown.last_day:%Y-%m-%d}.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


class _Echo:
    """A file for the csv module that hands each line on."""

    def write(self, line: str) -> str:
        return line


def _inert(value: Any) -> Any:
    """Keep a spreadsheet from taking a name for a formula (OWASP, CSV injection)."""
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return "'" + value
    return value
