"""The words around hits: only of those that are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from sessions_app.models import Message, SearchDocument
from sessions_app.models.fields import from_millis
from sessions_app.search.query import Query
from sessions_app.search.snippets import snippet
from sessions_app.services.forest.trees import previews
from sessions_app.services.searching.pages import Hit, branches_of


@dataclass(slots=True)
class ShownHit:
    """
    A hit with the piece of its text in which it was found.

    ``before`` and ``after`` are the role and the first words of the message that it
    answers, or that answers it. ``leaf`` is where its path ends, None for the head.
    """

    hit: Hit
    snippet: str
    created_at: datetime
    leaf: str | None
    before: tuple[str, str] | None = None
    after: tuple[str, str] | None = None


def show_hits(query: Query, found: Sequence[Hit]) -> dict[int, ShownHit]:
    """Return what is shown of hits, by their messages' primary keys."""
    texts = dict(
        SearchDocument.objects.filter(
            id__in=[hit.document for hit in found]
        ).values_list("id", "text")
    )
    leaves = branches_of(found)
    shown = {
        hit.id: ShownHit(
            hit,
            snippet(texts[hit.document], query),
            from_millis(hit.created_at),
            leaves.get(hit.id),
        )
        for hit in found
        if hit.document in texts
    }
    _add_neighbours(list(shown.values()))
    return shown


def _add_neighbours(shown: Sequence[ShownHit]) -> None:
    """What a user asked is shown with its answer, all else with what it answers."""
    asked = [each.hit.id for each in shown if each.hit.role == "user"]
    parents = [each.hit.parent_id for each in shown if each.hit.role != "user"]
    near = Message.objects.filter(
        Q(id__in=[parent for parent in parents if parent]) | Q(parent__in=asked)
    )
    roles = {}
    answers: dict[int | None, int] = {}
    for id_, parent, role in near.order_by("-id").values_list(
        "id", "parent_id", "role"
    ):
        roles[id_] = role
        answers[parent] = id_  # the first one is the last to be set
    words = previews(list(roles))
    for each in shown:
        if each.hit.role == "user":
            near_id = answers.get(each.hit.id)
            if near_id in words and near_id is not None:
                each.after = (roles[near_id], words[near_id])
        elif each.hit.parent_id in words and each.hit.parent_id is not None:
            each.before = (roles[each.hit.parent_id], words[each.hit.parent_id])
