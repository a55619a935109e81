"""Giving rows their words: names, first words, ages, and where they lead."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.timezone import now

from sessions_app.dash.rendering.formatting import age
from sessions_app.dash.session.rail.row import Row
from sessions_app.messages import preview
from sessions_app.models import Session
from sessions_app.services.browsing.spots import Spot, read_spots
from sessions_app.services.forest.trees import previews


class Shown(Protocol):
    @property
    def session(self) -> Session: ...
    @property
    def leaf(self) -> str | None: ...
    @property
    def shown(self) -> str: ...


def dress(
    rows: Sequence[Row], rail: Shown, labels: Mapping[int, str], longest: int
) -> None:
    """Fill in what rows say and where they lead, in two queries."""
    ids = {row.message for row in rows}
    ids |= {row.leaf for row in rows if row.leaf}
    ids |= {end for row in rows if row.kind in ("more", "branch") for end in row.span}
    spots = read_spots(ids)
    words = previews([row.speaker for row in rows if row.speaker])
    asked = reverse("session-rail", args=[rail.session.pk])
    for row in rows:
        spot = spots.get(row.message)
        if spot is None:
            # It was deleted a moment ago.
            continue
        row.uid = spot.uid
        row.label = labels.get(row.message, "")
        row.text = preview(words.get(row.speaker, ""), longest)
        row.created_at, row.tokens = spot.created_at, spot.path_tokens
        if row.kind == "message" and row.message == row.leaf:
            row.leaf_uid = spot.uid
        if row.kind == "branch":
            _dress_branch(row, spots, labels)
        row.link = link_of(row, spots, rail)
        if row.kind == "more":
            row.ask = f"{asked}?{urlencode(_asked(row, spots, rail))}"


def _dress_branch(
    row: Row, spots: Mapping[int, Spot], labels: Mapping[int, str]
) -> None:
    """A branch is named by its leaf's label, and is as old and long as its leaf says."""
    first, leaf = spots[row.message], spots.get(row.leaf or 0)
    if leaf is None:
        return
    row.label = labels.get(leaf.id) or row.label
    row.created_at, row.leaf_uid = leaf.created_at, leaf.uid
    row.age = short_age(leaf.created_at)
    row.tokens = leaf.path_tokens - first.path_tokens + first.tokens


def link_of(row: Row, spots: Mapping[int, Spot], rail: Shown) -> str:
    """Return the query of the address that shows a row's message on its branch."""
    end = spots.get(row.leaf or 0)
    query = {"leaf": rail.leaf, "msg": row.uid}
    if row.kind == "branch" and end:
        query["leaf"] = end.uid
    elif row.kind == "more":
        last = spots.get(row.span[1])
        query = {"leaf": last.uid if last else rail.leaf}
        if row.node == "beside":
            query = {"leaf": rail.leaf, "fork": str(row.at)}
    if rail.shown != "no_tools":
        query["show"] = rail.shown
    return urlencode(query)


def _asked(row: Row, spots: Mapping[int, Spot], rail: Shown) -> dict[str, object]:
    first, last = (spots[end].uid for end in row.span)
    asked: dict[str, object] = {
        "leaf": rail.leaf,
        "show": rail.shown,
        "from": first,
        "to": last,
        "level": row.level,
    }
    shown = spots.get(row.leaf or 0)
    if row.node == "beside" and shown:
        asked["under"] = shown.uid
    return asked


def short_age(moment: datetime) -> str:
    """Return "2h" for what was two hours ago."""
    said = age(moment, now()).removesuffix(" ago").replace(" min", "m")
    return said.replace(" ", "") if said[0].isdecimal() else "now"
