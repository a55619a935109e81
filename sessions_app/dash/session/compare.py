"""The page that shows two branches beside each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import show
from sessions_app.dash.reading import number_in
from sessions_app.dash.session.compare_figures import Calls, figures_of
from sessions_app.dash.session.head import find_session
from sessions_app.dash.session.transcript.rows import Row, build_rows
from sessions_app.models import Session
from sessions_app.services.browsing.comparisons import (
    NothingToCompare,
    Side,
    compare,
    read_entries,
)
from sessions_app.services.forest.trees import labels

# Messages of a side on a page, and how many of one are looked at for its tool calls.
SHOWN = 40
COUNTED = 400


@dataclass(slots=True)
class Column:
    """A side as a page shows it, from its message ``at`` on."""

    name: str
    side: Side
    rows: list[Row]
    at: int
    calls: Calls | None
    previous: str = ""
    following: str = ""

    @property
    def title(self) -> str:
        if self.side.is_head:
            return "main path"
        return self.side.label or self.side.preview or "branch"


@require_safe
@page(Role.VIEWER, nav="sessions")
def compare_page(request: PageRequest, pk: int) -> HttpResponse:
    """Compare ``?a=`` with ``?b=``; ``a_at`` and ``b_at`` are where a page of one begins."""
    session = find_session(pk)
    asked = request.GET
    context: dict[str, Any] = {"session": session}
    try:
        found = compare(session=session, a=asked.get("a"), b=asked.get("b"))
    except NothingToCompare as error:
        context["problem"] = error.message
        return show(request, "session/compare.html", context)
    at = {"a_at": number_in(asked, "a_at"), "b_at": number_in(asked, "b_at")}
    pair = {"a": found.a.leaf.uid, "b": found.b.leaf.uid}
    columns = [
        _column(session, name, side, at, pair)
        for name, side in (("a", found.a), ("b", found.b))
    ]
    here = reverse("session-compare", args=[session.pk])
    context |= {
        "found": found,
        "columns": columns,
        "figures": figures_of(
            found, *(column.calls for column in columns), priced=bool(session.calls)
        ),
        "swapped": f"{here}?{urlencode({'a': pair['b'], 'b': pair['a']})}",
        "address": request.build_absolute_uri(f"{here}?{urlencode(pair)}"),
        "leaf": found.a.leaf.uid,
        "keep": "",
    }
    return show(request, "session/compare.html", context)


def _column(
    session: Session, name: str, side: Side, at: dict[str, int], pair: dict[str, str]
) -> Column:
    start = min(at[f"{name}_at"], max(len(side.messages) - 1, 0))
    counted = side.messages if len(side.messages) <= COUNTED else []
    ids = side.messages[start : start + SHOWN]
    entries = read_entries(counted or ids)
    shown = set(ids)
    rows = build_rows(
        [entry for entry in entries if entry.place.id in shown],
        siblings={},
        labels=labels(session, ids),
        head=session.head_id,
    )
    everything = build_rows(entries, siblings={}, labels={}) if counted else []
    cards = [card for row in everything for card in row.cards]
    column = Column(
        name=name.upper(),
        side=side,
        rows=rows,
        at=start,
        calls=Calls(len(cards), sum(bool(card.failure) for card in cards))
        if counted
        else None,
    )
    query = {**pair, **{key: value for key, value in at.items() if value}}
    if start:
        query[f"{name}_at"] = max(start - SHOWN, 0)
        column.previous = urlencode(query)
    if start + SHOWN < len(side.messages):
        query[f"{name}_at"] = start + SHOWN
        column.following = urlencode(query)
    return column
