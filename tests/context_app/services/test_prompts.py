from __future__ import annotations

import hashlib

import pytest

from context_app.models import Prompt
from context_app.providers import PythonBlock
from context_app.rendering import RULE
from context_app.services.blocks import set_block
from context_app.services.deleted_blocks import delete_block
from context_app.services.policies import set_policy
from context_app.services.prompts import (
    current_prompt,
    freeze_prompt,
    is_stale,
    refresh_prompt,
    renew_frozen,
)
from sessions_app.services.registry.sessions import clear_session
from tests.blocks import KEY, block, entry
from tests.builders import compact, talk


def write(of, text):
    set_block(block=of, content=text, author=KEY)


@pytest.fixture
def memory(session):
    return block(session, content="one", description="Facts", max_tokens=100)


EXPECTED = f"{RULE}\nMEMORY (Facts) [2% — 2/100 tokens] [writable]\n{RULE}\none"


def test_it_works(session, memory):
    prompt = freeze_prompt(session=session)

    assert prompt.text == EXPECTED
    assert prompt.version == 1
    assert prompt.sha256 == hashlib.sha256(EXPECTED.encode()).hexdigest()
    assert prompt.tokens > 0


def test_it_stays_as_it_was(session, memory):
    first = freeze_prompt(session=session)
    write(memory, "two")

    assert freeze_prompt(session=session) == first
    assert is_stale(session, first)
    assert Prompt.objects.count() == 1


def test_refresh(session, memory):
    freeze_prompt(session=session)
    write(memory, "two")

    refreshed = refresh_prompt(session=session)

    assert refreshed.prompt.version == 2
    assert refreshed.prompt.text.endswith("two")
    assert refreshed.diff.split("\n")[-2:] == ["-one", "+two"]
    assert not is_stale(session, refreshed.prompt)
    assert freeze_prompt(session=session) == refreshed.prompt


def test_a_refresh_of_nothing_new_makes_no_version(session, memory):
    frozen = freeze_prompt(session=session)

    assert refresh_prompt(session=session).prompt == frozen
    assert refresh_prompt(session=session).diff == ""


def test_a_refresh_freezes_what_was_not(session, memory):
    assert refresh_prompt(session=session).prompt.version == 1
    assert freeze_prompt(session=session).text == EXPECTED


def test_a_dry_run_writes_nothing(session, memory):
    freeze_prompt(session=session)
    write(memory, "two")

    dry = refresh_prompt(session=session, dry_run=True)

    assert dry.prompt.version == 2
    assert "+two" in dry.diff.split("\n")
    assert current_prompt(session).text == EXPECTED


def test_without_blocks_it_is_empty_and_frozen(session):
    empty = freeze_prompt(session=session)
    block(session, content="late")

    assert empty.text == ""
    assert freeze_prompt(session=session) == empty
    assert is_stale(session, empty)


def test_a_deleted_block_is_in_it_until_a_refresh(session, memory):
    frozen = freeze_prompt(session=session)
    delete_block(block=memory, author=KEY)

    assert freeze_prompt(session=session) == frozen
    assert refresh_prompt(session=session).prompt.text == ""


def test_shared_blocks_make_every_sessions_prompt_stale(session, agent):
    shared = block(agent, "soul", "Kind.", shared=True)
    frozen = freeze_prompt(session=session)
    assert frozen.text.endswith("Kind.")

    write(shared, "Kinder.")

    assert is_stale(session, frozen)


def test_without_figures(session, agent, memory):
    set_policy(agent=agent, usage_in_headers=False)

    assert "MEMORY (Facts) [writable]" in freeze_prompt(session=session).text


def test_a_clear_refreshes_it(session, memory):
    talk(session, "a b")
    freeze_prompt(session=session)
    write(memory, "two")

    clear_session(session=session)

    assert current_prompt(session).text.endswith("two")
    assert current_prompt(session).version == 2


def test_a_compaction_refreshes_it(session, memory):
    talk(session, "a b c")
    freeze_prompt(session=session)
    write(memory, "two")

    compact(session, "a", "b")

    assert current_prompt(session).text.endswith("two")


def test_what_was_never_frozen_is_not_frozen_by_them(session, memory):
    talk(session, "a b c")

    compact(session, "a", "b")
    clear_session(session=session)

    assert current_prompt(session) is None


def test_entries_show_after_a_refresh(session):
    skills = block(session, "skills", kind="skill")
    frozen = freeze_prompt(session=session)
    assert frozen.text == f"{RULE}\nSKILLS [loadable]\n{RULE}\n"

    entry(skills, "pirate", "Arr", description="Speaks")

    assert is_stale(session, frozen)
    assert refresh_prompt(session=session).prompt.text.endswith("- pirate: Speaks")


def test_a_hosts_own_blocks_have_their_place(session, memory):
    class Soul:
        def get(self):
            return "Kind."

    class Clock:
        def init(self, label):
            self.label = label

        def get(self):
            return f"It is {self.label}."

    own = [
        PythonBlock("soul", Soul(), "Identity", position=0),
        PythonBlock("late", Clock(), position=9),
    ]
    memory.position = 5
    memory.save(update_fields=["position"])

    prompt = freeze_prompt(session=session, own=own)

    heads = [line for line in prompt.text.split("\n") if line.endswith("]")]
    assert heads == [
        "SOUL (Identity) [readonly]",
        "MEMORY (Facts) [2% — 2/100 tokens] [writable]",
        "LATE [readonly]",
    ]
    assert prompt.text.endswith("It is late.")
    assert not is_stale(session, prompt, own)
    # Only the host can render it: what happens meanwhile leaves it alone.
    renew_frozen(session)
    assert current_prompt(session) == prompt


def test_freezing_again_costs_one_query(session, memory, django_assert_num_queries):
    freeze_prompt(session=session)

    with django_assert_num_queries(1):
        freeze_prompt(session=session)
