"""Lists that say when there is more: a cursor is where the next page begins."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated, Any, TypeVar

import msgspec
from django.db.models import Model, QuerySet
from msgspec import Meta
from pydantic import Field

from sessions_app.api.fields import Filters
from sessions_app.errors import Invalid

Row = TypeVar("Row", bound=Model)

# A primary key, a count or a time in milliseconds, up to the year 9999.
Number = Annotated[int, Meta(ge=0, le=253_402_300_799_999)]
Text = Annotated[str, Meta(pattern="^[^\0]*$")]


class BadCursor(Invalid):
    code = "bad_cursor"


class Page(Filters):
    """Which part of a list is asked for."""

    limit: int = Field(100, ge=1, le=1000)
    cursor: str | None = None


def encode_cursor(position: Any) -> str:
    encoded = base64.urlsafe_b64encode(msgspec.json.encode(position))
    return encoded.rstrip(b"=").decode()


def decode_cursor(cursor: str, shape: Any) -> Any:
    """
    Return the position in a cursor, which must have the given type.

    :raises BadCursor: if it is not one of ours
    """
    try:
        padded = cursor.encode() + b"=" * (-len(cursor) % 4)
        decoded = base64.b64decode(padded, altchars=b"-_", validate=True)
        return msgspec.json.decode(decoded, type=shape)
    except (binascii.Error, ValueError, msgspec.MsgspecError) as exc:
        raise BadCursor("cursor: is not one that this list gave") from exc


def page_of(
    rows: QuerySet[Row], page: Page, *, newest_first: bool = False
) -> tuple[list[Row], str | None]:
    """Return the rows of a page, in the order of their making, and the next cursor."""
    if page.cursor:
        position = decode_cursor(page.cursor, Number)
        beyond = "id__lt" if newest_first else "id__gt"
        rows = rows.filter(**{beyond: position})
    found = list(rows.order_by("-id" if newest_first else "id")[: page.limit + 1])
    shown = found[: page.limit]
    return shown, encode_cursor(shown[-1].pk) if len(found) > len(shown) else None
