from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction

from context_app.models import Block, Version
from context_app.services.blocks import (
    append_block,
    revert_block,
    set_block,
    update_block,
)
from context_app.services.creating import BlockExists, create_block
from context_app.services.deleted_blocks import delete_block
from context_app.services.finding import UnknownBlock, blocks_of, get_block
from context_app.services.rules import (
    ExceedsMaxTokens,
    KeyedBlock,
    ReadonlyBlock,
    VersionMismatch,
)
from sessions_app.errors import Invalid, NotFound
from sessions_app.services.forest.creating import create_session
from tests.blocks import KEY, OPERATOR, block, content, fresh_block, history


def write(of, text, **options):
    return set_block(block=of, content=text, **{"author": KEY, **options})


def test_it_works(session):
    memory = block(session, description="Learned facts", max_tokens=1100)

    written = write(memory, "User likes coffee.")

    assert (written.content, written.tokens, written.version) == (
        "User likes coffee.",
        5,
        2,
    )
    assert content(session) == "User likes coffee."


def test_a_block_with_content(session):
    soul = block(session, "soul", "You are helpful.", kind="readonly")

    assert (soul.tokens, soul.version, soul.writable) == (4, 1, False)
    assert history(soul) == [(1, "You are helpful.", "key mh_test")]


def test_blocks_come_in_the_order_of_their_positions(session, agent):
    for label in ("a", "b"):
        block(session, label)
    block(agent, "shared", shared=True)
    block(session, "first", position=0)
    block(session, "last")

    assert [each.label for each in blocks_of(session)] == [
        "a",
        "shared",
        "first",
        "b",
        "last",
    ]


def test_a_label_is_taken(session, agent):
    block(session)

    with pytest.raises(BlockExists) as caught:
        block(session)

    assert caught.value.message == 'Block "memory" already exists'
    block(agent)


def test_a_label_that_the_agent_shares_is_taken(session, agent):
    block(agent, shared=True)

    with pytest.raises(BlockExists):
        block(session)


def test_what_a_session_has_cannot_be_shared(session, agent):
    block(session)

    with pytest.raises(BlockExists) as caught:
        block(agent, shared=True)

    assert caught.value.details == {"label": "memory", "sessions": 1}
    assert not block(agent).shared


def test_another_agents_labels_are_free(session, stranger):
    block(session)

    block(stranger, shared=True)


@pytest.mark.parametrize("label", ["", "  ", "a\nb", "x" * 201, "a\u200bb"])
def test_labels_that_are_none(session, label):
    with pytest.raises(Invalid):
        block(session, label)


@pytest.mark.parametrize(
    "fields",
    [
        {"source": "storage"},
        {"source": "history"},
        {"shared": True},
        {"storage": {"prefix": "x"}},
        {"content": "nul\0"},
        {"content": "half \ud800"},
        {"description": "nul\0"},
        {"kind": "skill", "source": "storage", "storage": {"prefix": "/etc"}},
        {"kind": "skill", "source": "storage", "storage": {"prefix": "a/../../b"}},
        {"kind": "skill", "source": "storage", "storage": {"prefix": 1}},
        {"kind": "skill", "source": "storage", "storage": {"keys": [1]}},
        {"kind": "skill", "source": "storage", "storage": {"other": 1}},
    ],
)
def test_what_does_not_go_together(session, fields):
    with pytest.raises(Invalid):
        block(session, **fields)

    assert not Block.objects.exists()


