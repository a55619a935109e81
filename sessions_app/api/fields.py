"""Types of fields that several schemas share."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated, Any

from ninja import Schema
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    StringConstraints,
)

from sessions_app.times import isoformat


def _whole(value: Any) -> Any:
    """Take 5.0 for 5, as JSON does."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _iso_8601(value: Any) -> Any:
    """
    :raises ValueError: if a time is a number, which could be seconds or milliseconds
    """
    if isinstance(value, str) and re.match("[0-9]{4}-", value):
        return value
    raise ValueError("must be ISO 8601, such as 2025-01-31T12:00:00Z")


def _in_utc(moment: datetime) -> datetime:
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    try:
        return zoned.astimezone(UTC)
    except OverflowError:
        raise ValueError("must be in the years 1 to 9999 of UTC") from None


Moment = Annotated[
    datetime, PlainSerializer(isoformat, return_type=str, when_used="always")
]
# One that comes in: without a zone it is of UTC.
When = Annotated[
    datetime,
    Field(strict=False),
    BeforeValidator(_iso_8601),
    AfterValidator(_in_utc),
]
# Neither blank, nor "." or "..", which are steps in a path.
Id = Annotated[
    str,
    StringConstraints(min_length=1, max_length=200, pattern=r"[^\s.]|\.\.\."),
    Field(examples=["an-id"]),
]
Name = Annotated[str, StringConstraints(max_length=500)]
Word = Annotated[str, StringConstraints(max_length=200)]
# After the limits of an integer: what stands before them hides them from the docs.
AS_WHOLE = BeforeValidator(_whole)
# Within what JavaScript and every database can hold.
Count = Annotated[int, Field(ge=0, le=2**53), AS_WHOLE]
# A row without a name of its own, in a path.
RowId = Annotated[int, Field(ge=0, le=2**63 - 1)]
Metadata = dict[str, Any]


class Filters(BaseModel):
    """
    What the query of a URL asks for.

    Ninja's Schema would read it by attributes, as though it could be any object, which
    takes longer than all checks.
    """


class Body(Schema):
    """What a request may carry, and nothing else: a misspelt field is an error."""

    model_config = ConfigDict(extra="forbid", strict=True)
