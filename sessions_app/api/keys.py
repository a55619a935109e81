"""API keys, for those who have an admin's."""

from __future__ import annotations

from typing import Any, Literal

from django.db.models import QuerySet
from ninja import Query, Router, Schema, Status
from pydantic import Field

from sessions_app.api.auth import ApiRequest, KeyAuth, Scope
from sessions_app.api.fields import Body, Id, Moment, When
from sessions_app.api.lookups import named_agent
from sessions_app.api.pagination import Page, page_of
from sessions_app.errors import Forbidden, NotFound
from sessions_app.models import ApiKey
from sessions_app.services.registry import keys

router = Router(tags=["keys"], auth=KeyAuth(Scope.ADMIN))


class KeyIn(Body):
    agent: Id | None = Field(None, description="Null: all agents, for the scope admin")
    scope: Literal["read", "write", "admin"] = "write"
    name: str = Field("", max_length=200)
    expires_at: When | None = None


class KeyOut(Schema):
    prefix: str
    name: str
    agent: str | None
    scope: str
    expires_at: Moment | None
    revoked_at: Moment | None
    last_used_at: Moment | None
    created_at: Moment


class NewKeyOut(KeyOut):
    secret: str = Field(description="Shown this once")


class KeyList(Schema):
    items: list[KeyOut]
    next: str | None


def shape(key: ApiKey) -> dict[str, Any]:
    return {
        "prefix": key.prefix,
        "name": key.name,
        "agent": key.agent and key.agent.name,
        "scope": key.scope,
        "expires_at": key.expires_at,
        "revoked_at": key.revoked_at,
        "last_used_at": key.last_used_at,
        "created_at": key.created_at,
    }


def seen_keys(request: ApiRequest) -> QuerySet[ApiKey]:
    """Return the keys that the caller manages: its agent's, or all."""
    seen = ApiKey.objects.select_related("agent")
    own = request.auth.agent_id
    return seen if own is None else seen.filter(agent=own)


@router.get("", response=KeyList, summary="List the keys")
def list_keys(request: ApiRequest, page: Query[Page]) -> dict[str, Any]:
    """Without their secrets, the newest first; revoked ones too."""
    shown, following = page_of(seen_keys(request), page, newest_first=True)
    return {"items": [shape(key) for key in shown], "next": following}


@router.post("", response={201: NewKeyOut}, summary="Make a key")
def make_key(request: ApiRequest, body: KeyIn) -> Status[dict[str, Any]]:
    """The answer is the only time that its `secret` is shown."""
    if body.agent is None and request.auth.agent_id is not None:
        raise Forbidden("A key for all agents can only be made with one")
    agent = named_agent(request, body.agent) if body.agent is not None else None
    key, secret = keys.create_key(
        agent=agent, scope=body.scope, name=body.name, expires_at=body.expires_at
    )
    return Status(201, {**shape(key), "secret": secret})


@router.delete("/{prefix}", response={204: None}, summary="Revoke a key")
def revoke_key(request: ApiRequest, prefix: str) -> Status[None]:
    """End its life at once; it stays in the list."""
    if not seen_keys(request).filter(prefix=prefix).exists():
        raise NotFound(f"No key {prefix!r}")
    keys.revoke_key(prefix)
    return Status(204, None)
