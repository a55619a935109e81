"""Compactions as people look at them: what is inside what, and what is beneath."""

from __future__ import annotations

import random

import pytest

from sessions_app.errors import Conflict
from sessions_app.models import Compaction
from sessions_app.services.compaction.layers import (
    at_number,
    read_layers,
    read_originals,
)
from sessions_app.services.compaction.overlays import digest, update_compaction
from sessions_app.services.forest.forks import fork_session
from tests.builders import compact, fresh, say, talk

LETTERS = "a b c d e f g h i j"


def drawn(layers):
    """Return layers as texts: a range, and those inside it in brackets."""
    return [
        f"{each.first}-{each.last}{drawn(each.inside) if each.inside else ''}"
        for each in layers
    ]


def read(session):
    return read_layers(fresh(session), branched=True)


def originals(layer, **options):
    found, following = read_originals(layer, **{"start": 0, "limit": 100, **options})
    told = [f"C{each.number}" if each.inner else each.uid for each in found]
    return " ".join(told), following


def test_older_ones_stand_inside_the_wider(session):
    talk(session, LETTERS)
    compact(session, "b", "c")
    compact(session, "e", "f")
    compact(session, "b", "g")
    compact(session, "i", "i")

    assert drawn(read(session)) == ["9-9", "2-7['5-6', '2-3']"]


def test_of_one_stretch_the_newer_is_outside(session):
    talk(session, LETTERS)
    older = compact(session, "b", "c")
    update_compaction(session=session, uid=older.uid, state="disabled")
    compact(session, "b", "c", "New")

    (layer,) = read(session)

    assert layer.compaction.summary == "New"
    assert [each.compaction.uid for each in layer.inside] == [older.uid]


def test_one_of_another_branch_is_not_inside(session):
    talk(session, "a b c")
    say(session, "d", parent="a")
    compact(session, "d", "d", "Other")
    talk(session, "x y", parent="c")
    compact(session, "b", "x")

    layers = read(session)

    assert drawn(layers) == ["2-4", "2-2"]
    assert [each.on_main for each in layers] == [True, False]
    assert [tip.uid for tip in layers[1].branches] == ["d"]


def test_originals_with_older_summaries_or_without(session):
    talk(session, LETTERS)
    compact(session, "c", "d")
    compact(session, "b", "g")
    (layer,) = read(session)

    assert originals(layer) == ("b C3 e f g", None)
    assert originals(layer, peel=True) == ("b c d e f g", None)
    assert originals(layer, start=4) == ("C3 e f g", None)
    assert originals(layer, start=5) == ("e f g", None)


def test_originals_come_in_pages(session):
    talk(session, LETTERS)
    compact(session, "b", "i")
    (layer,) = read(session)

    assert originals(layer, limit=3) == ("b c d", 5)
    assert originals(layer, limit=3, start=5) == ("e f g", 8)
    assert originals(layer, limit=3, start=8) == ("h i", None)
    assert originals(layer, start=99) == ("", None)


def test_what_is_revealed_counts_older_summaries(session):
    talk(session, LETTERS)
    older = compact(session, "c", "d")
    compact(session, "b", "g")
    (layer,) = read(session)

    saved = older.tokens_before - older.tokens_after
    assert layer.revealed == layer.compaction.tokens_before - saved


def test_a_fork_reads_the_messages_it_shares(session):
    talk(session, LETTERS)
    other = fork_session(session=session, at="f", key="other")
    compact(other, "b", "d")

    (layer,) = read(other)

    assert originals(layer)[0] == "b c d"
    head = fresh(other).head_id
    assert head is not None
    assert at_number(head, 6) == "f"


def test_every_number_of_a_path_is_found(session):
    chance = random.Random(5)
    talk(session, " ".join(f"m{n}" for n in range(300)))
    say(session, "side", parent=f"m{chance.randrange(200)}")
    leaf = session.messages.get(uid="m299").id

    assert all(at_number(leaf, n + 1) == f"m{n}" for n in range(300))
    assert at_number(leaf, 301) is None
    assert at_number(leaf, 0) is None


def test_a_summary_that_somebody_has_changed_is_not_overwritten(session):
    talk(session, LETTERS)
    made = compact(session, "b", "c", "Mine")
    read_then = digest("Mine")
    update_compaction(
        session=session, uid=made.uid, summary="Theirs", expected=read_then
    )

    with pytest.raises(Conflict, match="Somebody has changed the summary"):
        update_compaction(
            session=session, uid=made.uid, summary="Mine again", expected=read_then
        )

    assert Compaction.objects.get(uid=made.uid).summary == "Theirs"
