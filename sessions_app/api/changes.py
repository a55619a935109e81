"""What was done to a session's messages, and undoing it."""

from __future__ import annotations

from typing import Any, Literal

import orjson
from django.http import HttpResponse
from ninja import Query, Router, Schema

from sessions_app.api.auth import ApiRequest
from sessions_app.api.fields import Metadata, Moment, RowId
from sessions_app.api.lookups import get_session, get_tree
from sessions_app.api.pagination import Page, page_of
from sessions_app.api.raw import items_json, json_response
from sessions_app.models import KeptMessage, MessageChange
from sessions_app.services.undoing import changes
from sessions_app.times import isoformat

router = Router(tags=["messages"])

Action = Literal["edit", "reparent", "subtree", "clear"]


class ChangeOut(Schema):
    """``first`` are the ids of some of the ``messages`` it was about."""

    id: int
    action: Action
    messages: int
    first: list[str]
    by: str
    created_at: Moment
    undone_at: Moment | None
    undone_by: str


class ChangeList(Schema):
    items: list[ChangeOut]
    next: str | None


class MessageVersionOut(Schema):
    """A message as it was until a change; ``created_at`` is when that was."""

    message: Metadata
    change: int
    action: Action
    by: str
    created_at: Moment


class MessageVersionList(Schema):
    items: list[MessageVersionOut]
    next: str | None


class ForgottenOut(Schema):
    forgotten: int


def shape(change: MessageChange) -> dict[str, Any]:
    return {
        "id": change.id,
        "action": change.action,
        "messages": change.count,
        "first": change.first,
        "by": change.by,
        "created_at": change.created_at,
        "undone_at": change.undone_at,
        "undone_by": change.undone_by,
    }


@router.get("/{id}/changes", response=ChangeList, summary="List the changes")
def list_changes(request: ApiRequest, id: str, page: Query[Page]) -> dict[str, Any]:
    """Edits and deletions of its messages, newest first, as long as they are kept."""
    rows = changes.changes_of(get_tree(request, id))
    shown, following = page_of(rows, page, newest_first=True)
    return {"items": [shape(each) for each in shown], "next": following}


@router.post("/{id}/changes/{change}/undo", response=ChangeOut, summary="Undo a change")
def undo(request: ApiRequest, id: str, change: RowId) -> dict[str, Any]:
    """
    Put back the text that was edited, or the messages that were deleted.

    What came after may stand in the way: 409 `undo_conflict` says what, and nothing is
    changed. Forks are not touched.
    """
    session = get_session(request, id)
    by = f"key {request.auth.prefix}"
    return shape(changes.undo_change(session=session, change=change, by=by))


@router.delete("/{id}/changes", response=ForgottenOut, summary="Forget the changes")
def forget(request: ApiRequest, id: str) -> dict[str, int]:
    """Forget all former texts at once, such as a secret that was deleted."""
    return {"forgotten": changes.forget_changes(session=get_session(request, id))}


@router.get(
    "/{id}/messages/{mid}/versions",
    response=MessageVersionList,
    summary="List the versions of a message",
)
def list_versions(
    request: ApiRequest, id: str, mid: str, page: Query[Page]
) -> HttpResponse:
    """What it was before each change, newest first; a deleted one's too."""
    rows = changes.versions_of(get_tree(request, id), mid)
    shown, following = page_of(rows, page, newest_first=True)
    return json_response(items_json(map(_version_json, shown), next=following))


def _version_json(kept: KeptMessage) -> str:
    about = {
        "change": kept.change_id,
        "action": kept.change.action,
        "by": kept.change.by,
        "created_at": isoformat(kept.change.created_at),
    }
    return f'{{"message":{kept.body},{orjson.dumps(about).decode()[1:]}'
