"""What is kept of documents in files, which others may write as well."""

from __future__ import annotations

import pytest
from django.core.files.storage import FileSystemStorage

from context_app.providers import StorageUnavailable
from context_app.services.entries import delete_entry, revert_entry, set_entry
from context_app.services.reading import read_entry
from context_app.services.rules import VersionMismatch
from tests.blocks import KEY, block, content, entry, fresh_block, history

MINE = "key mh_test"


@pytest.fixture
def skills(session, folder):
    (folder / "pirate").write_text("Arr")
    return block(
        session, "skills", kind="skill", source="storage", storage={"writable": True}
    )


def version(of, key):
    return read_entry(of, key).version


def test_what_was_there_is_kept_when_it_is_written_over(skills, folder):
    entry(skills, "pirate", "Ahoy")

    assert history(skills, "pirate") == [(1, "Arr", "storage"), (2, "Ahoy", MINE)]
    revert_entry(block=skills, key="pirate", version=1, author=KEY)
    assert (folder / "pirate").read_text() == "Arr"


def test_what_was_changed_by_hand_is_kept(skills, folder):
    entry(skills, "pirate", "Ahoy")
    (folder / "pirate").write_text("By hand")
    assert version(skills, "pirate") == 3

    entry(skills, "pirate", "Again")

    assert history(skills, "pirate")[2:] == [
        (3, "By hand", "storage"),
        (4, "Again", MINE),
    ]
    assert version(skills, "pirate") == 4


def test_a_deleted_document_is_had_back(skills, folder):
    delete_entry(block=skills, key="pirate", author=KEY)
    assert not (folder / "pirate").exists()

    revert_entry(block=skills, key="pirate", version=1, author=KEY)

    assert (folder / "pirate").read_text() == "Arr"
    assert history(skills, "pirate") == [
        (1, "Arr", "storage"),
        (2, "", MINE),
        (3, "Arr", MINE),
    ]


def test_compare_and_set(skills, folder):
    seen = version(skills, "pirate")
    entry(skills, "pirate", "first", version=seen)

    for stale in (seen, 0):
        with pytest.raises(VersionMismatch):
            entry(skills, "pirate", "second", version=stale)

    assert (folder / "pirate").read_text() == "first"
    entry(skills, "new", "x", version=0)
    with pytest.raises(VersionMismatch):
        entry(skills, "new", "y", version=0)


def test_a_description_does_not_make_it_another_one(skills):
    made = entry(skills, "new", "Text", description="Says")

    read = read_entry(skills, "new")
    assert (read.version, read.description) == (1, "Says")
    assert made.version == 1
    entry(skills, "new", "Text 2", version=1)
    assert read_entry(skills, "new").description == "Says"


def test_a_documents_own_front_matter_says_what_it_is(skills):
    made = entry(skills, "new", "---\ndescription: own\n---\nText", description="other")

    assert made.description == "own"
    assert read_entry(skills, "new").description == "own"


def test_a_description_in_a_file_beside(skills, folder):
    (folder / "pirate.meta").write_text('{"description": "Old", "more": 1}')

    entry(skills, "pirate", "Ahoy", description="New")

    assert (folder / "pirate").read_text() == "Ahoy"
    assert (folder / "pirate.meta").read_text() == '{"description": "New", "more": 1}'
    assert content(skills.session, "skills") == "- pirate: New"
    delete_entry(block=skills, key="pirate", author=KEY)
    assert not list(folder.iterdir())


def test_a_write_that_fails_leaves_no_version(skills, monkeypatch):
    def fail(self, name, content):
        raise OSError("disk full")

    monkeypatch.setattr(FileSystemStorage, "_save", fail)

    with pytest.raises(StorageUnavailable):
        entry(skills, "pirate", "Ahoy")

    assert history(skills, "pirate") == [(1, "Arr", "storage")]
    assert version(skills, "pirate") == 1


def test_a_listing_that_fails_does_not_undo_a_write(skills, folder, monkeypatch):
    def fail(self, path):
        raise OSError("no")

    monkeypatch.setattr(FileSystemStorage, "listdir", fail)

    entry(skills, "pirate", "Ahoy")

    assert (folder / "pirate").read_text() == "Ahoy"
    assert fresh_block(skills).content == "- pirate"


@pytest.mark.parametrize("key", ["x.meta", "../x", ".x", "a\\b"])
def test_names_that_no_document_has(skills, folder, key):
    with pytest.raises(StorageUnavailable):
        set_entry(block=skills, key=key, content="x", author=KEY)

    assert [path.name for path in folder.iterdir()] == ["pirate"]
    assert history(skills, key) == []
