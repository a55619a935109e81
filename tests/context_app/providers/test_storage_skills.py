"""Skills that are files in a folder."""

from __future__ import annotations

import pytest

from context_app.providers.storage import LARGEST, MORE, MOST, is_safe
from context_app.services.contexts import context_of
from context_app.services.entries import delete_entry, revert_entry, set_entry
from context_app.services.prompts import freeze_prompt, is_stale, refresh_prompt
from context_app.services.reading import page_of_files, read_entry
from context_app.services.rules import ExceedsMaxTokens, ReadonlyBlock
from sessions_app.errors import NotFound
from sessions_app.services.registry.sessions import clear_session
from tests.blocks import (
    INJECTION,
    KEY,
    OPERATOR,
    block,
    content,
    entry,
    history,
    scan_with,
    tool,
)


@pytest.fixture
def files(folder):
    for name, text in {
        "pirate.md": "---\ndescription: Speaks like a pirate\n---\nArr",
        "sub/navy.md": "Aye",
        "sub/navy.md.meta": "For the navy",
        ".hidden": "no",
        ".git/config": "no",
        "other/x.md": "X",
    }.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return folder


def skills(session, label="skills", **storage):
    return block(session, label, kind="skill", source="storage", storage=storage)


def test_it_works(session, files):
    made = skills(session)

    assert made.content == (
        "- other/x.md\n- pirate.md: Speaks like a pirate\n- sub/navy.md: For the navy"
    )
    assert tool(session, "load_context", label="skills", key="sub/navy.md") == "Aye"


def test_a_prefix(session, files):
    assert skills(session, prefix="sub/").content == "- navy.md: For the navy"
    assert skills(session, "b", prefix="sub/na").content == "- vy.md: For the navy"
    assert (
        skills(session, "c", prefix="pir").content == "- ate.md: Speaks like a pirate"
    )
    assert tool(session, "load_context", label="b", key="vy.md") == "Aye"


def test_an_allow_list(session, files):
    made = skills(session, keys=["pirate.md", "none.md"])

    assert made.content == "- pirate.md: Speaks like a pirate"
    for key in ("sub/navy.md", "none.md"):
        assert (
            tool(session, "load_context", label="skills", key=key)
            == f"Not found: {key}"
        )


def test_no_folder_is_an_empty_one(session, folder):
    assert skills(session, prefix="none/").content == ""
    folder.rmdir()
    assert skills(session, "other").content == ""


@pytest.mark.parametrize(
    "key",
    [
        "../secret.md",
        "sub/../../secret.md",
        "/etc/passwd",
        ".hidden",
        ".git/config",
        "sub//navy.md",
        "sub/navy.md.meta",
        "sub",
        "nul\0",
        "",
        "pirate.md/x",
        "..\\x",
    ],
)
def test_keys_that_lead_elsewhere(session, files, key):
    (files.parent / "secret.md").write_text("secret")
    skills(session)

    answer = tool(session, "load_context", label="skills", key=key)

    assert answer.startswith(("Not found: ", "Error: "))


def test_what_lies_beside_the_prefix_is_out_of_reach(session, files):
    skills(session, prefix="sub/")

    assert not is_safe("../pirate.md")
    answer = tool(session, "load_context", label="skills", key="../pirate.md")
    assert answer == "Not found: ../pirate.md"


def test_it_is_readonly_unless_it_is_said(session, files):
    made = skills(session)

    assert not made.writable
    with pytest.raises(ReadonlyBlock):
        entry(made, "new.md", "x")


def test_a_document_is_written(session, files):
    made = skills(session, prefix="sub/", writable=True)

    answer = tool(
        session,
        "set_context",
        label="skills",
        content="Ahoy",
        metadata={"title": "Old salt", "description": "For sailors"},
    )

    assert answer == 'Indexed "old-salt" in skills.'
    assert (files / "sub/old-salt").read_text() == (
        '---\ndescription: "For sailors"\n---\nAhoy'
    )
    assert content(session, "skills").endswith("- old-salt: For sailors")
    assert history(made, "old-salt") == [(1, "Ahoy", "tool set_context, key mh_test")]


