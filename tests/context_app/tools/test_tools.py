from __future__ import annotations

import pytest

from context_app.authors import Author
from context_app.models import HeldWrite, SkillCall
from context_app.providers import PythonBlock
from context_app.services.policies import set_policy
from context_app.tools import TOOLS, call_tool, definitions
from sessions_app.errors import NotFound
from sessions_app.formats import print_tools
from sessions_app.services.forest.creating import create_session
from tests.blocks import INJECTION, KEY, block, content, entry, history, scan_with, tool
from tests.builders import say


def names(session, own=()):
    return [each.name for each in definitions(session, own)]


def defined(session, name):
    return next(each for each in definitions(session) if each.name == name)


@pytest.fixture
def skills(session):
    made = block(session, "skills", kind="skill")
    entry(made, "pirate", "Say arr")
    return made


@pytest.fixture
def notes(session):
    made = block(session, "notes", kind="search")
    entry(made, "coffee", "Drinks coffee")
    return made


# What is offered


def test_without_blocks_there_are_no_tools(session):
    assert names(session) == []


@pytest.mark.parametrize(
    ("kind", "offered"),
    [
        ("readonly", []),
        ("writable", ["set_context"]),
        ("skill", ["set_context", "load_context", "unload_context"]),
        ("search", ["set_context", "search_context"]),
    ],
)
def test_each_tool_is_offered_when_a_block_needs_it(session, kind, offered):
    block(session, kind=kind)

    assert names(session) == offered


def test_the_search_of_all_sessions_is_offered_to_who_is_to_have_it(session, agent):
    set_policy(agent=agent, session_search=True)

    assert names(session) == ["session_search"]


def test_a_hosts_own_blocks_need_tools_too(session):
    class Both:
        def get(self):
            return None

        def load(self, key):
            return key

        def search(self, query):
            return query

    assert names(session, [PythonBlock("x", Both())]) == [
        "load_context",
        "unload_context",
        "search_context",
    ]


def test_blocks_are_described(session, skills, notes):
    block(session, description="Learned facts", max_tokens=1100)
    block(session, "soul", kind="readonly")

    told = defined(session, "set_context")

    assert '- "memory" (writable): Learned facts' in told.description
    assert (
        '- "skills" (skill collection, keyed entries): no description'
        in told.description
    )
    assert '- "notes" (searchable, keyed entries): no description' in told.description
    assert "1100" not in told.description
    properties = told.input_schema["properties"]
    assert properties["label"]["enum"] == ["skills", "notes", "memory"]
    assert properties["action"]["enum"] == ["replace", "append"]
    assert set(properties["metadata"]["properties"]) == {"title", "description"}
    assert told.input_schema["required"] == ["label", "content"]


def test_metadata_is_for_keyed_blocks(session):
    block(session)

    assert "metadata" not in defined(session, "set_context").input_schema["properties"]


def test_what_is_loaded_is_told(session, skills):
    assert defined(session, "unload_context").description.endswith("Loaded now: none.")

    tool(session, "load_context", label="skills", key="pirate")

    told = defined(session, "unload_context").description
    assert told.endswith("Loaded now: skills:pirate.")


@pytest.mark.parametrize("form", ["openai", "anthropic", "mcp", "ai-sdk"])
def test_every_form_says_it_all(session, skills, form):
    told = defined(session, "load_context")

    (shaped,) = print_tools(form, [told])

    inner = shaped.get("function", shaped)
    assert (inner["name"], inner["description"]) == (told.name, told.description)
    schemas = [value for key, value in inner.items() if key not in ("type", "name")]
    assert told.input_schema in schemas


# set_context


def test_set(session):
    block(session, max_tokens=1100)

    answer = tool(session, "set_context", label="memory", content="User likes coffee.")

    assert answer == "Written to memory. Usage: 0% (5/1100 tokens)"
    assert content(session) == "User likes coffee."


@pytest.mark.parametrize("limit", [None, 0])
def test_set_without_a_limit(session, limit):
    block(session, max_tokens=limit)

    answer = tool(session, "set_context", label="memory", content="x" if limit else "")

    assert answer == "Written to memory. Usage: 0 tokens"


def test_append(session):
    block(session, content="one")

    tool(session, "set_context", label="memory", content="two", action="append")
    assert content(session) == "one\ntwo"
    tool(session, "set_context", label="memory", content="three", action="other")
    assert content(session) == "three"


def test_a_call_is_the_author(session):
    memory = block(session)

    tool(session, "set_context", label="memory", content="x")

    assert history(memory)[-1] == (2, "x", "tool set_context, key mh_test")


def test_a_model_is_no_operator(session, agent):
    scan_with(agent, "quarantine")
    block(session)
    ada = Author("operator ada", is_operator=True)

    answer = call_tool(
        session=session,
        name="set_context",
        arguments={"label": "memory", "content": INJECTION},
        caller=ada,
    )

    assert answer.startswith("Held for review")
    assert HeldWrite.objects.get().author == "tool set_context, operator ada"


