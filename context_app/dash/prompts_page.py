"""The history of a session's frozen prompt, and the refresh that adds to it."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from context_app.models import Prompt
from context_app.services.prompts import prompts_of, refresh_prompt
from context_app.services.refreshing import get_prompt, prompt_state
from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import go, show, toast, warn
from sessions_app.dash.back import back_to
from sessions_app.dash.rendering.diffs import changed_lines, diff_rows, side_by_side
from sessions_app.dash.session.head import find_session, head_of
from sessions_app.errors import Conflict
from sessions_app.models import Session

# Versions on a page.
LISTED = 50
# What a refresh would make, in place of a version's number.
NOW = "now"


@page(Role.VIEWER, nav="sessions")
def session_prompts(request: PageRequest, pk: int) -> HttpResponse:
    """Show the versions, and the text of one (``?v=``) or what differs (``?a=&b=``)."""
    session = find_session(pk)
    before = _number(request.GET.get("before"))
    older = prompts_of(session).defer("text")
    if before is not None:
        older = older.filter(version__lt=before)
    versions = list(older[: LISTED + 1])
    shown: dict[str, Any] = {
        "versions": versions[:LISTED],
        "older": versions[LISTED - 1].version if len(versions) > LISTED else None,
        "state": prompt_state(session),
    }
    if {"a", "b"} <= request.GET.keys():
        left, right = (_prompt(session, request.GET[name]) for name in ("a", "b"))
        rows = diff_rows(left.text, right.text)
        shown |= {
            "left": left,
            "right": right,
            "rows": rows,
            "pairs": side_by_side(rows) if request.GET.get("view") == "side" else None,
            "changed": changed_lines(rows),
        }
    elif "v" in request.GET:
        shown["text_of"] = _prompt(session, request.GET["v"])
    elif versions:
        shown["text_of"] = get_prompt(session, versions[0].version)
    head = head_of(request, session, "context")
    return show(request, "context/prompts.html", {**head, **shown})


@require_POST
@page(Role.VIEWER, nav="sessions", act=Role.OPERATOR)
def prompt_refresh(request: PageRequest, pk: int) -> HttpResponse:
    """Freeze the prompt anew: the next call of the model reads the new one."""
    session = find_session(pk)
    current = prompt_state(session).current
    if current is not None and current.hosted:
        warn(request, Conflict("Only the program with the blocks can refresh it"))
    else:
        fresh = refresh_prompt(session=session).prompt
        if current is not None and fresh.version == current.version:
            toast(request, f"Nothing has changed: the prompt stays v{fresh.version}")
        else:
            toast(request, f"The prompt is v{fresh.version} now")
    return go(request, back_to(request, reverse("session-context", args=[pk])))


def _prompt(session: Session, version: str) -> Prompt:
    """Return a version, or what a refresh would make, for which it is ``now``."""
    if version == NOW:
        fresh = prompt_state(session).fresh
        if fresh is None:
            raise Http404("Only the program with the blocks can render this prompt.")
        return fresh
    number = _number(version)
    if number is None:
        raise Http404(f"There is no version {version}.")
    return get_prompt(session, number)


def _number(text: str | None) -> int | None:
    is_number = text and text.isascii() and text.isdigit() and len(text) < 10
    return int(text) if text and is_number else None
