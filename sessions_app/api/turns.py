"""A model's answer, with what it took, in the dialect that it came in."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import msgspec
from django.http import HttpResponse
from ninja import Router
from pydantic import ValidationError

from sessions_app.api.auth import ApiRequest
from sessions_app.api.bodies import (
    APPENDED,
    PlaceBody,
    check_batch,
    documented,
    read_body,
)
from sessions_app.api.budget_shapes import BudgetWarning, warnings_of
from sessions_app.api.dialects import (
    as_drafts,
    print_value,
    read_answer,
    read_drafts,
    read_value,
)
from sessions_app.api.idempotency import once_of
from sessions_app.api.lookups import get_tree
from sessions_app.api.messages import AppendedOut, appended_shape
from sessions_app.api.raw import json_response
from sessions_app.api.usage_shapes import UsageFields, UsageRow, shape
from sessions_app.errors import Invalid
from sessions_app.formats.usage import read_usage
from sessions_app.messages import print_json
from sessions_app.services.spend.usage import COUNTS, Tokens
from sessions_app.services.writing.turns import Spent, add_turn
from sessions_app.times import isoformat

router = Router(tags=["messages"])

DEFAULT = "ai-sdk"
UI = ("ai-sdk", "raw")
OURS = UsageFields.model_fields.keys()
# What of our own usage goes into the ledger's row as it is.
DETAILS = ("provider", "model", "purpose", "latency_ms")
# What may be said beside a provider's own figures.
BESIDE = (*DETAILS, "cost_usd", "response_id", "message")


class TurnBody(PlaceBody, kw_only=True):
    messages: list[msgspec.Raw] | None = None
    # Empty where they were not sent.
    response: msgspec.Raw = msgspec.Raw()
    usage: msgspec.Raw = msgspec.Raw()


class TurnOut(AppendedOut):
    """`budgets` are those in warning or over."""

    usage: UsageRow | None
    budgets: list[BudgetWarning]


TURN = documented(
    [],
    **APPENDED,
    response={
        "type": "object",
        "description": "A provider's whole response, in place of messages and usage",
    },
    usage={
        "type": "object",
        "description": "What it took: ours, as in POST /sessions/{id}/usage, or the "
        "provider's own usage object for the format; model and response_id may be in it",
    },
)


@router.post(
    "/{id}/turns",
    response={200: TurnOut, 201: TurnOut},
    openapi_extra=TURN,
    summary="Append a turn",
)
def post_turn(request: ApiRequest, id: str) -> HttpResponse:
    """
    Append the messages of a turn and record its usage, both or neither.

    Send `messages`, or a provider's whole `response`, in the dialect `format`; left out,
    they are kept to the letter as they are. It is safe to send a turn again: messages
    that are there are `existing`, and a response that was counted before counts nothing.
    With a hard budget that is used up, a turn with usage is 402 `budget_exceeded`: what
    was spent is recorded, and no message is stored.
    """
    session = get_tree(request, id)
    body = read_body(request, TurnBody)
    turn = add_turn(
        session=session,
        key_id=request.auth.key_id,
        once=once_of(request),
        **_read(body),
        **body.place(),
    )
    appended, row = turn.appended, turn.usage
    usage = shape(row, request.auth) if row else None
    if usage:
        usage["created_at"] = isoformat(usage["created_at"])
    content = {
        **appended_shape(appended),
        "usage": usage,
        "budgets": warnings_of(turn.budgets),
    }
    return json_response(print_json(content), 201 if appended.created else 200)


def _read(body: TurnBody) -> dict[str, Any]:
    """Return what ``add_turn`` takes besides the place."""
    if (body.messages is None) != bool(bytes(body.response)):
        raise Invalid(
            "messages: send them, or a response in their place", field="messages"
        )
    name = body.format or DEFAULT
    usage = read_value(body.usage, "usage") if bytes(body.usage) else None
    if body.messages is not None:
        check_batch(body.messages)
        drafts = read_drafts(body.messages, body.format)
        return {"drafts": drafts, "spent": _spent(name, usage)}
    answer = read_answer(body.response, name)
    drafts = as_drafts(answer.messages, "response")
    known = {"model": answer.model, "response_id": answer.response_id}
    known = {field: value for field, value in known.items() if value}
    is_ours = usage is not None
    spent = _spent(name, usage if is_ours else answer.usage, known, is_ours=is_ours)
    # A UIMessage has its id from the client, who may send more of it under the same.
    response_id = None if name in UI else answer.response_id
    return {"drafts": drafts, "spent": spent, "response_id": response_id}


def _spent(
    name: str,
    usage: Any,
    known: Mapping[str, str | None] = MappingProxyType({}),
    *,
    is_ours: bool = True,
) -> Spent | None:
    """Read usage of our own shape, if all its fields are ours, or of the provider's."""
    if usage is None or usage == {}:
        return None
    if not isinstance(usage, dict):
        raise Invalid("usage: must be an object", field="usage")
    if not (is_ours and usage.keys() <= OURS):
        beside = {field: usage[field] for field in BESIDE if field in usage}
        raw = {field: value for field, value in usage.items() if field not in beside}
        read = read_usage(name, raw)
        usage = {"provider": name, **beside, **read.counts, "raw": raw}
    try:
        own = UsageFields.model_validate({**usage, **known})
    except ValidationError as exc:
        first = exc.errors()[0]
        field = ".".join(["usage", *map(str, first["loc"])])
        raise Invalid(f"{field}: {first['msg']}", field=field) from exc
    return Spent(
        tokens=Tokens(**{name: getattr(own, name) for name in COUNTS}),
        cost=None if own.cost_usd is None else Decimal(str(own.cost_usd)),
        response_id=own.response_id,
        message=own.message,
        details={
            **{field: getattr(own, field) for field in DETAILS},
            "raw": "" if own.raw is None else print_value(own.raw, "usage").decode(),
        },
    )
