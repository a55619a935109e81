"""The Usage tab of a session: what it cost, along its branch and in all."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpResponse

from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import show
from sessions_app.dash.rendering.charts import Column, bar_chart
from sessions_app.dash.rendering.formatting import money
from sessions_app.dash.session.head import find_session, head_of
from sessions_app.models import Usage
from sessions_app.services.spend.budgets import session_budgets, title
from sessions_app.services.spend.paths import Stretch, spent_along
from sessions_app.services.spend.sessions import session_totals

ROWS = 50
LABELS = 6


@page(Role.VIEWER, nav="sessions")
def session_usage(request: PageRequest, pk: int) -> HttpResponse:
    session = find_session(pk)
    head = head_of(request, session, "usage")
    along = spent_along(session=session, leaf=head["leaf"])
    rows = Usage.objects.filter(session=session).select_related("message", "key")
    shown = Paginator(rows.defer("message__body", "raw").order_by("-id"), ROWS)
    totals = session_totals(session=session, leaf=head["leaf"])
    context = {
        **head,
        "totals": totals,
        "along": along,
        "chart": _chart(along),
        "shown": shown.get_page(request.GET.get("page")),
        "budgets": [
            {"standing": standing, "title": title(standing.budget)}
            for standing in session_budgets(session)
        ],
        "compared": _compared(totals.by_model),
    }
    return show(request, "usage/session.html", context)


def _chart(along: list[Stretch]) -> str:
    """Draw the cost of each stretch of the path, root to the left."""
    every = max(1, len(along) // LABELS)
    columns = [
        Column(
            title=_span(stretch),
            label=f"#{stretch.first}" if not number % every else "",
            values=[stretch.cost_nanos],
        )
        for number, stretch in enumerate(along)
    ]
    if not any(stretch.cost_nanos for stretch in along):
        return ""
    return bar_chart(
        columns,
        name="along",
        label="Cost along the branch, from its first message to its last",
        width=1240,
        height=180,
        unit=money,
    )


def _span(stretch: Stretch) -> str:
    if stretch.first == stretch.last:
        return f"#{stretch.first}"
    return f"#{stretch.first} to #{stretch.last}"


def _compared(groups: list[Any]) -> list[dict[str, Any]]:
    """Return the models whose counted cost is another than our prices say."""
    return [
        {
            "model": group.key,
            "counted": group.sums.cost_nanos,
            "computed": group.sums.computed_nanos,
            "off": (group.sums.computed_nanos or 0) - (group.sums.cost_nanos or 0),
        }
        for group in groups
        if group.sums.computed_nanos and group.sums.cost_nanos is not None
    ]
