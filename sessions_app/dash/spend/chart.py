"""Spend over time as stacked bars, and the same numbers for the table beneath."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.utils.safestring import SafeString
from django.utils.timezone import now

from sessions_app.dash.rendering.charts import (
    MOST_SERIES,
    Column,
    bar_chart,
    running_mean,
    series_names,
)
from sessions_app.dash.rendering.formatting import money, short_count
from sessions_app.dash.spend.ranges import Range
from sessions_app.models.fields import to_millis
from sessions_app.services.spend.groups import DAY, HOUR
from sessions_app.services.spend.series import slots

# Under so many bars there is room for a label.
LABEL_EVERY = {24: 6, 7: 1, 30: 5, 90: 14}

Numbers = Mapping[Any, Mapping[int, int]]


@dataclass(slots=True)
class Series:
    """A series of the chart: its class, its name, its total."""

    css: str
    name: str
    total: int


@dataclass(slots=True)
class Chart:
    svg: SafeString
    series: list[Series]
    rows: list[tuple[str, list[int], int]]
    unit: str

    @property
    def total(self) -> int:
        return sum(series.total for series in self.series)


def spend_chart(
    numbers: Numbers,
    shown: Range,
    *,
    label: str,
    name_of: Callable[[Any], str],
    unit: str = "money",
    width: int = 1240,
    height: int = 250,
    before: Sequence[int] = (),
) -> Chart:
    """
    Draw the numbers of ``series_of``: the largest five series, and the others as one.

    ``before`` are the totals of the days before, for the mean of the first ones.
    """
    size = HOUR if shown.hourly else DAY
    places = slots(shown.since, shown.until, size)
    # What is all of unknown price has no bar, and no colour to take from others.
    priced = [item for item in numbers.items() if any(item[1].values())]
    ranked = sorted(priced, key=lambda item: -sum(item[1].values()))
    kept, others = ranked[:MOST_SERIES], ranked[MOST_SERIES:]
    names = [name_of(key) for key, _ in kept]
    if others:
        names.append(f"{len(others)} others")
    css = series_names(len(ranked)) if others else series_names(len(kept))
    values = [_values(place, size, kept, others) for place in places]
    totals = [sum(column) for column in values]
    say = money if unit == "money" else short_count
    every = LABEL_EVERY.get(len(places), max(1, len(places) // 6))
    columns = [
        Column(
            title=_title(place, hourly=shown.hourly),
            label=_label(place, len(places) - 1 - number, every, hourly=shown.hourly),
            values=values[number],
            is_now=_is_now(place, hourly=shown.hourly),
        )
        for number, place in enumerate(places)
    ]
    svg = bar_chart(
        columns,
        name="spend",
        label=label,
        mean=None if shown.hourly else running_mean([*before, *totals])[len(before) :],
        width=width,
        height=height,
        unit=say,
    )
    series = [
        Series(css[number], name, sum(column[number] for column in values))
        for number, name in enumerate(names)
    ]
    rows = [
        (column.title, list(column.values), column.total)
        for column in reversed(columns)
    ]
    return Chart(svg, series, rows, unit)


def _values(
    place: datetime,
    size: int,
    kept: list[tuple[Any, Mapping[int, int]]],
    others: list[tuple[Any, Mapping[int, int]]],
) -> list[int]:
    slot = to_millis(place) // size
    values = [found.get(slot, 0) for _, found in kept]
    if others:
        values.append(sum(found.get(slot, 0) for _, found in others))
    return values


def _title(place: datetime, *, hourly: bool) -> str:
    return f"{place:%-d %b %H:%M} UTC" if hourly else f"{place:%-d %b %Y}"


def _label(place: datetime, back: int, every: int, *, hourly: bool) -> str:
    """Return what stands beneath a bar, counted back from the last one."""
    if back % every:
        return ""
    if hourly:
        return f"{place:%H:%M}"
    return "Today" if place.date() == now().date() else f"{place:%-d %b}"


def _is_now(place: datetime, *, hourly: bool) -> bool:
    at = now()
    if hourly:
        return place <= at < place + timedelta(hours=1)
    return place.date() == date(at.year, at.month, at.day)
