"""The registry: making, finding, changing and deleting sessions."""

from __future__ import annotations

from typing import Any, Literal

from ninja import Query, Router, Status
from pydantic import Field

from sessions_app.api.auth import ApiRequest
from sessions_app.api.fields import Filters, Id, When
from sessions_app.api.lookups import (
    get_session,
    get_tree,
    named_agent,
    shown_sessions,
)
from sessions_app.api.pagination import Number, Text, decode_cursor, encode_cursor
from sessions_app.api.session_shapes import (
    SessionIn,
    SessionList,
    SessionOut,
    SessionPatch,
    reply,
    shape,
)
from sessions_app.errors import Invalid
from sessions_app.models import Session
from sessions_app.models.fields import from_millis, to_millis
from sessions_app.services.forest.creating import SessionExists
from sessions_app.services.registry import sessions
from sessions_app.services.registry.listing import filter_sessions, page_of_sessions

router = Router(tags=["sessions"])

# What a cursor of the list holds: the value it is ordered by, and a primary key.
BY_NAME = tuple[Text, Number]
BY_TIME = tuple[Number, Number]


class UnknownSession(Invalid):
    code = "unknown_session"


NOTHING_SAID = SessionIn()


class SessionFilters(Filters):
    agent: str | None = None
    q: str | None = Field(
        None, max_length=500, description="Part of the name or the id"
    )
    model: str | None = None
    source: str | None = None
    kind: str | None = None
    status: Literal["active", "archived", "all"] = "active"
    since: When | None = Field(None, description="Changed at or after")
    order: Literal[
        "-updated_at", "updated_at", "-created_at", "created_at", "name", "-name"
    ] = "-updated_at"
    limit: int = Field(50, ge=1, le=500)
    cursor: str | None = None


@router.get("", response=SessionList, summary="List sessions")
def list_sessions(
    request: ApiRequest, filters: Query[SessionFilters]
) -> dict[str, Any]:
    """The newest activity first, unless `order` says otherwise; archived ones only if asked for."""
    own = request.auth.agent_id
    found = shown_sessions()
    if own is not None or filters.agent is not None:
        found = found.of(named_agent(request, filters.agent))
    found = filter_sessions(
        found,
        q=filters.q,
        status=filters.status,
        model=filters.model,
        source=filters.source,
        kind=filters.kind,
        updated_at__gte=filters.since,
    )
    field = filters.order.removeprefix("-")
    shape_of_cursor: Any = BY_NAME if field == "name" else BY_TIME
    after = None
    if filters.cursor:
        after = decode_cursor(filters.cursor, shape_of_cursor)
        if field != "name":
            after = (from_millis(after[0]), after[1])
    page = page_of_sessions(
        found, order=filters.order, after=after, limit=filters.limit
    )
    shown = page[: filters.limit]
    following = None
    if len(page) > len(shown):
        value = getattr(shown[-1], field)
        position = value if field == "name" else to_millis(value)
        following = encode_cursor((position, shown[-1].id))
    return {"items": [shape(session) for session in shown], "next": following}


@router.post("", response={201: SessionOut}, summary="Make a session")
def make_session(
    request: ApiRequest, body: SessionIn = NOTHING_SAID
) -> Status[dict[str, Any]]:
    """
    Make an empty session. An `id` that exists is refused with 409 `session_exists`.

    With a key for all agents, `agent` says whose it is; left out, the agent `default`.
    """
    return Status(201, reply(_create(request, body)))


@router.put(
    "/{id}",
    response={200: SessionOut, 201: SessionOut},
    summary="Get or make a session",
)
def put_session(
    request: ApiRequest, id: Id, body: SessionIn = NOTHING_SAID
) -> Status[dict[str, Any]]:
    """Return the session as it is (200), or make it (201) with what the body says."""
    if body.id not in (None, id):
        raise Invalid("id: must be the one in the path, or be left out", field="id")
    agent = named_agent(request, body.agent)
    existing = shown_sessions().of(agent).living().filter(key=id).first()
    if existing:
        return Status(200, shape(existing))
    try:
        made = _create(request, body.model_copy(update={"id": id}))
    except SessionExists:
        # Somebody else made it a moment ago.
        return Status(200, shape(shown_sessions().of(agent).get(key=id)))
    return Status(201, reply(made))


@router.get("/{id}", response=SessionOut, summary="Read a session")
def read_session(request: ApiRequest, id: str) -> dict[str, Any]:
    """What it is, where its head is, what it holds and what it has cost."""
    return reply(get_tree(request, id))


@router.patch("/{id}", response=SessionOut, summary="Change a session")
def patch_session(request: ApiRequest, id: str, body: SessionPatch) -> dict[str, Any]:
    """Change the fields that are given. `ttl_seconds` counts from now; null ends it."""
    session = get_session(request, id)
    changes = body.model_dump(exclude_unset=True)
    return reply(sessions.update_session(session=session, **changes))


@router.delete("/{id}", response={204: None}, summary="Delete a session")
def delete_session(request: ApiRequest, id: str) -> Status[None]:
    """Delete it with its messages. Forks of it keep theirs; the ledger keeps its usage."""
    sessions.delete_session(session=get_session(request, id))
    return Status(204, None)


def _create(request: ApiRequest, body: SessionIn) -> Session:
    agent = named_agent(request, body.agent)
    fields = body.model_dump(exclude={"id", "agent", "parent_session"})
    parent = None
    if body.parent_session is not None:
        parent = (
            Session.objects.of(agent).living().filter(key=body.parent_session).first()
        )
        if parent is None:
            raise UnknownSession(
                f"No session {body.parent_session!r} to be the parent",
                field="parent_session",
            )
    return sessions.make_session(
        agent=agent, key=body.id, parent_session=parent, **fields
    )
