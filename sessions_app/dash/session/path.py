"""The transcript of a path: which windows of it are shown, and what stands between."""

from __future__ import annotations

from collections.abc import Sequence

from sessions_app.dash.session.transcript.budget import Budget, weight
from sessions_app.dash.session.transcript.items import (
    Asked,
    Band,
    Gap,
    Item,
    Rows,
    Transcript,
)
from sessions_app.dash.session.transcript.rows import build_rows
from sessions_app.models import Session
from sessions_app.services.browsing.siblings import Entry
from sessions_app.services.browsing.windows import (
    LIMIT,
    Path,
    Segment,
    Window,
    depth_on,
    read_path,
    read_window,
)
from sessions_app.services.compaction.layers import every_layer, read_layers
from sessions_app.services.forest.trees import labels

Span = tuple[int, int]

# Bytes of rows in a page's first answer, and so many messages that are shown whatever
# they weigh.
HEAVY = 60_000
FEWEST = 8


def read_transcript(session: Session, asked: Asked) -> Transcript:
    """
    Return the windows of a path that are asked for; by default the one at its leaf.

    :raises NotFound: if the session sees no such message
    :raises NotOnPath: if a message is not on the path
    """
    path = read_path(session, asked.leaf)
    limit = LIMIT
    while True:
        found = _read(session, path, asked, limit)
        heavy = weight(found.rows) + sum(len(band.summary) for band in found.bands)
        if heavy <= HEAVY or limit == FEWEST:
            _look_inside(session, found.bands)
            return found
        limit = max(FEWEST, min(limit * HEAVY // heavy, limit - 2))


def _look_inside(session: Session, bands: Sequence[Band]) -> None:
    """Tell bands what the older compactions inside them go on standing for."""
    if not bands or session.compactions.count() <= len(bands):
        return
    layers = every_layer(read_layers(session, branched=False))
    known = {layer.compaction.id: layer for layer in layers}
    for band in bands:
        band.layer = known.get(band.compaction.id)


def _read(session: Session, path: Path, asked: Asked, limit: int) -> Transcript:
    """Return the windows of a path, each of at most so many messages."""
    spans = _spans(session, path, asked, limit)
    found = Transcript(path)
    for segment in path.segments:
        covers = segment.compaction
        span = spans.get(segment.first)
        if covers:
            is_open = span is not None
            found.items.append(
                Band(covers, segment.first + 1, segment.last + 1, is_open)
            )
        if span:
            found.items += read_items(session, path, segment, span, asked.message)
        elif not covers:
            found.items.append(_whole(segment))
    # What is looked at first is shown in full, as far as there is room.
    newest_up = reversed(found.rows)
    Budget().shorten(sorted(newest_up, key=lambda row: not row.is_selected))
    return found


def read_more(session: Session, asked: Asked) -> Sequence[Item]:
    """Return the window before or after a message, with what is left of its gap."""
    path = read_path(session, asked.leaf)
    segment, span = _beside(session, path, asked)
    items = read_items(session, path, segment, span, None)
    # The other side is on the page already.
    shown_end = 0 if asked.after else -1
    if items and isinstance(items[shown_end], Gap):
        items.pop(shown_end)
    return items


def read_from(session: Session, asked: Asked, first: int) -> Transcript:
    """Return the end of a path from one depth on, as far as a window goes."""
    path = read_path(session, asked.leaf)
    segment = path.segments[-1]
    span = (max(first, segment.last - 4 * LIMIT), segment.last)
    return Transcript(path, read_items(session, path, segment, span, None)[-1:])


def read_items(
    session: Session, path: Path, segment: Segment, span: Span, selected: str | None
) -> list[Item]:
    """Return a window of a segment, with the gaps above and below it."""
    window = read_window(session, path, first=span[0], last=span[1], segment=segment)
    entries = _whole_turns(window, path, selected)
    is_covered = segment.compaction is not None
    rows = build_rows(
        entries,
        siblings=window.siblings,
        labels=labels(session, [entry.place.id for entry in entries]),
        selected=selected,
        head=session.head_id,
        leaf=path.leaf.id,
    )
    items: list[Item] = [Rows(rows, is_covered)]
    if not entries:
        return items
    top, bottom = entries[0].place, entries[-1].place
    if top.depth > segment.first:
        base = segment.above.last.path_tokens if segment.above else 0
        if segment.compaction:
            first = segment.compaction.first
            base = first.path_tokens - first.tokens
        tokens = top.path_tokens - top.tokens - base
        items.insert(0, Gap(segment.first + 1, top.depth, tokens, before=top.uid))
    if bottom.depth < segment.last:
        items.append(Gap(bottom.depth + 2, segment.last + 1, None, after=bottom.uid))
    for item in items:
        if isinstance(item, Gap):
            item.is_covered = is_covered
    return items


def _whole(segment: Segment) -> Gap:
    """Return a segment of which nothing is shown."""
    first, last = segment.first + 1, segment.last + 1
    if segment.below:
        below = segment.below.first
        tokens = below.path_tokens - below.tokens
        if segment.above:
            tokens -= segment.above.last.path_tokens
        is_head = segment.above is None
        return Gap(first, last, tokens, before=below.uid, is_head=is_head)
    after = segment.above.last.uid if segment.above else ""
    return Gap(first, last, None, after=after)


def _spans(session: Session, path: Path, asked: Asked, limit: int) -> dict[int, Span]:
    """Return which depths are shown, by the first depth of their segment."""
    spans: dict[int, Span] = {}
    for segment in path.segments:
        if segment.compaction and segment.compaction.uid in asked.opened:
            spans[segment.first] = (segment.last - limit + 1, segment.last)
    if asked.before or asked.after:
        segment, span = _beside(session, path, asked, limit)
        spans[segment.first] = span
    elif asked.message:
        depth = depth_on(session, path, asked.message)
        segment = path.at(depth)
        last = min(depth + limit // 2, segment.last)
        spans[segment.first] = (last - limit + 1, last)
    else:
        last_segment = path.segments[-1]
        if last_segment.compaction is None:
            spans[last_segment.first] = (
                last_segment.last - limit + 1,
                last_segment.last,
            )
    return spans


def _beside(
    session: Session, path: Path, asked: Asked, limit: int = LIMIT
) -> tuple[Segment, Span]:
    if asked.before:
        last = max(depth_on(session, path, asked.before) - 1, 0)
        return path.at(last), (last - limit + 1, last)
    first = min(depth_on(session, path, asked.after or "") + 1, path.leaf.depth)
    return path.at(first), (first, first + limit - 1)


def _whole_turns(window: Window, path: Path, selected: str | None) -> Sequence[Entry]:
    """Leave out results at the top whose calls are further up: they belong to those."""
    entries = window.entries
    for index, entry in enumerate(entries):
        if entry.place.uid == selected or entry.place.role != "tool":
            # A fork, or an import, may begin with a result: then it is shown.
            return entries[index:] if index < len(entries) else entries
    return entries
