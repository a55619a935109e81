"""What cells and read-only fields show."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from decimal import Decimal
from urllib.parse import urlencode

import msgspec
from django.db.models import Model
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from sessions_app.models import Message
from sessions_app.services.spend.usage import NANOS


def link(obj: Model | None) -> str:
    """Return a link to a row's page, or a dash where there is no row."""
    if obj is None:
        return "-"
    address = reverse(
        f"admin:{obj._meta.label_lower.replace('.', '_')}_change", args=[obj.pk]
    )
    return format_html('<a href="{}">{}</a>', address, str(obj))


def list_link(model: type[Model], text: str, **narrowing: object) -> SafeString:
    """Return a link to a list, narrowed to some of its rows."""
    address = reverse(f"admin:{model._meta.label_lower.replace('.', '_')}_changelist")
    return format_html('<a href="{}?{}">{}</a>', address, urlencode(narrowing), text)


def together(links: Iterable[SafeString]) -> SafeString:
    return format_html_join(" · ", "{}", ((each,) for each in links))


def message_without_body(key: int | None) -> Message | None:
    """Return a message to link to; a body may be large."""
    return None if key is None else Message.objects.defer("body").filter(id=key).first()


def pretty_json(text: str) -> str:
    """Return JSON with an indent, each number and string spelt as it is."""
    with suppress(msgspec.DecodeError, RecursionError):
        text = msgspec.json.format(text)
    return block(text)


def block(text: str) -> str:
    """Return a text as it stands, in a box that scrolls."""
    return format_html('<pre class="block" tabindex="0">{}</pre>', text)


def dollars(nanos: int | None) -> str:
    """Return billionths of a dollar as dollars, to the last digit that counts."""
    if nanos is None:
        return "-"
    whole, _, fraction = f"{Decimal(nanos) / NANOS:,.9f}".partition(".")
    return f"${whole}.{fraction.rstrip('0').ljust(2, '0')}".replace("$-", "-$")


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return "1 message", "1,200 messages"."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
