"""Where a session goes on: forks, splits, the head."""

from __future__ import annotations

from typing import Annotated, Any

from ninja import Router, Status
from pydantic import Field

from sessions_app.api.auth import ApiRequest
from sessions_app.api.fields import Body, Id, Name
from sessions_app.api.lookups import get_session
from sessions_app.api.session_shapes import SessionOut, reply
from sessions_app.services.forest import forks
from sessions_app.services.forest.fork_copies import Include
from sessions_app.services.registry import sessions

router = Router(tags=["sessions"])


class ForkIn(Body):
    at: Id | None = None
    name: Name = ""
    id: Id | None = None
    include: Include = "path"
    blocks: bool = True
    compactions: bool = True


NOTHING_SAID = ForkIn()


class SplitIn(Body):
    summary: Annotated[str, Field(min_length=1)]
    name: Name = ""


class HeadIn(Body):
    message: Id


@router.post("/{id}/fork", response={201: SessionOut}, summary="Fork a session")
def fork_session(
    request: ApiRequest, id: str, body: ForkIn = NOTHING_SAID
) -> Status[dict[str, Any]]:
    """
    Make a session that goes on from a message of this one: `at`, or its head.

    It costs the same however long the history is. What happens to either later is not
    seen in the other. With `include` it takes along the `branches` below that message,
    or the whole `tree`: copies, whose head is this session's, if that is among them.
    """
    session = get_session(request, id)
    fork = forks.fork_session(
        session=session,
        at=body.at,
        name=body.name,
        key=body.id,
        include=body.include,
        blocks=body.blocks,
        compactions=body.compactions,
    )
    return Status(201, reply(fork))


@router.post("/{id}/split", response={201: SessionOut}, summary="Split a session")
def split_session(
    request: ApiRequest, id: str, body: SplitIn
) -> Status[dict[str, Any]]:
    """End it with the reason `compaction`, and start a new one from a summary of it."""
    session = get_session(request, id)
    successor = sessions.split_session(
        session=session, summary=body.summary, name=body.name
    )
    return Status(201, reply(successor))


@router.put("/{id}/head", response=SessionOut, summary="Move the head")
def put_head(request: ApiRequest, id: str, body: HeadIn) -> dict[str, Any]:
    """Check out a message: the next one that is appended will follow it."""
    session = get_session(request, id)
    return reply(sessions.check_out(session=session, uid=body.message))
