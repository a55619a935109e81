"""Reading a session: its path to a leaf, its leaves, its branches, its tree."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from ninja import Query, Router, Schema
from pydantic import Field

from sessions_app.api.auth import ApiRequest
from sessions_app.api.fields import Filters, Metadata, Moment
from sessions_app.api.lookups import get_tree
from sessions_app.api.pagination import (
    Number,
    Page,
    Text,
    decode_cursor,
    encode_cursor,
)
from sessions_app.api.raw import envelope_json, items_json, json_response
from sessions_app.models.fields import from_millis
from sessions_app.services.forest import trees
from sessions_app.services.forest.envelopes import history_envelopes
from sessions_app.services.forest.history import read_history
from sessions_app.sql.snapshots import snapshot

router = Router(tags=["messages"])


class HistoryFilters(Filters):
    leaf: str | None = Field(
        None, description="Where the path ends; left out: the head"
    )
    limit: int | None = Field(None, ge=1, le=2**53, description="Keep the newest")
    before: str | None = Field(None, description="Only what comes before this message")
    after: str | None = Field(None, description="Only what follows this message")
    raw: bool = Field(default=False, description="Show what compactions cover")
    envelope: bool = Field(
        default=False, description="Show each message's place in the tree"
    )
    cursor: str | None = None


class HistoryOut(Schema):
    items: list[Metadata]
    leaf: str | None
    head: str | None
    path_length: int
    context_tokens: int
    next: str | None


class MessageList(Schema):
    items: list[Metadata]
    next: str | None


class LeafOut(Schema):
    id: str
    depth: int
    seq: int
    preview: str
    label: str | None
    created_at: Moment


class LeafList(Schema):
    items: list[LeafOut]
    next: str | None


class RunOut(Schema):
    """Messages that follow one another unbranched, from `id` to `last`."""

    id: str
    last: str
    parent: str | None
    role: str
    preview: str
    label: str | None
    depth: int
    children: int
    run: int


class TreeOut(Schema):
    items: list[RunOut]
    next: str | None


class TreePage(Page):
    limit: int = Field(1000, ge=1, le=10_000)
    filter: trees.TreeFilter = "all"


@router.get("/{id}/history", response=HistoryOut, summary="Read the history")
def read(request: ApiRequest, id: str, filters: Query[HistoryFilters]) -> HttpResponse:
    """
    The messages from the root to a leaf, root first: the record of what was said.

    Each stands as it was sent; where a compaction covers some, its summary stands in
    their place. Skills that were unloaded are left out by the context alone. `next` leads to older ones, and `leaf` is where the path ends.
    """
    leaf, start = filters.leaf, None
    if filters.cursor:
        leaf, start = decode_cursor(filters.cursor, tuple[Text, Text])
    with snapshot():
        session = get_tree(request, id)
        history = read_history(
            session,
            leaf=leaf,
            start=start,
            before=filters.before,
            after=filters.after,
            limit=filters.limit,
            raw=filters.raw,
        )
        if filters.envelope:
            items = [
                envelope_json(each) for each in history_envelopes(session, history)
            ]
        else:
            items = history.bodies
    content = items_json(
        items,
        leaf=history.leaf,
        head=history.head,
        path_length=history.path_length,
        context_tokens=history.context_tokens,
        next=encode_cursor((history.leaf, history.older)) if history.older else None,
    )
    return json_response(content)


@router.get(
    "/{id}/messages/{mid}/branches", response=MessageList, summary="List the branches"
)
def branches(request: ApiRequest, id: str, mid: str) -> HttpResponse:
    """The messages that directly follow one, the oldest first."""
    with snapshot():
        bodies = trees.children(get_tree(request, id), mid)
    return json_response(items_json(bodies, next=None))


@router.get("/{id}/leaves", response=LeafList, summary="List the leaves")
def leaves(request: ApiRequest, id: str, page: Query[Page]) -> dict[str, Any]:
    """The messages that nothing follows, the newest first."""
    before = decode_cursor(page.cursor, Number) if page.cursor else None
    with snapshot():
        session = get_tree(request, id)
        found = trees.leaves(session, before=before, limit=page.limit)
        shown = found[: page.limit]
        ids = [node.id for node in shown]
        previews, labels = trees.previews(ids), trees.labels(session, ids)
    items = [
        {
            "id": node.uid,
            "depth": node.depth,
            "seq": node.seq,
            "preview": previews.get(node.id, ""),
            "label": labels.get(node.id),
            "created_at": from_millis(node.created_at),
        }
        for node in shown
    ]
    more = len(found) > len(shown)
    return {"items": items, "next": encode_cursor(shown[-1].seq) if more else None}


@router.get("/{id}/tree", response=TreeOut, summary="Read the tree")
def tree(request: ApiRequest, id: str, page: Query[TreePage]) -> dict[str, Any]:
    """
    The whole tree in the order of writing, an unbranched run being one item.

    `parent` is the message that the run follows: the `last` of another run. With a
    `filter`, what is left out is bridged.
    """
    last = decode_cursor(page.cursor, Number) if page.cursor else -1
    with snapshot():
        session = get_tree(request, id)
        following = [
            run for run in trees.runs(session, page.filter) if run.first.seq > last
        ]
        shown = following[: page.limit]
        ids = [run.first.id for run in shown]
        previews, labels = trees.previews(ids), trees.labels(session, ids)
    items = [
        {
            "id": run.first.uid,
            "last": run.last.uid,
            "parent": run.parent,
            "role": run.first.role,
            "preview": previews.get(run.first.id, ""),
            "label": labels.get(run.first.id),
            "depth": run.first.depth,
            "children": run.children,
            "run": run.length,
        }
        for run in shown
    ]
    more = len(following) > len(shown)
    return {
        "items": items,
        "next": encode_cursor(shown[-1].first.seq) if more else None,
    }
