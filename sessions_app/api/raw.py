"""Answers put together from stored JSON text, which is neither parsed nor printed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import orjson
from django.http import HttpResponse

from sessions_app.services.forest.envelopes import Envelope
from sessions_app.times import isoformat


def json_response(content: bytes | str, status: int = 200) -> HttpResponse:
    return HttpResponse(content, content_type="application/json", status=status)


def items_json(items: Iterable[str], **rest: Any) -> str:
    """Return an object with ``items`` of JSON text, and the rest of its members."""
    members = orjson.dumps(rest).decode()
    return f'{{"items":[{",".join(items)}],{members[1:]}'


def envelope_json(envelope: Envelope) -> str:
    place = {
        "parent": envelope.parent,
        "depth": envelope.depth,
        "seq": envelope.seq,
        "tokens": envelope.tokens,
        "path_tokens": envelope.path_tokens,
        "children": envelope.children,
        "label": envelope.label,
        "created_at": isoformat(envelope.created_at),
    }
    return f'{{"message":{envelope.body},{orjson.dumps(place).decode()[1:]}'
