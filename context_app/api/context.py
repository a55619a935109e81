"""One call that returns what a model call needs."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from ninja import Query, Router, Schema
from pydantic import Field

from context_app.working_context import build_context
from sessions_app.api.auth import ApiRequest
from sessions_app.api.fields import Filters, Metadata
from sessions_app.api.lookups import get_tree
from sessions_app.api.raw import json_response

router = Router(tags=["context"])


class ContextFilters(Filters):
    format: str = Field("ai-sdk", description="A dialect: see GET /formats")
    leaf: str | None = Field(
        None, description="Where the path ends; left out: the head"
    )
    strategy: str | None = Field(None, description="How much is seen: GET /strategies")
    window: int | None = Field(
        None, ge=1, description="Messages, for a strategy of them"
    )
    max_tokens: int | None = Field(None, ge=1, description="Tokens, for token_window")
    keep_recent: int | None = Field(
        None, ge=0, description="Shorten long tool outputs in all but the newest"
    )


class TokensOut(Schema):
    system: int
    messages: int
    tools: int
    total: int


class FrozenOut(Schema):
    version: int
    sha256: str
    stale: bool


class RepairOut(Schema):
    """What kind of change, in words, and which messages and calls it was made to."""

    kind: str
    message: str
    detail: Metadata


class ContextOut(Schema):
    format: str
    system: Any
    messages: list[Any]
    tools: list[Metadata]
    tokens: TokensOut
    head: str | None
    leaf: str | None
    prompt: FrozenOut
    strategy: str
    repairs: list[RepairOut]
    dropped: list[RepairOut]


@router.get("/{id}/context", response=ContextOut, summary="Read the context")
def read_context(
    request: ApiRequest, id: str, filters: Query[ContextFilters]
) -> HttpResponse:
    """
    The frozen system prompt, the messages and the tools, valid in the dialect asked for,
    whatever was stored: `repairs` say what had to be changed for that.

    Send `head` back as `expected_head` with the model's answer (`POST .../turns`).
    """
    context = build_context(
        session=get_tree(request, id),
        format=filters.format,
        leaf=filters.leaf,
        strategy=filters.strategy,
        window=filters.window,
        max_tokens=filters.max_tokens,
        keep_recent=filters.keep_recent,
    )
    return json_response(context.json)
