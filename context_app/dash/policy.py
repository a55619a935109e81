"""How an agent's memory is written and shown: the form on the agent's page."""

from __future__ import annotations

from typing import Any

from django import template
from django.http import Http404, HttpResponse
from django.template import Context
from django.urls import reverse

from context_app.models import AgentPolicy
from context_app.services.policies import policy_of, set_policy
from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import go, toast
from sessions_app.dash.reading import whole
from sessions_app.errors import Invalid
from sessions_app.models import Agent
from sessions_app.strategies import STRATEGIES

register = template.Library()

MOST = 10**9
SCANS = {
    "off": "Off: nothing is looked for",
    "flag": "Flag: the write is done, and marked",
    "quarantine": "Quarantine: it is held until an operator approves it",
}


@register.inclusion_tag("agents/_policy.html", takes_context=True)
def agent_policy(context: Context, agent: Agent) -> dict[str, Any]:
    """Render the policy of an agent: a form for those who may change it."""
    return {
        "agent": agent,
        "policy": policy_of(agent.pk),
        "scans": SCANS,
        "strategies": list(STRATEGIES),
        "may_manage": context["may_manage"],
        "csrf_token": context.get("csrf_token"),
    }


@page(Role.ADMIN, nav="operations")
def save_policy(request: PageRequest, pk: int) -> HttpResponse:
    found = Agent.objects.filter(pk=pk).first()
    if found is None or request.method != "POST":
        raise Http404("There is no such agent (any more).")
    given = request.POST
    set_policy(
        agent=found,
        scan=_one_of(given.get("scan", ""), AgentPolicy.Scan.values, "scan"),
        usage_in_headers="usage_in_headers" in given,
        session_search="session_search" in given,
        strategy=_one_of(given.get("strategy", ""), list(STRATEGIES), "strategy"),
        strategy_size=_size(given.get("strategy_size", "").strip()),
    )
    toast(request, f"The policy of {found} is saved")
    return go(request, reverse("agent", args=[pk]))


def _one_of(value: str, allowed: list[str], field: str) -> str:
    if value not in allowed:
        raise Invalid(f"{field}: must be one of {', '.join(allowed)}", field=field)
    return value


def _size(text: str) -> int | None:
    if not text:
        return None
    size = whole(text.replace(",", ""), "strategy_size")
    if not 1 <= size <= MOST:
        raise Invalid(f"strategy_size: from 1 to {MOST:,}", field="strategy_size")
    return size
