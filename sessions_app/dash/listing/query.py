"""What the address of the list of sessions says, and what its forms offer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.http import QueryDict
from django.utils.timezone import now

from sessions_app.dash.reading import (
    choice_in,
    day_in,
    dollars_in,
    number_in,
    text_in,
    whole,
)
from sessions_app.errors import Invalid
from sessions_app.models import Agent, Session
from sessions_app.models.fields import from_millis, to_millis
from sessions_app.services.registry.filters import STATUSES, SessionFilter
from sessions_app.services.registry.pages import SORTS, Order

WINDOWS = {
    "24h": ("24 hours", timedelta(hours=24)),
    "7d": ("7 days", timedelta(days=7)),
    "30d": ("30 days", timedelta(days=30)),
}
KINDS = ("chat", "sub-agent", "automation")
COSTS = ("0.01", "0.10", "1", "10", "100")
VIEWS = ("list", "lineage")
TIMES = ("active", "created")
ORDERS = {
    "-active": "newest activity first",
    "active": "oldest activity first",
    "-created": "newest first",
    "created": "oldest first",
    "name": "by name, from A",
    "-name": "by name, from Z",
    "-cost": "highest cost first",
    "cost": "lowest cost first",
    "-context": "most tokens in context first",
    "context": "fewest tokens in context first",
    "-messages": "most messages first",
    "messages": "fewest messages first",
}
# What is chosen from; more agents than these are found by typing their names.
MOST_AGENTS = 100
# Filters that stand beneath "More filters", and are as well kept in the address.
MORE = ("source", "tag", "since", "until", "branched", "failed")
FILTERS = ("q", "agent", "kind", "within", "cost", *MORE)


@dataclass(slots=True)
class ListQuery:
    """``number`` is the place of the page's first row in the whole list, from 1."""

    filter: SessionFilter
    order: Order
    number: int
    lineage: bool
    opened: list[int]

    @property
    def order_key(self) -> str:
        return f"{'-' if self.order.descending else ''}{self.order.sort}"


def read_query(params: QueryDict) -> ListQuery:
    """
    :raises Invalid: if a value makes no sense
    """
    lineage = choice_in(params, "view", VIEWS) == "lineage"
    within = choice_in(params, "within", WINDOWS)
    since = day_in(params, "since")
    if within and since is None:
        since = now() - WINDOWS[within][1]
    wanted = SessionFilter(
        q=text_in(params, "q"),
        agent=text_in(params, "agent"),
        kind=text_in(params, "kind"),
        source=text_in(params, "source"),
        tag=text_in(params, "tag"),
        status=choice_in(params, "status", STATUSES) or "active",
        since=since,
        until=day_in(params, "until", ends=True),
        cost_over=dollars_in(params, "cost"),
        branched=bool(params.get("branched")),
        failed=bool(params.get("failed")),
        roots=lineage,
    )
    opened = [whole(value, "open") for value in params.getlist("open")[:50]]
    return ListQuery(wanted, _order(params), number_in(params, "n", 1), lineage, opened)


def _order(params: QueryDict) -> Order:
    given = params.get("sort", "")
    sort = choice_in({"sort": given.removeprefix("-")}, "sort", SORTS) or "active"
    descending = given.startswith("-") or not given
    if "before" in params:
        place = _place(text_in(params, "before"), sort, "before")
        return Order(sort, descending, place, backwards=True)
    if "after" in params:
        return Order(sort, descending, _place(text_in(params, "after"), sort, "after"))
    return Order(sort, descending)


def _place(text: str, sort: str, name: str) -> tuple[Any, int]:
    """Read what ``place_of`` wrote."""
    value, _, pk = text.rpartition(":")
    if sort == "name":
        return value.replace("\0", ""), whole(pk, name)
    # A cost that is not known stands below nothing.
    number = -1 if value == "-1" else whole(value, name)
    if sort not in TIMES:
        return number, whole(pk, name)
    try:
        return from_millis(number), whole(pk, name)
    except OverflowError as exc:
        raise Invalid(f"{name}: is no place in the list", field=name) from exc


def place_of(session: Session) -> str:
    """Return where a row stands in its list, for the address of the next page."""
    value = getattr(session, "place")  # noqa: B009 (page_of has added it)
    if isinstance(value, datetime):
        value = to_millis(value)
    return f"{value}:{session.pk}"


def choices(query: ListQuery) -> dict[str, Any]:
    """Return what the filters offer, among it what is chosen."""
    wanted = query.filter
    agents = list(
        Agent.objects.order_by("name").values_list("name", flat=True)[:MOST_AGENTS]
    )
    return {
        "agents": sorted({*agents, wanted.agent} - {""}),
        "kinds": list(dict.fromkeys([*KINDS, wanted.kind or "chat"])),
        "statuses": list(STATUSES),
        "windows": {key: name for key, (name, _) in WINDOWS.items()},
        "costs": COSTS,
        "orders": ORDERS,
    }
