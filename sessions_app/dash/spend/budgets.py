"""Budgets: how they stand, and making, changing and deleting them."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from django.http import Http404, HttpResponse
from django.urls import reverse

from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import go, show, status_of, toast
from sessions_app.dash.reading import row_key
from sessions_app.errors import Conflict, Invalid, NotFound
from sessions_app.models import Agent, ApiKey, Budget, Session
from sessions_app.services.registry.agents import get_agent
from sessions_app.services.spend.budget_changes import (
    create_budget,
    delete_budget,
    update_budget,
)
from sessions_app.services.spend.budgets import covers, states_of, title, with_names
from sessions_app.services.spend.usage import NANOS

KINDS = {
    "everything": "everything",
    "agent": "an agent",
    "session": "a session and those below it",
    "key": "an API key",
}


@page(Role.VIEWER, nav="spend", act=Role.OPERATOR)
def budgets(request: PageRequest) -> HttpResponse:
    """List the budgets; a POST makes one."""
    if request.method != "POST":
        return _list(request, form=_wanted(request.GET))
    try:
        budget = create_budget(**_covered(request.POST), **_fields(request.POST))
    except (Invalid, Conflict, NotFound) as error:
        return _list(request, form=request.POST, error=error)
    toast(request, f"Budget for {title(budget)} made")
    return go(request, reverse("budgets"))


@page(Role.VIEWER, nav="spend", act=Role.OPERATOR)
def budget(request: PageRequest, pk: int) -> HttpResponse:
    """Show one to be changed; a POST changes it."""
    found = _find(pk)
    if request.method != "POST":
        return _list(request, form=_stored(found), edited=found)
    try:
        changed = update_budget(budget=found, **_fields(request.POST))
    except (Invalid, Conflict) as error:
        return _list(request, form=request.POST, edited=_find(pk), error=error)
    toast(request, f"Budget for {title(changed)} saved")
    return go(request, reverse("budgets"))


@page(Role.OPERATOR, nav="spend")
def budget_delete(request: PageRequest, pk: int) -> HttpResponse:
    if request.method == "POST":
        found = _find(pk)
        delete_budget(budget=found)
        toast(request, f"Budget for {title(found)} deleted")
    return go(request, reverse("budgets"))


def _list(
    request: PageRequest,
    *,
    form: Mapping[str, Any],
    edited: Budget | None = None,
    error: Invalid | Conflict | NotFound | None = None,
) -> HttpResponse:
    rows = [
        {
            "standing": standing,
            "budget": standing.budget,
            "title": title(standing.budget),
            "covers": covers(standing.budget),
        }
        for standing in states_of(with_names().order_by("-active", "id"))
    ]
    context = {
        "rows": rows,
        "form": form,
        "edited": edited,
        "edited_title": title(edited) if edited else "",
        "error": error,
        "error_field": error.details.get("field", "") if error else "",
        "kinds": KINDS,
        "periods": Budget.Period.choices,
        "agents": Agent.objects.order_by("name").values_list("name", flat=True)[:500],
    }
    status = status_of(error) if error else 200
    return show(request, "budgets/budgets.html", context, status=status)


def _find(pk: int) -> Budget:
    found = with_names().filter(pk=pk).first()
    if found is None:
        raise Http404(f"There is no budget {pk}.")
    return found


def _wanted(query: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a link to the form has filled in: ``?covers=session&name=17``."""
    given = {"covers": query.get("covers", "everything"), "name": query.get("name", "")}
    return {**given, "period": "month", "warn_at": 80, "active": "on"}


def _stored(budget: Budget) -> dict[str, Any]:
    return {
        "title": budget.name,
        "limit": Decimal(budget.limit_nanos) / NANOS,
        "period": budget.period,
        "warn_at": budget.warn_at,
        "hard": "on" if budget.hard else "",
        "active": "on" if budget.active else "",
        "note": budget.note,
    }


def _fields(form: Mapping[str, Any]) -> dict[str, Any]:
    try:
        limit = Decimal(form.get("limit", "").strip().lstrip("$"))
    except InvalidOperation:
        raise Invalid("limit: must be an amount of dollars", field="limit") from None
    warn_at = form.get("warn_at", "")
    if not (warn_at.isascii() and warn_at.isdigit()):
        raise Invalid("warn_at: must be 1 to 100, per cent", field="warn_at")
    return {
        "name": form.get("title", "").strip(),
        "note": form.get("note", ""),
        "period": form.get("period", ""),
        "warn_at": int(warn_at[:6]),
        "hard": form.get("hard") == "on",
        "active": form.get("active") == "on",
        "limit": limit,
    }


def _covered(form: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a new budget is for, found by the name that was given."""
    kind, name = form.get("covers", "everything"), form.get("name", "").strip()
    if kind == "agent":
        return {"agent": get_agent(name)}
    if kind == "session":
        return {"session": _session(name)}
    if kind == "key":
        key = ApiKey.objects.filter(prefix=name).first()
        if key is None:
            raise Invalid(f"name: there is no key {name!r}", field="name")
        return {"key": key}
    return {}


def _session(name: str) -> Session:
    found = Session.objects.living().filter(key=name)[:2]
    if len(found) == 1:
        return found[0]
    if not found and (pk := row_key(name)) is not None:
        by_pk = Session.objects.living().filter(pk=pk).first()
        if by_pk:
            return by_pk
    rule = "several agents have a session" if found else "there is no session"
    raise Invalid(f"name: {rule} {name!r}", field="name")
