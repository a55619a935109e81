"""A session's compactions as people look at them: layers, branches, what is beneath."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from sessions_app import sql
from sessions_app.messages import parse_body, search_text
from sessions_app.models import Compaction, Session
from sessions_app.services.forest.trees import Node, leaves
from sessions_app.sql import climbs, originals

# Branches that are looked at; where there are more, it is said.
MOST_BRANCHES = 12
# Characters of an original; its transcript has all.
SHOWN = 700


@dataclass(slots=True)
class Layer:
    """
    A compaction, the older ones ``inside`` it (the widest first), and where it lives.

    ``branches`` are the leaves whose paths it lies on, but the head.
    """

    compaction: Compaction
    on_main: bool
    branches: list[Node]
    inside: list[Layer] = field(default_factory=list)

    @property
    def first(self) -> int:
        return self.compaction.first.depth + 1

    @property
    def last(self) -> int:
        return self.compaction.last.depth + 1

    @property
    def count(self) -> int:
        return self.last - self.first + 1

    @property
    def uncovered(self) -> tuple[int, int]:
        """Return how many messages and older summaries are seen without it."""
        inner = direct(self)
        return self.count - sum(each.count for each in inner), len(inner)

    @property
    def revealed(self) -> int:
        """Return the tokens of what is seen without it: originals, and older summaries."""
        inner = [each.compaction for each in direct(self)]
        saved = sum(each.tokens_before - each.tokens_after for each in inner)
        return self.compaction.tokens_before - saved


class Original(NamedTuple):
    """A message beneath a compaction; ``inner`` stands for all those that it covers."""

    number: int
    uid: str = ""
    role: str = ""
    tokens: int = 0
    text: str = ""
    more: int = 0
    inner: Layer | None = None


def read_layers(session: Session, *, branched: bool) -> list[Layer]:
    """
    Return the compactions that are within no other, the lowest first.

    ``branched`` says whether there are leaves besides the head to look at.
    """
    rows = Compaction.objects.filter(session=session).select_related("first", "last")
    found = list(rows.defer("first__body", "last__body"))
    if not found:
        return []
    tips = leaves(session, before=None, limit=MOST_BRANCHES)[:MOST_BRANCHES]
    others = [tip for tip in tips if tip.id != session.head_id] if branched else []
    lying = [(tip, on_path(session, tip.id)) for tip in others]
    on_main = on_path(session, session.head_id)
    layers = [
        Layer(each, each.id in on_main, [tip for tip, ids in lying if each.id in ids])
        for each in found
    ]
    return list(_nest(session, layers))


def every_layer(layers: Sequence[Layer]) -> Iterator[Layer]:
    """Yield layers and those inside them."""
    for layer in layers:
        yield layer
        yield from every_layer(layer.inside)


def on_path(session: Session, leaf: int | None) -> set[int]:
    """Return the keys of the compactions on the path to a message."""
    if leaf is None:
        return set()
    found = sql.rows(climbs.COMPACTIONS_ON_PATH, session=session.id, leaf=leaf)
    return {key for (key,) in found}


def read_originals(
    layer: Layer, *, start: int, limit: int, peel: bool = False
) -> tuple[list[Original], int | None]:
    """
    Return what a compaction covers from a number on, and the number of the next page.

    Older compactions stand for what they cover, unless ``peel`` takes them off.
    """
    inner = [] if peel else sorted(direct(layer), key=lambda each: each.first)
    found: list[Original] = []
    at = max(start, layer.first)
    while at <= layer.last and len(found) < limit:
        covering = next((each for each in inner if each.first <= at <= each.last), None)
        if covering:
            found.append(Original(covering.first, inner=covering))
            at = covering.last + 1
            continue
        stop = min(
            (each.first for each in inner if each.first > at), default=layer.last + 1
        )
        page = _read(layer, at, min(stop - at, limit - len(found)))
        if not page:
            break
        found += page
        at = page[-1].number + 1
    return found, at if at <= layer.last else None


def direct(layer: Layer) -> list[Layer]:
    """Return the layers that its summary was made of: those beneath no other of them."""
    found: list[Layer] = []
    for each in layer.inside:
        if each.compaction.state == Compaction.State.ACTIVE and not any(
            other.first <= each.first and each.last <= other.last for other in found
        ):
            found.append(each)
    return found


def at_number(leaf: int, number: int) -> str | None:
    """Return the id of the message with a number, from 1, on the path to a leaf."""
    found = sql.first(originals.AT_DEPTH, leaf=leaf, depth=number - 1)
    return found[0] if found else None


def _read(layer: Layer, start: int, limit: int) -> list[Original]:
    rows = sql.rows(
        originals.ORIGINALS,
        first=layer.compaction.first_id,
        last=layer.compaction.last_id,
        start=start - 1,
        limit=limit,
    )
    found = []
    for uid, depth, role, tokens, _, body in rows:
        text = search_text(parse_body(body)).strip()
        more = max(len(text) - SHOWN, 0)
        found.append(Original(depth + 1, uid, role, tokens, text[:SHOWN], more))
    return found


def _nest(session: Session, layers: Sequence[Layer]) -> Iterator[Layer]:
    """Yield the outermost, each with those inside it, however deep, the widest first."""
    # A newer one covers an older of the same stretch.
    ordered = sorted(layers, key=lambda each: (each.count, each.compaction.id))
    outer: list[tuple[Layer, set[int]]] = []
    for layer in reversed(ordered):
        one = layer.compaction
        for wide, above in outer:
            if (
                wide.first <= layer.first
                and layer.last <= wide.last
                and one.id in above
            ):
                wide.inside.append(layer)
                break
        else:
            is_alone = len(layers) == 1
            above = set() if is_alone else on_path(session, one.last_id)
            outer.append((layer, above))
    yield from sorted(
        (layer for layer, _ in outer),
        key=lambda each: (each.on_main, each.last, each.compaction.id),
        reverse=True,
    )
