"""The tab with the whole tree: all branches with their figures, and what can be done."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import go, show, toast
from sessions_app.dash.back import back_to
from sessions_app.dash.rendering.tags import plural
from sessions_app.dash.session.head import find_session, head_of
from sessions_app.dash.session.rail import Rail, rail_of
from sessions_app.errors import Invalid, NotFound
from sessions_app.messages import check_name
from sessions_app.models import Session
from sessions_app.services.browsing.branches import (
    Branch,
    branch_costs,
    delete_branch,
    find_branch,
)
from sessions_app.services.forest.finding import get_place
from sessions_app.services.forest.trees import labels
from sessions_app.services.registry.sessions import check_out
from sessions_app.services.writing.editing import set_label

ROWS = 80
LONGEST_LABEL = 200


@require_http_methods(["GET", "HEAD", "POST"])
@page(Role.VIEWER, nav="sessions", act=Role.OPERATOR)
def tree(request: PageRequest, pk: int) -> HttpResponse:
    session = find_session(pk)
    if request.method == "POST":
        return _act(request, session)
    context = head_of(request, session, "tree")
    asked = request.GET
    picked = asked.get("pick") or context["leaf"]
    rail = rail_of(
        session,
        context["leaf"],
        asked.get("show"),
        selected=asked.get("msg"),
        before=asked.get("rail"),
        opened=asked.get("fork"),
        limit=ROWS,
        longest=140,
    )
    _add_costs(rail)
    context |= {
        "rail": rail,
        "base": request.path,
        "before": asked.get("rail", ""),
        "tree_url": request.path,
    }
    if picked:
        branch = find_branch(session=session, uid=picked)
        context |= {
            "branch": branch,
            "going": _what_goes(branch),
            "deleted": {
                "act": "delete",
                "message": branch.first.uid,
                "expected": branch.going,
            },
        }
    return show(request, "session/tree.html", context)


def _what_goes(branch: Branch) -> str:
    """Say in a sentence what deleting a branch takes along, and what stays."""
    said = [f"Delete {plural(branch.going, 'message')}"]
    if branch.leaves > 1:
        said.append(f" on {branch.leaves:,} branches")
    if branch.compactions:
        said.append(f", with {plural(branch.compactions, 'compaction')}")
    said.append("? What the branch shares with others stays.")
    if branch.forks:
        said.append(f" {plural(branch.forks, 'fork keeps,forks keep')} its messages.")
    if branch.has_head:
        said.append(" The head moves to the newest branch that is left.")
    return "".join(said)


def _add_costs(rail: Rail) -> None:
    rows = [row for row in rail.rows if row.kind == "branch"]
    if rail.outline is None or not rail.session.calls:
        return
    costs = branch_costs(rail.outline, [row.message for row in rows])
    for row in rows:
        row.cost = costs.get(row.message)
        row.has_calls = row.message in costs


def _act(request: PageRequest, session: Session) -> HttpResponse:
    acts = {"head": _set_head, "label": _set_label, "delete": _delete}
    act = acts.get(_given(request, "act"))
    if act is None:
        raise Invalid("There is no such act on a branch")
    return go(request, back_to(request, act(request, session)))


def _address(session: Session, **query: Any) -> str:
    place = reverse("session-tree", args=[session.pk])
    return f"{place}?{urlencode(query)}" if query else place


def _set_head(request: PageRequest, session: Session) -> str:
    message = _given(request, "message")
    before = session.head.uid if session.head else ""
    check_out(session=session, uid=message)
    undo = _address(session, act="head", message=before)
    toast(request, "The head was moved: the next message follows this one", undo=undo)
    return _address(session, pick=message)


def _set_label(request: PageRequest, session: Session) -> str:
    message, text = _given(request, "message"), _given(request, "text").strip()
    if text:
        check_name(text, "label", LONGEST_LABEL)
    before = _label_of(session, message)
    set_label(session=session, uid=message, text=text or None)
    undo = _address(session, act="label", message=message, text=before)
    toast(request, f"Labelled “{text}”" if text else "Label removed", undo=undo)
    return _address(session, leaf=_given(request, "leaf") or message, pick=message)


def _label_of(session: Session, uid: str) -> str:
    place = get_place(session, uid).id
    return labels(session, [place]).get(place, "")


def _delete(request: PageRequest, session: Session) -> str:
    expected = request.POST.get("expected", "")
    first = request.POST.get("message", "")
    if not first or not expected.isdecimal():
        raise NotFound("No message was named")
    count = delete_branch(session=session, uid=first, expected=int(expected[:9]))
    toast(request, f"1 branch with {count:,} messages deleted")
    return _address(session)


def _given(request: PageRequest, field: str) -> str:
    """Return a field; the undo of a toast has it in the address."""
    return request.POST.get(field, request.GET.get(field, ""))
