from __future__ import annotations

import pytest

from context_app.models import Entry
from context_app.providers import provider_of
from context_app.services.deleted_blocks import delete_block
from context_app.services.entries import delete_entry, revert_entry
from context_app.services.reading import NotSearchable, search_block
from context_app.services.rules import (
    ExceedsMaxTokens,
    NotKeyed,
    VersionMismatch,
)
from sessions_app import search
from sessions_app.errors import Invalid, NotFound
from sessions_app.models import SearchDocument
from sessions_app.search import Scope
from sessions_app.services.registry.agents import delete_agent
from sessions_app.services.registry.sessions import delete_session
from sessions_app.services.searching import find_messages
from tests.blocks import KEY, block, content, entry, history
from tests.builders import say


@pytest.fixture
def skills(session):
    return block(session, "skills", kind="skill")


@pytest.fixture
def notes(session):
    return block(session, "notes", kind="search")


def found(notes, query):
    return [each.key for each in search_block(notes, query)[0]]


def test_skills_are_listed(session, skills):
    entry(skills, "pirate", "Say arr", description="Speaks like a pirate")
    entry(skills, "navy", "Aye")

    assert content(session, "skills") == "- pirate: Speaks like a pirate\n- navy"
    assert provider_of(skills).load("pirate") == "Say arr"
    assert provider_of(skills).load("cook") is None


def test_a_description_stays_on_its_line(session, skills):
    entry(skills, "a", "x", description="one\n- b: two")

    assert content(session, "skills") == "- a: one - b: two"


def test_notes_are_counted(session, notes):
    assert content(session, "notes") == ""
    entry(notes, "a", "x")
    assert content(session, "notes") == "1 entries indexed."
    entry(notes, "b", "y")
    assert content(session, "notes") == "2 entries indexed."


def test_notes_are_found(notes):
    entry(notes, "coffee", "The user drinks coffee in the morning")
    entry(notes, "tea", "Tea is for the evening")

    entries, text = search_block(notes, "coffee")

    assert [each.key for each in entries] == ["coffee"]
    assert text == "[coffee]\nThe user drinks coffee in the morning"
    assert search_block(notes, "water")[1] == "No results found."
    assert search_block(notes, "  ")[1] == "No results found."


def test_the_ten_best_are_found(notes):
    for number in range(12):
        entry(notes, f"n{number}", "coffee " + "and much else " * number)

    entries, text = search_block(notes, "coffee")

    assert len(entries) == 10
    assert entries[0].key == "n0"
    assert text.count("\n\n") == 9


def test_words_are_stemmed_and_cjk_is_found(notes):
    entry(notes, "deploy", "We are deploying on Friday")
    entry(notes, "cjk", "用户喜欢咖啡")

    assert found(notes, "deploys") == ["deploy"]
    assert found(notes, "咖啡") == ["cjk"]
    assert found(notes, "喜欢咖") == ["cjk"]


def test_a_query_that_cannot_be_answered(notes):
    with pytest.raises(Invalid):
        search_block(notes, "-word")


def test_other_blocks_are_not_searched(session, notes, stranger):
    other = block(session, "other", kind="search")
    theirs = block(stranger, "theirs", kind="search")
    entry(other, "a", "coffee")
    entry(theirs, "b", "coffee")

    assert found(notes, "coffee") == []


def test_a_message_search_finds_no_entries(session, notes):
    entry(notes, "coffee", "coffee")
    say(session, "coffee", uid="m")

    for scope in (Scope(), Scope(agent=session.agent_id), Scope(session=session.id)):
        hits = find_messages(text="coffee OR *offe*", scope=scope)
        assert [hit.message for hit in hits.hits] == ["m"]


def test_what_was_changed_is_found_as_it_is_now(notes):
    entry(notes, "a", "coffee")
    entry(notes, "a", "tea")

    assert found(notes, "coffee") == []
    assert found(notes, "tea") == ["a"]


def test_only_search_blocks_are_searched(skills):
    with pytest.raises(NotSearchable):
        search_block(skills, "x")


@pytest.mark.parametrize("gone", ["entry", "block", "session"])
def test_what_is_deleted_is_found_no_more(session, notes, gone):
    entry(notes, "a", "coffee")

    if gone == "entry":
        delete_entry(block=notes, key="a", author=KEY)
    elif gone == "block":
        delete_block(block=notes, author=KEY)
    else:
        delete_session(session=session)

    assert not SearchDocument.objects.exists()
    assert not Entry.objects.exists()
    search.check()


def test_an_agents_entries_go_with_it(agent):
    entry(block(agent, "notes", kind="search", shared=True), "a", "coffee")

    delete_agent(agent=agent)

    assert not SearchDocument.objects.exists()


def test_every_write_is_kept(skills):
    entry(skills, "a", "one")
    entry(skills, "a", "two", description="d")
    delete_entry(block=skills, key="a", author=KEY)

    assert [row[:2] for row in history(skills, "a")] == [
        (1, "one"),
        (2, "two"),
        (3, ""),
    ]
    assert history(skills) == [(1, "", "key mh_test")]


def test_a_description_stays_unless_it_is_given(skills):
    entry(skills, "a", "one", description="d")

    assert entry(skills, "a", "two").description == "d"
    assert entry(skills, "a", "two", description="").description == ""


def test_what_was_deleted_is_had_back(session, skills):
    entry(skills, "a", "one", description="d")
    delete_entry(block=skills, key="a", author=KEY)

    back = revert_entry(block=skills, key="a", version=1, author=KEY)

    assert (back.content, back.description, back.version) == ("one", "d", 3)
    assert content(session, "skills") == "- a: d"
    with pytest.raises(NotFound):
        revert_entry(block=skills, key="a", version=2, author=KEY)


def test_compare_and_set(skills):
    entry(skills, "a", "one", version=0)

    for seen in (0, 2):
        with pytest.raises(VersionMismatch) as caught:
            entry(skills, "a", "two", version=seen)
        assert caught.value.details == {"version": 1}
    assert entry(skills, "a", "two", version=1).version == 2


def test_an_entry_that_is_too_long(session):
    skills = block(session, "skills", kind="skill", max_tokens=5)

    with pytest.raises(ExceedsMaxTokens) as caught:
        entry(skills, "a", "one two three four five")

    assert caught.value.message == 'Block "skills" exceeds maxTokens: 7 > 5'


def test_a_list_that_is_too_long(session):
    skills = block(session, "skills", kind="skill", max_tokens=6)
    entry(skills, "a", "x", description="one two")

    with pytest.raises(ExceedsMaxTokens):
        entry(skills, "b", "x", description="three")

    assert [each.key for each in Entry.objects.all()] == ["a"]
    assert content(session, "skills") == "- a: one two"


def test_a_text_block_has_no_entries(session):
    memory = block(session)

    with pytest.raises(NotKeyed):
        entry(memory, "a", "x")
    with pytest.raises(NotKeyed):
        delete_entry(block=memory, key="a", author=KEY)


@pytest.mark.parametrize("key", ["", " ", "a\nb", "x" * 201])
def test_keys_that_are_none(skills, key):
    with pytest.raises(Invalid):
        entry(skills, key, "x")


def test_an_entry_that_there_is_not(skills):
    with pytest.raises(NotFound):
        delete_entry(block=skills, key="a", author=KEY)
