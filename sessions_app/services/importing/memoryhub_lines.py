"""
The lines of our own format, one JSON object each.

A session comes first, then its messages with each after the one that it follows, then
what goes with them, and an ``end``: without it the file was cut off. Times are ISO 8601,
sums are billionths of a dollar. Exports write these shapes, and imports read them.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta

NAME = "memoryhub"
VERSION = 1

# What every database can store.
CLEAN = "^[^\0]*$"
Id = Annotated[str, Meta(min_length=1, max_length=200, pattern=CLEAN)]
Word = Annotated[str, Meta(max_length=200, pattern=CLEAN)]
Short = Annotated[str, Meta(max_length=50, pattern=CLEAN)]
Text = Annotated[str, Meta(pattern=CLEAN)]
Moment = Annotated[datetime, Meta(tz=True)]
Count = Annotated[int, Meta(ge=0, le=2**53)]
Small = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Nanos = Annotated[int, Meta(ge=-(2**62), le=2**62)]


class SessionLine(msgspec.Struct, tag="session", tag_field="type", kw_only=True):
    format: str
    version: int
    id: Id
    agent: Word = ""
    name: Annotated[str, Meta(max_length=500, pattern=CLEAN)] = ""
    parent_session: Word | None = None
    head: Word | None = None
    model: Word = ""
    source: Word = ""
    kind: Short = "chat"
    end_reason: Word = ""
    metadata: dict[str, Any] = {}
    ephemeral: bool = False
    compact_after: Count | None = None
    kv_cap: Small = 200
    transcript_cap: Small | None = None
    archived_at: Moment | None = None
    expires_at: Moment | None = None
    created_at: Moment
    updated_at: Moment


class MessageLine(msgspec.Struct, tag="message", tag_field="type"):
    """``message`` is the JSON as it was sent; a text of it where it has line breaks."""

    parent: Word | None
    created_at: Moment
    message: msgspec.Raw


class LabelLine(msgspec.Struct, tag="label", tag_field="type"):
    message: Id
    text: Word


class CompactionLine(msgspec.Struct, tag="compaction", tag_field="type", kw_only=True):
    id: Annotated[str, Meta(min_length=1, max_length=36, pattern=CLEAN)]
    first: Id
    last: Id
    summary: Text
    state: Annotated[str, Meta(pattern="^(active|disabled)$")] = "active"
    method: Short = "client"
    model: Word = ""
    cost_nanos: Nanos | None = None
    created_by: Word = ""
    created_at: Moment


class UsageLine(msgspec.Struct, tag="usage", tag_field="type", kw_only=True):
    message: Word | None = None
    provider: Annotated[str, Meta(max_length=100, pattern=CLEAN)] = ""
    model: Word = ""
    purpose: Short = "chat"
    input_tokens: Count = 0
    output_tokens: Count = 0
    cache_read_tokens: Count = 0
    cache_write_tokens: Count = 0
    reasoning_tokens: Count = 0
    cache_write_1h_tokens: Count = 0
    cost_nanos: Nanos | None = None
    cost_source: Annotated[str, Meta(pattern="^(|reported|computed)$")] = ""
    computed_nanos: Nanos | None = None
    price_snapshot: Text = ""
    latency_ms: Count | None = None
    response_id: Word | None = None
    raw: Text = ""
    created_at: Moment


class EndLine(msgspec.Struct, tag="end", tag_field="type"):
    messages: int


Line = SessionLine | MessageLine | LabelLine | CompactionLine | UsageLine | EndLine
TYPES = ("session", "message", "label", "compaction", "usage", "end")


class Kind(msgspec.Struct):
    """As much of a line as tells what it is."""

    type: str
    format: str = ""


def raw_body(body: str) -> msgspec.Raw:
    """Return a stored message as it stands in a line."""
    if "\n" in body or "\r" in body:
        return msgspec.Raw(msgspec.json.encode(body))
    return msgspec.Raw(body.encode())


def body_of(raw: msgspec.Raw) -> bytes:
    """Return the message that ``raw_body`` put into a line."""
    text = bytes(raw)
    return msgspec.json.decode(text, type=str).encode() if text[:1] == b'"' else text
