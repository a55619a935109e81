"""Budgets: limits on what is spent."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from ninja import Query, Router, Status

from sessions_app.api.auth import ApiRequest, KeyAuth, Scope
from sessions_app.api.budget_shapes import (
    BudgetIn,
    BudgetList,
    BudgetOut,
    BudgetPatch,
    SessionBudgets,
    shape,
    shape_of_all,
)
from sessions_app.api.fields import RowId
from sessions_app.api.keys import seen_keys
from sessions_app.api.lookups import get_session, named_agent
from sessions_app.api.pagination import Page, page_of
from sessions_app.errors import Invalid, NotFound
from sessions_app.models import Agent, Budget, Session
from sessions_app.services.spend.budget_changes import (
    create_budget,
    delete_budget,
    update_budget,
)
from sessions_app.services.spend.budgets import (
    budgets_of,
    session_budgets,
    state_of,
    states_of,
)

router = Router(tags=["budgets"])
admin = KeyAuth(Scope.ADMIN)


@router.get(
    "/sessions/{id}/budget", response=SessionBudgets, summary="See what is left"
)
def read_session_budgets(request: ApiRequest, id: str) -> dict[str, Any]:
    """All active budgets that a call in the session counts to, with this key."""
    session = get_session(request, id)
    return shape_of_all(session_budgets(session, request.auth.key_id))


@router.get("/budgets", response=BudgetList, auth=admin, summary="List the budgets")
def list_budgets(request: ApiRequest, page: Query[Page]) -> dict[str, Any]:
    """With what is spent of them, the oldest first. An agent's key sees its agent's."""
    shown, following = page_of(budgets_of(own_agent(request)), page)
    return {"items": [shape(each) for each in states_of(shown)], "next": following}


@router.post("/budgets", response={201: BudgetOut}, auth=admin, summary="Make a budget")
def make_budget(request: ApiRequest, body: BudgetIn) -> Status[dict[str, Any]]:
    """
    Limit what is spent by an agent, in a session (with those below it), through a key,
    or by everybody. One that is there already: 409 `budget_exists`.

    With `session`, `agent` says whose session it is. A key for one agent limits that
    agent where the body names nothing.
    """
    fields = body.model_dump(exclude={"limit_usd", "agent", "session", "key"})
    budget = create_budget(
        limit=Decimal(str(body.limit_usd)), **_covered(request, body), **fields
    )
    return Status(201, shape(state_of(budget)))


@router.get("/budgets/{id}", response=BudgetOut, auth=admin, summary="Read a budget")
def read_budget(request: ApiRequest, id: RowId) -> dict[str, Any]:
    """With what is spent of it in the present period."""
    return shape(state_of(get_budget(request, id)))


@router.patch(
    "/budgets/{id}", response=BudgetOut, auth=admin, summary="Change a budget"
)
def patch_budget(request: ApiRequest, id: RowId, body: BudgetPatch) -> dict[str, Any]:
    """Change the fields that are given. What it covers stays."""
    changes = body.model_dump(exclude_unset=True)
    if "limit_usd" in changes:
        changes["limit"] = Decimal(str(changes.pop("limit_usd")))
    found = update_budget(budget=get_budget(request, id), **changes)
    return shape(state_of(found))


@router.delete(
    "/budgets/{id}", response={204: None}, auth=admin, summary="Delete a budget"
)
def remove_budget(request: ApiRequest, id: RowId) -> Status[None]:
    """Nothing limits what it covered, unless another budget does."""
    delete_budget(budget=get_budget(request, id))
    return Status(204, None)


def own_agent(request: ApiRequest) -> Agent | None:
    """Return the agent that the key is for; None: all."""
    own = request.auth.agent_id
    return None if own is None else Agent.objects.get(id=own)


def get_budget(request: ApiRequest, id: int) -> Budget:
    """
    :raises NotFound: if there is none, or it is another agent's
    """
    found = budgets_of(own_agent(request)).filter(id=id).first()
    if found is None:
        raise NotFound(f"No budget {id}")
    return found


def _covered(request: ApiRequest, body: BudgetIn) -> dict[str, Any]:
    if body.session is not None:
        if body.key is not None:
            raise Invalid("key: a budget is for a session or a key", field="key")
        return {"session": _session(request, body.session, body.agent)}
    if body.key is not None:
        found = seen_keys(request).filter(prefix=body.key).first()
        if found is None:
            raise NotFound(f"No key {body.key!r}")
        agent = named_agent(request, body.agent) if body.agent is not None else None
        return {"key": found, "agent": agent}
    if body.agent is not None or request.auth.agent_id is not None:
        return {"agent": named_agent(request, body.agent)}
    return {}


def _session(request: ApiRequest, key: str, agent: str | None) -> Session:
    if agent is None:
        return get_session(request, key)
    found = Session.objects.of(named_agent(request, agent)).living()
    session = found.select_related("agent").filter(key=key).first()
    if session is None:
        raise NotFound(f"No session {key!r}")
    return session
