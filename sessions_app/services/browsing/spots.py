"""What is known of many messages at once, without their texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from django.db.models import Sum

from sessions_app.models import Label, Message, Usage
from sessions_app.services.forest.finding import Tree


class Spot(NamedTuple):
    """Where a message stands, with what the outside knows it by."""

    id: int
    uid: str
    parent_id: int | None
    depth: int
    role: str
    tokens: int
    path_tokens: int
    created_at: datetime


def read_spots(messages: Iterable[int]) -> dict[int, Spot]:
    rows = Message.objects.filter(id__in=set(messages)).values_list(
        "id", "uid", "parent_id", "depth", "role", "tokens", "path_tokens", "created_at"
    )
    return {row[0]: Spot(*row) for row in rows}


def all_labels(session: Tree) -> dict[int, str]:
    """Return all names that a session gives to messages, by their primary keys."""
    named = Label.objects.filter(session=session.id)
    return dict(named.values_list("message", "text"))


def costs_of(messages: Sequence[int]) -> dict[int, int | None]:
    """Return what the calls on messages cost; a message without calls is not there."""
    rows = Usage.objects.filter(message__in=messages).order_by()
    return dict(rows.values_list("message").annotate(cost=Sum("cost_nanos")))
