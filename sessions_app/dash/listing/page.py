"""The list of sessions."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpResponse

from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import go, show
from sessions_app.dash.listing.acts import ACTS, ASKED, act_on, chosen_in
from sessions_app.dash.listing.query import (
    FILTERS,
    MORE,
    ORDERS,
    ListQuery,
    choices,
    place_of,
    read_query,
)
from sessions_app.dash.reading import choice_in, text_in
from sessions_app.errors import Invalid
from sessions_app.services.registry.filters import matching_sessions
from sessions_app.services.registry.pages import COUNTED, count_up_to, page_of
from sessions_app.services.registry.rows import rows_of
from sessions_app.services.registry.selections import weigh

PAGE = 50
# A sort, and what stands over its column.
COLUMNS = (
    ("messages", "Messages"),
    ("context", "In context"),
    ("cost", "Cost"),
    ("active", "Active"),
)


@page(Role.VIEWER, nav="sessions", act=Role.OPERATOR)
def sessions(request: PageRequest) -> HttpResponse:
    """Show the list; a POST acts on the rows selected, or asks about it first."""
    query = read_query(request.GET)
    context: dict[str, Any] = {"chosen": [], "asked": ""}
    if request.method == "POST":
        sure = choice_in(request.POST, "sure", ASKED)
        act = sure or choice_in(request.POST, "act", ACTS)
        chosen = chosen_in(request.POST.getlist("session"))
        if act and chosen and act in ASKED and not sure:
            context = {"asked": act, "weight": weigh(pks=chosen)}
        elif act:
            try:
                act_on(request, act, chosen, text_in(request.POST, "tag"))
                return go(request, request.get_full_path())
            except Invalid as refused:
                context = {"refused": refused.message, "asked": ""}
        context["chosen"] = chosen
    context |= _page(request, query)
    return show(request, "sessions/sessions.html", context, piece="sessions/_list.html")


def _page(request: PageRequest, query: ListQuery) -> dict[str, Any]:
    matching = matching_sessions(query.filter)
    shown = page_of(matching, query.order, limit=PAGE)
    found = shown.sessions
    is_whole = not shown.has_before and not shown.has_after
    total = len(found) if is_whole else count_up_to(matching)
    number = query.number if shown.has_before else 1
    used = [name for name in FILTERS if request.GET.get(name)]
    return {
        "here": request.get_full_path(),
        "filter": query.filter,
        "choices": choices(query),
        "lineage": query.lineage,
        "opened": query.opened,
        "rows": rows_of(found, lineage=query.lineage, opened=query.opened),
        "trash_days": settings.TRASH_DAYS,
        "sort": query.order.sort,
        "order_key": query.order_key,
        "sorted_by": ORDERS[query.order_key],
        "by_time": query.order_key in ("-active", "-created"),
        "descending": query.order.descending,
        "columns": COLUMNS,
        "total": total,
        "counted": COUNTED,
        "number": number,
        "last_number": number + len(found) - 1,
        "before": place_of(found[0]) if shown.has_before and found else "",
        "after": place_of(found[-1]) if shown.has_after and found else "",
        "before_number": max(number - PAGE, 1),
        "after_number": number + len(found),
        "used": used,
        "used_more": [name for name in used if name in MORE],
    }