def test_the_database_keeps_owners_and_kinds(session, agent):
    for fields in (
        {},
        {"session": session, "agent": agent},
        {"session": session, "shared": True},
        {"session": session, "kind": "writable", "source": "storage"},
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            Block.objects.create(label="x", **fields)


def test_a_readonly_block_is_not_written(session):
    soul = block(session, "soul", "Kind.", kind="readonly")

    for action in (set_block, append_block):
        with pytest.raises(ReadonlyBlock) as caught:
            action(block=soul, content="Evil.", author=KEY)
        assert caught.value.message == 'Block "soul" is readonly'

    assert content(session, "soul") == "Kind."
    assert write(soul, "Kinder.", author=OPERATOR).content == "Kinder."


@pytest.mark.parametrize("kind", ["skill", "search"])
def test_a_keyed_block_takes_no_text(session, kind):
    keyed = block(session, "kb", kind=kind)

    with pytest.raises(KeyedBlock) as caught:
        write(keyed, "text")

    assert caught.value.message == (
        'Block "kb" is a keyed provider. Use setSkill() or setSearchEntry() instead.'
    )
    with pytest.raises(KeyedBlock):
        block(session, "other", "text", kind=kind)


def test_too_long(session):
    memory = block(session, max_tokens=3)

    with pytest.raises(ExceedsMaxTokens) as caught:
        write(memory, "a b c d e")

    assert caught.value.message == 'Block "memory" exceeds maxTokens: 7 > 3'
    assert content(session) == ""


def test_too_long_after_an_append(session):
    memory = block(session, content="a b", max_tokens=3)

    with pytest.raises(ExceedsMaxTokens):
        append_block(block=memory, content="c d", author=KEY)

    assert content(session) == "a b"


def test_too_long_from_the_start(session):
    with pytest.raises(ExceedsMaxTokens):
        block(session, content="a b c d e", max_tokens=3)

    assert not Block.objects.exists()


def test_a_limit_of_nothing(session):
    memory = block(session, max_tokens=0)

    with pytest.raises(ExceedsMaxTokens):
        write(memory, "x")

    assert write(memory, "").content == ""


def test_a_limit_below_what_is_there(session):
    memory = block(session, content="a b c d e")

    with pytest.raises(ExceedsMaxTokens):
        update_block(block=memory, max_tokens=3, author=KEY)

    assert fresh_block(memory).max_tokens is None


@pytest.mark.parametrize(
    ("there", "text", "whole"),
    [
        ("a", "b", "a\nb"),
        ("a", "\nb", "a\nb"),
        ("", "b", "b"),
        ("", "\nb", "\nb"),
        ("a\n", "b", "a\n\nb"),
        ("a", "", "a\n"),
    ],
)
def test_append(session, there, text, whole):
    memory = block(session, content=there)

    assert append_block(block=memory, content=text, author=KEY).content == whole


def test_compare_and_set(session):
    memory = block(session)
    write(memory, "one", version=1)

    with pytest.raises(VersionMismatch) as caught:
        write(memory, "other", version=1)

    assert caught.value.details == {"version": 2}
    assert content(session) == "one"
    assert append_block(block=memory, content="two", author=KEY, version=2).version == 3


def test_every_write_is_kept(session):
    memory = block(session)
    write(memory, "one")
    append_block(block=memory, content="two", author=OPERATOR)
    update_block(block=memory, description="Facts", author=KEY)

    assert history(memory) == [
        (1, "", "key mh_test"),
        (2, "one", "key mh_test"),
        (3, "one\ntwo", "operator ada"),
        (4, "one\ntwo", "key mh_test"),
    ]
    assert Version.objects.get(block=memory, version=4).description == "Facts"


def test_revert(session):
    memory = block(session, description="old")
    write(memory, "one")
    write(memory, "two")
    update_block(block=memory, description="new", author=KEY)

    reverted = revert_block(block=memory, version=2, author=OPERATOR)

    assert (reverted.content, reverted.description, reverted.version) == (
        "one",
        "old",
        5,
    )
    assert history(memory)[-1] == (5, "one", "operator ada")


def test_a_revert_obeys_the_limit_of_now(session):
    memory = block(session, content="a b c d e")
    write(memory, "a")
    update_block(block=memory, max_tokens=2, author=KEY)

    with pytest.raises(ExceedsMaxTokens):
        revert_block(block=memory, version=1, author=KEY)


def test_a_version_that_there_is_not(session):
    with pytest.raises(NotFound):
        revert_block(block=block(session), version=9, author=KEY)


def test_place_and_limit_make_no_version(session):
    memory = block(session)

    changed = update_block(block=memory, max_tokens=9, position=4, author=KEY)

    assert (changed.max_tokens, changed.position, changed.version) == (9, 4, 1)
    assert fresh_block(memory).max_tokens == 9
    assert update_block(block=memory, max_tokens=None, author=KEY).max_tokens is None


def test_delete(session):
    memory = block(session)

    delete_block(block=memory, author=KEY)

    assert not Block.objects.exists()
    for gone in (lambda: get_block(session, "memory"), lambda: write(memory, "x")):
        with pytest.raises(UnknownBlock) as caught:
            gone()
        assert caught.value.message == 'Block "memory" not found'


def test_a_shared_block_has_one_content(session, agent):
    shared = block(agent, shared=True)
    other = create_session(agent=agent)

    write(get_block(session, "memory"), "For all.")

    assert get_block(other, "memory").content == "For all."
    assert fresh_block(shared).version == 2


def test_another_agent_does_not_see_it(session, stranger):
    block(session, "own")
    other = create_session(agent=stranger, key="trip")

    assert blocks_of(other) == []
    with pytest.raises(UnknownBlock):
        get_block(other, "own")


def test_an_unknown_kind_is_refused(session):
    with pytest.raises(Invalid):
        create_block(owner=session, label="x", kind="magic", author=KEY)
