"""Agents: whose memory it is."""

from __future__ import annotations

from typing import Any

import orjson
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.urls import reverse

from sessions_app.dash.access import PageRequest, Role, page, role_of
from sessions_app.dash.answers import go, show, status_of, toast
from sessions_app.dash.pages import page_of
from sessions_app.dash.reading import text_in, whole
from sessions_app.errors import Forbidden, Invalid, MemoryHubError
from sessions_app.models import Agent
from sessions_app.services.registry import agents as service
from sessions_app.services.registry.agent_sums import count_usage, sums_of

MOST_TOKENS = 2**53


@page(Role.VIEWER, nav="operations", act=Role.OPERATOR)
def agents(request: PageRequest) -> HttpResponse:
    """List the agents; a POST makes one."""
    if request.method != "POST":
        return _show_all(request)
    try:
        fields = _read(request.POST)
        made = service.create_agent(request.POST.get("name", "").strip(), **fields)
    except MemoryHubError as exc:
        return _show_all(request, given=request.POST, error=exc)
    toast(request, f"Agent {made} is there")
    return go(request, reverse("agent", args=[made.pk]))


@page(Role.VIEWER, nav="operations", act=Role.OPERATOR)
def agent(request: PageRequest, pk: int) -> HttpResponse:
    """Show an agent; a POST changes it."""
    found = find_agent(pk)
    if request.method != "POST":
        return _show(request, found)
    try:
        service.update_agent(agent=found, **_read(request.POST))
    except MemoryHubError as exc:
        return _show(request, find_agent(pk), given=request.POST, error=exc)
    toast(request, f"Agent {found} is saved")
    return go(request, reverse("agent", args=[pk]))


@page(Role.ADMIN, nav="operations")
def delete(request: PageRequest, pk: int) -> HttpResponse:
    """Delete an agent with all that it has, if its name was typed."""
    found = find_agent(pk)
    if request.method != "POST":
        return go(request, reverse("agent", args=[pk]))
    if request.POST.get("name", "").strip() != found.name:
        error = Invalid(f"Type the name {found.name} to delete the agent", field="sure")
        return _show(request, found, error=error)
    (sums,) = sums_of([found])
    service.delete_agent(agent=found)
    toast(
        request,
        f"Agent {found.name} is deleted, with {sums.sessions:,} sessions and "
        f"{sums.messages:,} messages",
    )
    return go(request, reverse("agents"))


def find_agent(pk: int) -> Agent:
    found = Agent.objects.filter(pk=pk).first()
    if found is None:
        raise Http404("There is no such agent (any more).")
    return found


def _read(given: Any) -> dict[str, Any]:
    """
    Return an agent's fields from a form.

    :raises Invalid: if one cannot be
    """
    description = given.get("description", "")
    if len(description) > 10_000 or "\0" in description:
        raise Invalid("description: at most 10,000 characters", field="description")
    return {
        "description": description,
        "compact_after": _tokens(given.get("compact_after", "").strip()),
        "metadata": _metadata(given.get("metadata", "").strip() or "{}"),
    }


def _tokens(text: str) -> int | None:
    text = text.replace(",", "").replace(" ", "")
    if not text:
        return None
    tokens = whole(text, "compact_after")
    if tokens > MOST_TOKENS:
        raise Invalid(
            "compact_after: a number of tokens, or empty", field="compact_after"
        )
    return tokens


def _metadata(text: str) -> dict[str, Any]:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as exc:
        raise Invalid(
            f"metadata: is not valid JSON: {exc.msg}", field="metadata"
        ) from exc
    if not isinstance(value, dict) or "\\u0000" in text:
        raise Invalid("metadata: must be a JSON object", field="metadata")
    return value


def _show_all(
    request: PageRequest, given: Any = None, error: MemoryHubError | None = None
) -> HttpResponse:
    if error and role_of(request.user) < Role.OPERATOR:
        raise Forbidden("This needs the role operator")
    q = text_in(request.GET, "q")
    rows: QuerySet[Agent] = Agent.objects.order_by("name")
    if q:
        rows = rows.filter(name__icontains=q)
    found = page_of(request, rows)
    context = {
        "page": found,
        "rows": sums_of(list(found)),
        "q": q,
        "given": given or {},
        "error": error,
    }
    status = status_of(error) if error else 200
    return show(request, "agents/agents.html", context, status=status)


def _show(
    request: PageRequest,
    found: Agent,
    given: Any = None,
    error: MemoryHubError | None = None,
) -> HttpResponse:
    (sums,) = sums_of([found])
    metadata = orjson.dumps(found.metadata, option=orjson.OPT_INDENT_2).decode()
    context = {
        "agent": found,
        "sums": sums,
        "usage": count_usage(found),
        "given": given
        or {
            "description": found.description,
            "compact_after": "" if found.compact_after is None else found.compact_after,
            "metadata": "" if metadata == "{}" else metadata,
        },
        "error": error,
    }
    status = status_of(error) if error else 200
    return show(request, "agents/agent.html", context, status=status)
