from __future__ import annotations

import pytest

from context_app.providers.front_matter import (
    description_in_meta,
    description_of,
    with_description,
)


@pytest.mark.parametrize(
    ("text", "description"),
    [
        (
            "---\nname: x\ndescription: Speaks like a pirate\n---\nArr",
            "Speaks like a pirate",
        ),
        ('---\ndescription: "With: a colon"\n---\n', "With: a colon"),
        ("---\ndescription: 'It''s'\n---\n", "It's"),
        ("---\ndescription: >\n  two\n  lines\nname: x\n---\n", "two lines"),
        ("\ufeff---\r\ndescription: x\r\n---\r\n", "x"),
        ('---\ndescription: "open\n---\n', '"open'),
        ('---\ndescription: "a" b"\n---\n', 'a" b'),
        ("---\nname: x\n---\ndescription: not this\n", ""),
        ("description: no fence", ""),
        ("---\nother: x", ""),
        ("", ""),
    ],
)
def test_front_matter(text, description):
    assert description_of(text) == description


@pytest.mark.parametrize(
    ("text", "description"),
    [
        ("  Plain text\n", "Plain text"),
        ('{"description": "In JSON"}', "In JSON"),
        ('"A string"', "A string"),
        ('{"other": 1}', ""),
        ("[1]", ""),
        ("42", ""),
    ],
)
def test_a_file_beside(text, description):
    assert description_in_meta(text) == description


def test_a_description_is_written_and_read_again():
    document = with_description("Body\n", 'Says "arr"\nloudly')

    assert description_of(document) == 'Says "arr" loudly'
    assert document.endswith("---\nBody\n")


def test_front_matter_that_is_there_stays():
    document = "---\ndescription: x\n---\nBody"

    assert with_description(document, "other") == document
    assert with_description("Body", "") == "Body"
