"""Writers that come at the same time, each on a connection of its own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from context_app.models import Block, Prompt, Version
from context_app.services.blocks import append_block, set_block
from context_app.services.creating import BlockExists, create_block
from context_app.services.entries import set_entry
from context_app.services.prompts import freeze_prompt
from context_app.services.rules import VersionMismatch
from sessions_app.errors import MemoryHubError
from tests.blocks import KEY, block, fresh_block

pytestmark = pytest.mark.django_db(transaction=True)

THREADS = 8


def together(work):
    """Call ``work`` with a number in each thread, and return what comes of it."""

    def outcome(number):
        try:
            return work(number)
        except MemoryHubError as refusal:
            return refusal

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(outcome, range(THREADS)))


def test_one_of_those_that_saw_the_same_version_writes(session):
    memory = block(session)

    outcomes = together(
        lambda n: set_block(block=memory, content=f"by {n}", author=KEY, version=1)
    )

    written = [each for each in outcomes if isinstance(each, Block)]
    assert len(written) == 1
    assert sum(isinstance(each, VersionMismatch) for each in outcomes) == THREADS - 1
    assert fresh_block(memory).content == written[0].content


def test_no_append_is_lost(session):
    memory = block(session)

    together(lambda n: append_block(block=memory, content=f"line {n}", author=KEY))

    lines = fresh_block(memory).content.split("\n")
    assert sorted(lines) == [f"line {n}" for n in range(THREADS)]
    assert Version.objects.filter(block=memory).count() == THREADS + 1


def test_no_entry_is_lost(session):
    skills = block(session, "skills", kind="skill")

    together(lambda n: set_entry(block=skills, key=f"k{n}", content="x", author=KEY))

    assert len(fresh_block(skills).content.split("\n")) == THREADS


def test_one_prompt_is_frozen(session):
    block(session, content="one")

    prompts = together(lambda n: freeze_prompt(session=session))

    assert len({prompt.pk for prompt in prompts}) == 1
    assert Prompt.objects.count() == 1


def test_a_label_is_given_once(session, agent):
    def make(number):
        owner = session if number % 2 else agent
        return create_block(
            owner=owner, label="memory", shared=owner is agent, author=KEY
        )

    outcomes = together(make)

    assert Block.objects.count() == 1
    assert sum(isinstance(each, BlockExists) for each in outcomes) == THREADS - 1
