"""API keys: who has them, and which still open something."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import Any

from django.db.models import Q, QuerySet
from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils.timezone import now

from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import go, show, status_of, toast
from sessions_app.dash.pages import page_of
from sessions_app.dash.rendering.formatting import age
from sessions_app.errors import Conflict, Invalid, MemoryHubError
from sessions_app.models import Agent, ApiKey
from sessions_app.services.registry import keys

# How long a key lives, by what the form says; days.
LIVES = {"never": None, "30": 30, "90": 90, "365": 365}
# Forms that were shown and not yet sent, in the login session.
FORMS = "key_forms"
MOST_FORMS = 20


class FormUsed(Conflict):
    pass


def with_state() -> dict[str, Q]:
    over = Q(expires_at__lte=now())
    revoked = Q(revoked_at__isnull=False)
    return {
        "active": ~over & ~revoked | Q(expires_at=None, revoked_at=None),
        "expired": over & ~revoked,
        "revoked": revoked,
    }


def state_of(key: ApiKey) -> str:
    if key.revoked_at is not None:
        return "revoked"
    if key.expires_at is not None and key.expires_at <= now():
        return "expired"
    return "active"


def sentence_of(key: ApiKey) -> str:
    """Say what revoking a key comes to."""
    if key.last_used_at is None:
        return "It was never used."
    used = age(key.last_used_at, now())
    return f"Last used {used}. Who uses it is refused at once."


@page(Role.ADMIN, nav="operations")
def list_keys(request: PageRequest) -> HttpResponse:
    """List the keys; a POST makes one, and is the only answer that shows its secret."""
    if request.method == "POST":
        return _make(request)
    return _show(request)


@page(Role.ADMIN, nav="operations")
def revoke(request: PageRequest, pk: int) -> HttpResponse:
    key = ApiKey.objects.filter(pk=pk).first()
    if request.method != "POST" or key is None:
        raise Http404("There is no such key.")
    keys.revoke_key(key.prefix)
    toast(request, f"Key {key.prefix} is revoked: it opens nothing any more")
    return go(request, reverse("keys"))


def _make(request: PageRequest) -> HttpResponse:
    given = request.POST
    try:
        _use_form(request)
        agent = _agent(given.get("agent", ""))
        key, secret = keys.create_key(
            agent=agent,
            scope=_one_of(given.get("scope"), ApiKey.Scope.values, "scope"),
            name=_name(given.get("name", "")),
            expires_at=_expiry(given.get("life")),
        )
    except FormUsed as exc:
        return _show(request, error=exc)
    except MemoryHubError as exc:
        return _show(request, given=given, error=exc)
    context = {"key": key, "secret": secret, "agent": agent}
    response = show(request, "keys/made.html", context)
    # Nowhere to be found again: not in a cache, not by going back.
    response["Cache-Control"] = "no-store"
    return response


def _show(
    request: PageRequest, given: Any = None, error: MemoryHubError | None = None
) -> HttpResponse:
    rows, filters = _filtered(request)
    found = page_of(request, rows)
    for key in found:
        key.state, key.sentence = state_of(key), sentence_of(key)
    agents = Agent.objects.order_by("name")
    wanted = request.GET.get("agent", "")
    context = {
        "page": found,
        "filters": filters,
        "agents": agents,
        "given": given or {"agent": wanted, "scope": "write", "life": "never"},
        "error": error,
        "states": list(with_state()),
        "scopes": ApiKey.Scope.values,
        "lives": list(LIVES),
        "form": _new_form(request),
        "is_empty": not ApiKey.objects.exists(),
    }
    status = status_of(error) if error else 200
    return show(request, "keys/keys.html", context, status=status)


def _filtered(request: PageRequest) -> tuple[QuerySet[ApiKey], dict[str, str]]:
    rows = ApiKey.objects.select_related("agent").order_by("-id")
    state, agent = request.GET.get("state", ""), request.GET.get("agent", "")
    if state in with_state():
        rows = rows.filter(with_state()[state])
    if agent:
        rows = rows.filter(agent__name=agent)
    return rows, {"state": state, "agent": agent}


def _new_form(request: PageRequest) -> str:
    """Return what a form may be sent with once: to send it again makes no second key."""
    form = secrets.token_hex(8)
    forms = [*request.session.get(FORMS, []), form]
    request.session[FORMS] = forms[-MOST_FORMS:]
    return form


def _use_form(request: PageRequest) -> None:
    forms = list(request.session.get(FORMS, []))
    form = request.POST.get("form", "")
    if form not in forms:
        raise FormUsed(
            "This form was sent before. A key is shown once: make another one, and "
            "revoke the one that was lost"
        )
    forms.remove(form)
    request.session[FORMS] = forms


def _agent(name: str) -> Agent | None:
    if not name:
        return None
    agent = Agent.objects.filter(name=name).first()
    if agent is None:
        raise Invalid("agent: there is none of this name", field="agent")
    return agent


def _name(name: str) -> str:
    if len(name) > 200 or not name.isprintable():
        raise Invalid("name: at most 200 printable characters", field="name")
    return name.strip()


def _one_of(value: str | None, allowed: list[str], field: str) -> str:
    if value not in allowed:
        raise Invalid(f"{field}: must be one of {', '.join(allowed)}", field=field)
    return str(value)


def _expiry(life: str | None) -> Any:
    days = LIVES[_one_of(life, list(LIVES), "life")]
    return None if days is None else now() + timedelta(days=days)
