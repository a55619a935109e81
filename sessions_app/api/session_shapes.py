"""What a session looks like, coming in and going out."""

from __future__ import annotations

from operator import attrgetter
from typing import Annotated, Any

from ninja import Schema
from pydantic import Field

from sessions_app.api.fields import (
    AS_WHOLE,
    Body,
    Count,
    Id,
    Metadata,
    Moment,
    Name,
    Word,
)
from sessions_app.api.lookups import RELATED, shown_sessions
from sessions_app.api.usage_shapes import UsageSums, sums_of
from sessions_app.models import Session
from sessions_app.services.forest.finding import Tree

Ttl = Annotated[int, Field(ge=1, le=10 * 365 * 86_400), AS_WHOLE]
Cap = Annotated[int, Field(ge=0, le=1_000_000), AS_WHOLE]

TTL: Any = Field(
    default=None, description="How long it is to live from now on; then it is gone"
)
COMPACT_AFTER: Any = Field(
    default=None,
    description="Context tokens above which it is compacted; null: as its agent says",
)


class SessionIn(Body):
    id: Id | None = Field(
        default=None, description="Left out: a UUIDv7 of the server's"
    )
    name: Name = ""
    agent: Id | None = Field(
        default=None, description="Left out: the key's, or `default`"
    )
    model: Word = ""
    source: Word = ""
    kind: Annotated[str, Field(min_length=1, max_length=50)] = "chat"
    parent_session: Id | None = Field(
        default=None,
        description="The session that it came from, such as a sub-agent's caller's",
    )
    metadata: Metadata = {}
    ephemeral: bool = Field(
        default=False, description="Gone when the server starts anew"
    )
    ttl_seconds: Ttl | None = TTL
    compact_after: Count | None = COMPACT_AFTER
    kv_cap: Cap = 200
    transcript_cap: Cap | None = None


class SessionPatch(Body):
    name: Name = ""
    metadata: Metadata = {}
    model: Word = ""
    source: Word = ""
    archived: bool = False
    end_reason: Word = ""
    ttl_seconds: Ttl | None = TTL
    compact_after: Count | None = COMPACT_AFTER


class SessionOut(Schema):
    id: str
    name: str
    agent: str
    parent_session: str | None
    fork_point: str | None = Field(
        description="Of a fork: the last message that it still shares with another session"
    )
    head: str | None = Field(description="The message that the next one follows")
    model: str
    source: str
    kind: str
    end_reason: str
    metadata: Metadata
    ephemeral: bool
    compact_after: int | None
    kv_cap: int
    transcript_cap: int | None
    message_count: int = Field(description="Of all branches, shared ones too")
    path_length: int = Field(description="Messages from the root to the head")
    context_tokens: int = Field(
        description="Of that path, with summaries in place of what they cover"
    )
    compaction_error: str | None
    compaction_failed_at: Moment | None
    usage: UsageSums
    archived_at: Moment | None
    expires_at: Moment | None
    created_at: Moment
    updated_at: Moment


class SessionList(Schema):
    items: list[SessionOut]
    next: str | None


related_to = attrgetter(*RELATED)


def shape(session: Session) -> dict[str, Any]:
    """Return a session as the API shows it; it must come from ``shown_sessions``."""
    agent, parent, fork_point, head, depth, path_tokens = related_to(session)
    return {
        "id": session.key,
        "name": session.name,
        "agent": agent,
        "parent_session": parent,
        "fork_point": fork_point,
        "head": head,
        "model": session.model,
        "source": session.source,
        "kind": session.kind,
        "end_reason": session.end_reason,
        "metadata": session.metadata,
        "ephemeral": session.ephemeral,
        "compact_after": session.compact_after,
        "kv_cap": session.kv_cap,
        "transcript_cap": session.transcript_cap,
        "message_count": session.message_count,
        "path_length": 0 if head is None else depth + 1,
        "context_tokens": 0 if head is None else path_tokens - session.hidden_tokens,
        "compaction_error": session.compaction_error or None,
        "compaction_failed_at": session.compaction_failed_at,
        "usage": sums_of(session),
        "archived_at": session.archived_at,
        "expires_at": session.expires_at,
        "created_at": session.created_at,
        "updated_at": session.updated_at,
    }


def reply(session: Tree) -> dict[str, Any]:
    return shape(shown_sessions().get(id=session.id))
