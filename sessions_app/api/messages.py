"""Messages: writing to a session's tree, and looking at one of them."""

from __future__ import annotations

from typing import Any, Literal

import orjson
from django.http import HttpResponse
from ninja import Router, Schema
from pydantic import Field

from sessions_app.api.auth import ApiRequest
from sessions_app.api.bodies import APPEND, PUT, AppendBody, PutBody, read_body
from sessions_app.api.fields import Body, Id, Metadata, Moment
from sessions_app.api.lookups import get_session, get_tree
from sessions_app.api.raw import envelope_json, json_response
from sessions_app.errors import Invalid
from sessions_app.messages import MAX_ID, check_name, read_message
from sessions_app.services.forest.envelopes import get_envelope
from sessions_app.services.forest.finding import get_found
from sessions_app.services.registry import sessions
from sessions_app.services.writing import deleting, editing
from sessions_app.services.writing.appending import Appended, append_messages
from sessions_app.services.writing.deleting import DeleteMode

router = Router(tags=["messages"])

MAX_LABEL = 200


class ReceiptOut(Schema):
    id: str
    status: Literal["created", "existing", "dropped"]
    seq: int | None
    depth: int | None
    tokens: int | None


class AppendedOut(Schema):
    items: list[ReceiptOut]
    head: str | None
    context_tokens: int
    compaction: Literal["queued"] | None


class EnvelopeOut(Schema):
    """A message as it was sent, and its place in the tree."""

    message: Metadata
    parent: str | None
    depth: int
    seq: int | None
    tokens: int
    path_tokens: int
    children: int
    label: str | None
    created_at: Moment


class DeletedOut(Schema):
    deleted: int


class DeleteIn(Body):
    ids: list[Id] = Field(max_length=1000)
    mode: DeleteMode = "reparent"


class LabelIn(Body):
    label: str | None = Field(min_length=1, max_length=MAX_LABEL)


@router.post(
    "/{id}/messages",
    response={200: AppendedOut, 201: AppendedOut},
    openapi_extra=APPEND,
    summary="Append messages",
)
def post_messages(request: ApiRequest, id: str) -> HttpResponse:
    """
    Add messages one after another, all or none; the head moves to the last.

    A message whose id the session has changes nothing and is `existing`; when all are,
    the answer is 200. Echoes of compactions (`compaction_...`) are `dropped`.
    """
    session = get_tree(request, id)
    body = read_body(request, AppendBody)
    appended = append_messages(
        session_id=session.id,
        drafts=body.drafts(),
        **body.place(),
    )
    status = 201 if appended.created else 200
    return json_response(orjson.dumps(appended_shape(appended)), status)


def writer(request: ApiRequest) -> str:
    """Return who a change is by."""
    return f"key {request.auth.prefix}"


def appended_shape(appended: Appended) -> dict[str, Any]:
    return {
        "items": [
            {
                "id": receipt.uid,
                "status": receipt.status,
                "seq": receipt.seq,
                "depth": receipt.depth,
                "tokens": receipt.tokens,
            }
            for receipt in appended.receipts
        ],
        "head": appended.head,
        "context_tokens": appended.context_tokens,
        "compaction": appended.compaction,
    }


@router.delete("/{id}/messages", response=DeletedOut, summary="Clear a session")
def clear(request: ApiRequest, id: str) -> dict[str, int]:
    """Delete all its messages and compactions. Forks of it keep theirs."""
    session = get_session(request, id)
    return {"deleted": sessions.clear_session(session=session, by=writer(request))}


@router.post("/{id}/messages/delete", response=DeletedOut, summary="Delete messages")
def delete_several(request: ApiRequest, id: str, body: DeleteIn) -> dict[str, int]:
    """Delete messages by their ids; ids that the session lacks are ignored."""
    session = get_session(request, id)
    deleted = deleting.delete_messages(
        session=session, uids=body.ids, mode=body.mode, by=writer(request)
    )
    return {"deleted": deleted}


@router.get("/{id}/messages/{mid}", response=EnvelopeOut, summary="Read a message")
def read_one(request: ApiRequest, id: str, mid: str) -> HttpResponse:
    """The message as it was sent, with its place in the tree."""
    envelope = get_envelope(get_tree(request, id), mid)
    return json_response(envelope_json(envelope))


@router.put(
    "/{id}/messages/{mid}",
    response={200: EnvelopeOut, 201: EnvelopeOut},
    openapi_extra=PUT,
    summary="Write a message",
)
def put_one(request: ApiRequest, id: str, mid: str) -> HttpResponse:
    """
    Replace a message (200), or add it (201).

    `parent` is for a new one: a message never moves. Forks keep what they had.
    """
    session = get_session(request, id)
    body = read_body(request, PutBody)
    draft = read_message(body.message, "message")
    check_name(mid, "id", MAX_ID)
    if draft.uid is None:
        draft.identify(mid)
    if draft.uid != mid:
        raise Invalid("message.id: must be the id in the path", field="message.id")
    if draft.is_reserved:
        raise Invalid(
            "Ids that begin with compaction_ are reserved", field="message.id"
        )
    _, is_new = editing.put_message(
        session=session, draft=draft, parent=body.parent, by=writer(request)
    )
    envelope = get_envelope(get_tree(request, id), mid)
    return json_response(envelope_json(envelope), 201 if is_new else 200)


@router.delete("/{id}/messages/{mid}", response=DeletedOut, summary="Delete a message")
def delete_one(
    request: ApiRequest,
    id: str,
    mid: str,
    mode: DeleteMode = "reparent",
) -> dict[str, int]:
    """
    What follows it then follows its parent, or with `mode=subtree` goes with it.

    Forks keep what they had.
    """
    session = get_session(request, id)
    get_found(session, mid)
    deleted = deleting.delete_messages(
        session=session, uids=[mid], mode=mode, by=writer(request)
    )
    return {"deleted": deleted}


@router.put(
    "/{id}/messages/{mid}/label", response=EnvelopeOut, summary="Label a message"
)
def put_label(request: ApiRequest, id: str, mid: str, body: LabelIn) -> HttpResponse:
    """Give a message a name within this session; null takes it away."""
    session = get_session(request, id)
    if body.label is not None:
        check_name(body.label, "label", MAX_LABEL)
    editing.set_label(session=session, uid=mid, text=body.label)
    return json_response(envelope_json(get_envelope(get_tree(request, id), mid)))


# The path of the bulk endpoint is also that of a message with the id "delete".


@router.get("/{id}/messages/delete", include_in_schema=False)
def read_the_one_named_delete(request: ApiRequest, id: str) -> HttpResponse:
    return read_one(request, id, "delete")


@router.put("/{id}/messages/delete", include_in_schema=False)
def put_the_one_named_delete(request: ApiRequest, id: str) -> HttpResponse:
    return put_one(request, id, "delete")


@router.delete("/{id}/messages/delete", include_in_schema=False)
def delete_the_one_named_delete(
    request: ApiRequest, id: str, mode: DeleteMode = "reparent"
) -> dict[str, int]:
    return delete_one(request, id, "delete", mode)
