"""Spend by model, agent, session and key: rows with a share and a sparkline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.safestring import SafeString

from sessions_app.dash.rendering.charts import sparkline
from sessions_app.dash.spend.chart import Series
from sessions_app.dash.spend.ranges import Range
from sessions_app.models import Session
from sessions_app.models.fields import to_millis
from sessions_app.services.spend.groups import DAY, Group, Grouped, group_usage
from sessions_app.services.spend.series import series_of, session_series, slots
from sessions_app.services.spend.sums import Sums, sum_of

ROWS = 10


@dataclass(slots=True)
class Row:
    name: str
    url: str
    css: str
    sums: Sums
    spark: SafeString | str = ""


@dataclass(slots=True)
class Table:
    title: str
    head: str
    rows: list[Row]
    total: Sums


def tables(shown: Range, colours: list[Series]) -> list[Table]:
    """Return the tables of the page; a model has the colour that it has in the chart."""
    css = {series.name: series.css for series in colours}
    models = group_usage(by="model", limit=ROWS, **shown.span)
    agents = group_usage(by="agent", limit=ROWS, **shown.span)
    sessions = group_usage(by="session", limit=ROWS, **shown.span)
    keys = group_usage(by="key", limit=ROWS, **shown.span)
    ids = [group.ref for group in sessions.groups if group.ref]
    days = {} if shown.hourly else _days(shown, ids)
    return [
        _table("By model", "Model", models, shown, days.get("model", {}), css),
        _table("By agent", "Agent", agents, shown, days.get("agent", {}), {}),
        _sessions(sessions, shown, days.get("session", {})),
        _table("By key", "Key", keys, shown, days.get("key", {}), {}),
    ]


def _days(shown: Range, sessions: list[int]) -> dict[str, Any]:
    found = {by: series_of(by=by, **shown.span) for by in ("model", "agent", "key")}
    return {**found, "session": session_series(sessions, **shown.span)}


def _table(
    title: str,
    head: str,
    grouped: Grouped,
    shown: Range,
    days: Mapping[Any, Mapping[int, int]],
    css: Mapping[str, str],
) -> Table:
    rows = [
        Row(
            name=_name(head, group),
            url=_url(head, group),
            css=css.get(group.key or "", ""),
            sums=group.sums,
            spark=_spark(shown, days.get(group.ref if group.ref else group.key, {})),
        )
        for group in grouped.groups
    ]
    return _with_rest(title, head, rows, grouped)


def _sessions(
    grouped: Grouped, shown: Range, days: Mapping[Any, Mapping[int, int]]
) -> Table:
    ids = [group.ref for group in grouped.groups if group.ref]
    names = dict(Session.objects.filter(id__in=ids).values_list("id", "name"))
    rows = [
        Row(
            name=(names.get(group.ref or 0) or group.key or "Sessions that are gone"),
            url=reverse("session-usage", args=[group.ref])
            if group.ref in names
            else "",
            css="",
            sums=group.sums,
            spark=_spark(shown, days.get(group.ref, {})),
        )
        for group in grouped.groups
    ]
    return _with_rest("By session", "Session", rows, grouped)


def _with_rest(title: str, head: str, rows: list[Row], grouped: Grouped) -> Table:
    if grouped.rest:
        rows.append(Row("All others", "", "others", grouped.rest))
    return Table(title, head, rows, sum_of(row.sums for row in rows))


def _name(head: str, group: Group) -> str:
    if group.key:
        return group.key
    return "Without a key" if head == "Key" else "Not named"


def _url(head: str, group: Group) -> str:
    if head == "Agent" and group.key:
        return reverse("sessions") + f"?agent={group.key}&order=-cost_nanos"
    return ""


def _spark(shown: Range, days: Mapping[int, int]) -> SafeString | str:
    if shown.hourly or not days:
        return ""
    places = slots(shown.since, shown.until, DAY)
    return sparkline([days.get(to_millis(place) // DAY, 0) for place in places])