@pytest.mark.parametrize(
    ("metadata", "key", "description"),
    [
        ({"title": "Pirate style"}, "pirate-style", "Pirate style"),
        ({"title": "T", "description": "D"}, "t", "D"),
        ({"title": None}, "x-1ocfmxv", ""),
        ({}, "x-1ocfmxv", ""),
        (None, "x-1ocfmxv", ""),
        ({"title": "   "}, "x-1ocfmxv", "   "),
    ],
)
def test_an_entry_is_written(session, skills, metadata, key, description):
    answer = tool(
        session, "set_context", label="skills", content="x", metadata=metadata
    )

    key = answer.split('"')[1] if metadata in (None, {}) else key
    written = skills.entries.exclude(key="pirate").get()
    assert answer == f'Indexed "{written.key}" in skills.'
    assert written.description == description
    assert written.key.split("-")[0] == key.split("-")[0]


def test_the_same_title_writes_over(session, notes):
    for text in ("one", "two"):
        tool(
            session,
            "set_context",
            label="notes",
            content=text,
            metadata={"title": "Same"},
            action="append",
        )

    assert notes.entries.get(key="same").content == "two"


@pytest.mark.parametrize(
    ("label", "text", "answer"),
    [
        ("none", "x", 'Error: block "none" not found'),
        ("soul", "x", 'Error: Block "soul" is readonly'),
        ("small", "a b c d e", 'Error: Block "small" exceeds maxTokens: 7 > 3'),
        ("memory", "nul\0", "Error: content: holds a NUL character"),
        (
            "memory",
            "half \ud800",
            "Error: content: holds half a character (a lone surrogate)",
        ),
    ],
)
def test_what_is_refused(session, label, text, answer):
    block(session)
    block(session, "soul", "Kind.", kind="readonly")
    block(session, "small", max_tokens=3)

    assert tool(session, "set_context", label=label, content=text) == answer


# load_context and unload_context


def test_load_and_unload(session, skills):
    assert tool(session, "load_context", label="skills", key="pirate") == "Say arr"
    assert tool(session, "unload_context", label="skills", key="pirate") == (
        'Unloaded "pirate" from skills. Context reclaimed.'
    )
    assert tool(session, "unload_context", label="skills", key="pirate") == (
        'Skill "pirate" is not currently loaded in "skills".'
    )


def test_what_is_not_there_is_not_loaded(session, skills):
    assert (
        tool(session, "load_context", label="skills", key="cook") == "Not found: cook"
    )
    assert not SkillCall.objects.exists()


def test_an_empty_skill_is_loaded(session, skills):
    entry(skills, "empty", "")

    assert tool(session, "load_context", label="skills", key="empty") == ""
    assert SkillCall.objects.exists()


@pytest.mark.parametrize("name", ["load_context", "unload_context"])
def test_a_label_without_skills(session, skills, name):
    block(session)
    block(session, "more", kind="skill")

    assert tool(session, name, label="memory", key="x") == (
        'Error: "memory" is not a skill block. Skill blocks: skills, more'
    )


# search_context and session_search


def test_search(session, notes):
    assert tool(session, "search_context", label="notes", query="coffee") == (
        "[coffee]\nDrinks coffee"
    )
    for query in ("tea", "", "***"):
        assert tool(session, "search_context", label="notes", query=query) == (
            "No results found."
        )


def test_a_label_that_cannot_be_searched(session, notes, skills):
    assert tool(session, "search_context", label="skills", query="x") == (
        'Error: "skills" is not searchable. Searchable blocks: notes'
    )


def test_a_query_that_cannot_be_answered(session, notes):
    answer = tool(session, "search_context", label="notes", query="-coffee")

    assert answer.startswith("Error: A query cannot only exclude")


def test_all_sessions_are_searched(session, agent, stranger):
    say(create_session(agent=agent), "coffee at noon", uid="m")
    say(create_session(agent=stranger), "coffee is theirs", uid="m")

    assert tool(session, "session_search", query="coffee") == "[user] coffee at noon"
    assert tool(session, "session_search", query="tea") == "No results found."


def test_many_hits(session):
    for number in range(12):
        say(session, f"coffee {number}")

    answer = tool(session, "session_search", query="coffee")

    assert len(answer.split("\n---\n")) == 10


# What a model may send


@pytest.mark.parametrize("name", TOOLS)
@pytest.mark.parametrize(
    "arguments",
    [None, [], 7, "not json", "[1]", "null", {}, {"label": 7}, {"label": "memory"}, ""],
)
def test_arguments_that_are_none(session, name, arguments):
    block(session)

    answer = call_tool(session=session, name=name, arguments=arguments, caller=KEY)

    assert answer.startswith("Error: ")


def test_arguments_as_json_text(session):
    block(session)

    answer = call_tool(
        session=session,
        name="set_context",
        arguments='{"label": "memory", "content": "x", "extra": 1}',
        caller=KEY,
    )

    assert answer == "Written to memory. Usage: 2 tokens"


def test_metadata_that_is_none(session, skills):
    wrong: list[object] = ["x", [], {"title": 7}]
    for metadata in wrong:
        answer = tool(
            session, "set_context", label="skills", content="x", metadata=metadata
        )
        assert answer.startswith('Error: "')


def test_a_tool_that_there_is_not(session):
    with pytest.raises(NotFound):
        tool(session, "none")
