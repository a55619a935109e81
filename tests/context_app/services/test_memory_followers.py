from __future__ import annotations

from context_app.models import Block, Entry, Prompt, Version
from context_app.services.blocks import set_block
from context_app.services.entries import set_entry
from context_app.services.finding import blocks_of, get_block
from context_app.services.prompts import current_prompt, freeze_prompt
from context_app.services.reading import search_block
from sessions_app.models import SearchDocument
from sessions_app.services.forest.creating import create_session
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.registry.agents import delete_agent
from sessions_app.services.registry.sessions import delete_session, split_session
from tests.blocks import KEY, block, content, entry, history
from tests.builders import talk


def write(of, text):
    set_block(block=of, content=text, author=KEY)


def test_a_new_session_gets_copies_of_templates(agent):
    block(agent, "memory", "Starts so.", description="Facts", max_tokens=90, position=3)

    session = create_session(agent=agent, key="new")

    (memory,) = blocks_of(session)
    assert (memory.content, memory.description, memory.max_tokens, memory.position) == (
        "Starts so.",
        "Facts",
        90,
        3,
    )
    assert history(memory) == [(1, "Starts so.", "template")]


def test_a_copy_goes_its_own_way(agent):
    template = block(agent, "memory", "Starts so.")
    session = create_session(agent=agent)

    write(get_block(session, "memory"), "Else.")
    write(template, "Starts anew.")

    assert content(session) == "Else."
    assert content(create_session(agent=agent)) == "Starts anew."


def test_copies_have_their_entries(agent):
    template = block(agent, "notes", kind="search")
    entry(template, "coffee", "Drinks coffee")

    notes = get_block(create_session(agent=agent), "notes")

    assert [each.key for each in search_block(notes, "coffee")[0]] == ["coffee"]
    assert notes.content == "1 entries indexed."
    entry(notes, "tea", "Drinks tea")
    assert search_block(template, "tea")[0] == []


def test_sessions_that_were_there_get_none(session, agent):
    block(agent, "memory")

    assert blocks_of(session) == []


def test_other_agents_templates_are_not_copied(agent, stranger):
    block(stranger, "memory")

    assert blocks_of(create_session(agent=agent)) == []


def test_shared_blocks_are_not_copied(agent):
    block(agent, "soul", shared=True)

    create_session(agent=agent)

    assert Block.objects.count() == 1


def test_a_fork_has_copies_of_the_blocks(session):
    talk(session, "a b")
    memory = block(session, content="one", max_tokens=50)
    skills = block(session, "skills", kind="skill")
    entry(skills, "a", "x", description="d")

    fork = fork_session(session=session, key="fork")
    write(memory, "two")
    write(get_block(fork, "memory"), "three")
    set_entry(block=skills, key="b", content="y", author=KEY)

    assert content(session) == "two"
    assert content(fork) == "three"
    assert content(fork, "skills") == "- a: d"
    assert content(session, "skills") == "- a: d\n- b"
    assert history(get_block(fork, "memory"))[0] == (1, "one", "fork of trip")


def test_a_fork_has_no_new_templates(session, agent):
    block(agent, "template")

    assert blocks_of(fork_session(session=session)) == []


def test_a_fork_has_the_frozen_prompt(session):
    memory = block(session, content="one")
    frozen = freeze_prompt(session=session)
    write(memory, "two")

    fork = fork_session(session=session)

    assert freeze_prompt(session=fork).text == frozen.text
    assert freeze_prompt(session=fork).sha256 == frozen.sha256
    assert current_prompt(fork).version == 1


def test_a_fork_of_what_is_not_frozen(session):
    block(session)

    assert current_prompt(fork_session(session=session)) is None


def test_a_fork_sees_what_its_agent_shares(session, agent):
    block(agent, "soul", "Kind.", shared=True)

    assert get_block(fork_session(session=session), "soul").content == "Kind."


def test_a_split_goes_on_with_the_blocks(agent):
    block(agent, "memory", "Starts so.")
    session = create_session(agent=agent)
    write(get_block(session, "memory"), "Learned.")

    successor = split_session(session=session, summary="S")

    assert content(successor) == "Learned."
    assert len(blocks_of(successor)) == 1


def test_all_goes_with_a_session(session):
    entry(block(session, "notes", kind="search"), "a", "x")
    freeze_prompt(session=session)
    fork = fork_session(session=session)

    delete_session(session=session)

    assert content(fork, "notes") == "1 entries indexed."
    assert Entry.objects.count() == Prompt.objects.count() == 1
    delete_session(session=fork)
    for model in (Block, Entry, Version, Prompt):
        assert not model.objects.exists()
    assert not SearchDocument.objects.exists()


def test_all_goes_with_an_agent(session, agent):
    block(agent, "soul", shared=True)
    block(session)

    delete_agent(agent=agent)

    assert not Block.objects.exists()


def test_a_new_session_without_templates_costs_a_query(
    agent, django_assert_max_num_queries
):
    with django_assert_max_num_queries(8):
        create_session(agent=agent)
