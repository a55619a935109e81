"""Changing messages and undoing it, as tests do, and where the messages are then."""

from __future__ import annotations

from sessions_app.services.undoing.changes import (
    changes_of,
    undo_change,
)
from sessions_app.services.writing.deleting import delete_messages
from sessions_app.services.writing.editing import put_message
from tests.builders import (
    draft,
    fresh,
    head,
)


def edit(session, uid, text, by=""):
    put_message(session=session, draft=draft(text, uid), by=by)


def delete(session, uids, mode="reparent"):
    return delete_messages(session=session, uids=uids.split(), mode=mode, by="key x")


def undo(session, back=0):
    return undo_change(session=session, change=changes_of(session)[back].id, by="me")


def body(session, uid):
    return session.messages.get(uid=uid).body


def places(session):
    fields = ("id", "uid", "parent", "depth", "tokens", "path_tokens", "seq", "body")
    rows = session.messages.order_by("id").values_list(*fields, "created_at")
    return list(rows), head(session), fresh(session).message_count
