"""What there is to choose from: dialects and strategies."""

from __future__ import annotations

from typing import Any

from ninja import Router, Schema

from sessions_app.api.auth import ApiRequest
from sessions_app.formats import FORMATS
from sessions_app.strategies import STRATEGIES

router = Router(tags=["context"])


class FormatOut(Schema):
    name: str
    title: str


class FormatList(Schema):
    items: list[FormatOut]
    next: str | None


class StrategyOut(Schema):
    name: str
    description: str
    unit: str | None
    default: int | None


class StrategyList(Schema):
    items: list[StrategyOut]
    next: str | None


@router.get("/formats", response=FormatList, summary="List the formats")
def list_formats(request: ApiRequest) -> dict[str, Any]:
    """The dialects that messages are taken and given in."""
    return {"items": list(FORMATS.values()), "next": None}


@router.get("/strategies", response=StrategyList, summary="List the strategies")
def list_strategies(request: ApiRequest) -> dict[str, Any]:
    """How much of a path a context shows, and what `window` or `max_tokens` count then."""
    return {"items": list(STRATEGIES.values()), "next": None}