def test_a_document_is_written_over_and_had_back(session, files):
    made = skills(session, writable=True)
    entry(made, "a.md", "one")
    entry(made, "a.md", "two")

    revert_entry(block=made, key="a.md", version=1, author=KEY)

    assert (files / "a.md").read_text() == "one"
    assert len(history(made, "a.md")) == 3


def test_a_document_is_deleted(session, files):
    made = skills(session, writable=True)

    delete_entry(block=made, key="pirate.md", author=KEY)

    assert not (files / "pirate.md").exists()
    assert "pirate" not in content(session, "skills")
    with pytest.raises(NotFound):
        delete_entry(block=made, key="pirate.md", author=KEY)


def test_what_is_suspicious_is_not_written(session, agent, files):
    made = skills(session, writable=True)
    scan_with(agent, "quarantine")

    held = set_entry(block=made, key="a.md", content=INJECTION, author=KEY)

    assert held.state == "held"
    assert not (files / "a.md").exists()
    entry(made, "a.md", INJECTION, author=OPERATOR)
    assert (files / "a.md").read_text() == INJECTION


def test_a_file_that_is_too_long_is_not_loaded(session, files):
    block(session, "s", kind="skill", source="storage", max_tokens=30)
    (files / "long.md").write_text("word " * 100)

    answer = tool(session, "load_context", label="s", key="long.md")

    assert answer == 'Error: Block "s" exceeds maxTokens: 130 > 30'
    with pytest.raises(ExceedsMaxTokens):
        block(session, "t", kind="skill", source="storage", max_tokens=5)


def test_what_is_no_text_is_read_all_the_same(session, files):
    (files / "image.png").write_bytes(b"\xff\x00\x89PNG")
    skills(session)

    text = tool(session, "load_context", label="skills", key="image.png")

    assert text == "\ufffd\ufffd\ufffdPNG"


def test_of_a_huge_file_the_beginning_is_read(session, files):
    (files / "huge").write_bytes(b"x" * (LARGEST + 5))
    skills(session)

    assert len(tool(session, "load_context", label="skills", key="huge")) == LARGEST


def test_of_very_many_not_all_are_listed(session, folder):
    for number in range(MOST + 2):
        (folder / f"{number:05}").touch()

    lines = skills(session).content.split("\n")

    assert len(lines) == MOST + 1
    assert lines[-1] == MORE


def test_the_folder_is_asked_at_a_refresh(session, files):
    skills(session)
    frozen = freeze_prompt(session=session)
    (files / "new.md").write_text("New")

    assert not is_stale(session, frozen), "nobody has looked"
    clear_session(session=session)
    assert "new.md" not in freeze_prompt(session=session).text
    assert "new.md" in refresh_prompt(session=session).prompt.text
    assert "new.md" in content(session, "skills")


def test_entries_are_listed_and_read(session, files):
    made = skills(session)

    assert [each.key for each in page_of_files(made, 10)[0]] == [
        "other/x.md",
        "pirate.md",
        "sub/navy.md",
    ]
    assert read_entry(made, "sub/navy.md").content == "Aye"
    with pytest.raises(NotFound):
        read_entry(made, "none")


def test_a_storage_that_fails(session, files, monkeypatch):
    skills(session)
    (files / "locked").mkdir()
    # Root may read everything: a name that no file can have fails for anyone.
    answer = tool(session, "load_context", label="skills", key="x" * 300)

    assert answer == "Error: The storage of the skills does not answer"


def test_it_is_looked_at_only_when_asked(session, files):
    skills(session)
    (files / "new.md").write_text("New")

    assert "new.md" not in context_of(session)[0].content
    assert "new.md" in context_of(session, live=True)[0].content


def test_a_description_stays_unless_it_is_given(session, files):
    made = skills(session, writable=True)

    entry(made, "pirate.md", "Ahoy")
    entry(made, "sub/navy.md", "Aye aye")
    entry(made, "new.md", "New")

    assert content(session, "skills") == (
        "- new.md\n- other/x.md\n- pirate.md: Speaks like a pirate\n"
        "- sub/navy.md: For the navy"
    )
