"""The history of a block or an entry beside it, and the change that is chosen in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from context_app.dash.fields import query_number
from context_app.dash.places import Place
from context_app.dash.writers import who
from context_app.models import Block, Version
from context_app.services.histories import Call, Change, calls_of, page_of_changes
from context_app.services.versions import get_version, versions_of
from sessions_app.dash.access import PageRequest
from sessions_app.dash.rendering.diffs import (
    DiffRow,
    Pair,
    changed_lines,
    diff_rows,
    side_by_side,
)
from sessions_app.errors import NotFound

# Versions beside a block; the others have a page of their own.
BESIDE = 8


@dataclass(frozen=True, slots=True)
class Line:
    """A version in a list."""

    change: Change
    call: Call | None
    url: str

    @property
    def version(self) -> Version:
        return self.change.version

    @property
    def who(self) -> str:
        return who(self.version.author)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two versions (or texts) and what lies between them, as rows or in pairs."""

    old: str
    new: str
    rows: Sequence[DiffRow]
    pairs: Sequence[Pair] | None = None
    note: str = ""

    @property
    def counts(self) -> tuple[int, int]:
        return changed_lines(self.rows)


@dataclass(frozen=True, slots=True)
class History:
    """``chosen`` is the version that ``?version=`` names, the newest by default."""

    lines: Sequence[Line]
    count: int
    chosen: Version | None
    comparison: Comparison | None
    all_url: str
    revert_url: str
    unified_url: str
    side_url: str

    @property
    def is_newest(self) -> bool:
        newest = self.lines[0].version if self.lines else None
        return self.chosen is None or newest is None or self.chosen.pk == newest.pk


def history_of(
    request: PageRequest, place: Place, block: Block, key: str = ""
) -> History:
    changes, _ = page_of_changes(block, key, limit=BESIDE)
    lines = lines_of(place, block, changes, request.GET.get("view", ""))
    wanted = query_number(request, "version")
    newest = changes[0].version if changes else None
    chosen = newest
    if wanted is not None and newest and wanted != newest.version:
        chosen = find_version(block, wanted, key) or newest
    comparison = None
    if chosen:
        before = version_before(block, chosen, changes)
        comparison = compare(request, before, chosen)
    count = len(changes)
    if count == BESIDE:
        count = versions_of(block, key).count()
    state = {"block": block.label, "entry": key}
    if chosen and chosen != newest:
        state["version"] = str(chosen.version)
    return History(
        lines,
        count,
        chosen,
        comparison,
        all_url=place.act("block-versions", block.pk, entry=key),
        revert_url=place.act("block-revert", block.pk, entry=key),
        unified_url=place.url(**state),
        side_url=place.url(**state, view="side"),
    )


def lines_of(
    place: Place, block: Block, changes: Sequence[Change], view: str = ""
) -> list[Line]:
    """Return changes with who made them: in a session's own pages, in which message."""
    versions = [change.version for change in changes]
    calls = calls_of(place.session, block, versions) if place.session else {}
    return [
        Line(
            change,
            calls.get(change.version.pk),
            place.url(
                block=block.label,
                entry=change.version.key,
                version=change.version.version,
                view=view,
            ),
        )
        for change in changes
    ]


def compare(
    request: PageRequest, before: Version | None, after: Version
) -> Comparison | None:
    """Return what changed from one version to another; None for the first one."""
    if before is None:
        return None
    note = ""
    if before.description != after.description:
        note = (
            f"The description was “{before.description}”, and is “{after.description}”."
        )
    return compared(
        request,
        f"v{before.version}",
        f"v{after.version}",
        before.content,
        after.content,
        note,
    )


def compared(
    request: PageRequest, old: str, new: str, before: str, after: str, note: str = ""
) -> Comparison:
    """Compare two texts, side by side where the address says so."""
    rows = diff_rows(before, after)
    pairs = side_by_side(rows) if request.GET.get("view") == "side" else None
    return Comparison(old, new, rows, pairs, note)


def find_version(block: Block, number: int, key: str = "") -> Version | None:
    try:
        return get_version(block, number, key)
    except NotFound:
        return None


def version_before(
    block: Block, version: Version, known: Sequence[Change]
) -> Version | None:
    for change in known:
        if change.version.pk == version.pk:
            return change.before
    older = versions_of(block, version.key).filter(version__lt=version.version)
    return older.order_by("-version").first()
