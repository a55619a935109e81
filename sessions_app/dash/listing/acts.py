"""What an operator does to the sessions that are selected in the list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse, StreamingHttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from sessions_app.dash.access import PageRequest, Role, page
from sessions_app.dash.answers import go, toast
from sessions_app.dash.reading import choice_in, text_in, whole
from sessions_app.dash.rendering.tags import plural
from sessions_app.errors import Invalid
from sessions_app.models import Session
from sessions_app.services.exporting import export_session
from sessions_app.services.registry.selections import (
    archive_sessions,
    delete_trashed,
    tag_sessions,
    trash_sessions,
)

# What is done at once, and what is asked for first.
ACTS = ("archive", "unarchive", "restore", "tag", "untag", "trash", "delete")
ASKED = ("trash", "delete")
UNDONE_BY = {
    "archive": "unarchive",
    "unarchive": "archive",
    "restore": "trash",
    "trash": "restore",
    "tag": "untag",
    "untag": "tag",
}
DONE = {
    "archive": "archived",
    "unarchive": "taken out of the archive",
    "restore": "restored",
    "trash": "moved to the trash",
    "delete": "deleted for ever",
}
MOST = 500


def chosen_in(values: Sequence[str]) -> list[int]:
    """
    :raises Invalid: if one is no primary key
    """
    return [whole(value, "session") for value in values[:MOST]]


def act_on(request: PageRequest, act: str, pks: list[int], tag: str = "") -> None:
    """Do it, and say on the next page what was done; None were chosen: say that."""
    if not pks:
        toast(request, "No session was selected. Nothing was changed.")
        return
    undo = UNDONE_BY.get(act)
    count, changed = 0, pks
    if act == "delete":
        count = delete_trashed(pks=pks)
    else:
        changed = _change(act, pks, tag)
        count = len(changed)
    done = DONE.get(act) or f"{'tagged' if act == 'tag' else 'freed of the tag'} {tag}"
    address = None
    if undo and count:
        fields = [("act", undo), ("tag", tag), *(("session", pk) for pk in changed)]
        address = f"{reverse('sessions-undo')}?{urlencode(fields)}"
    toast(request, f"{plural(count, 'session')} {done}", undo=address)


def _change(act: str, pks: list[int], tag: str) -> list[int]:
    if act in ("archive", "unarchive"):
        return archive_sessions(pks=pks, archived=act == "archive")
    if act in ("trash", "restore"):
        return trash_sessions(pks=pks, trashed=act == "trash")
    return tag_sessions(pks=pks, tag=tag, tagged=act == "tag")


@page(Role.OPERATOR)
@require_POST
def undo(request: PageRequest) -> HttpResponse:
    """Take back what a toast told of; its address says what."""
    act = choice_in(request.GET, "act", UNDONE_BY)
    if act:
        pks = chosen_in(request.GET.getlist("session"))
        act_on(request, act, pks, text_in(request.GET, "tag"))
    return go(request, reverse("sessions"))


@page(Role.OPERATOR)
@require_POST
def export_selected(request: PageRequest) -> Any:
    """Answer with the selected sessions in one file, which can be imported again."""
    pks = chosen_in(request.POST.getlist("session"))
    # The older first: a session stands behind the one it was made from.
    found = Session.objects.living().filter(pk__in=pks).order_by("pk")
    sessions = list(found.select_related("agent", "parent_session", "head"))
    if not sessions:
        raise Invalid("No session was selected", field="session")
    lines = (line for session in sessions for line in export_session(session))
    response = StreamingHttpResponse(lines, content_type="application/x-ndjson")
    response["Content-Disposition"] = 'attachment; filename="sessions.jsonl"'
    return response
