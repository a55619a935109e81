"""Files that are damaged, or no files of conversations: said, and never a failure."""

from __future__ import annotations

import gzip

import pytest

from sessions_app.models import Session
from sessions_app.services.importing.files import UnknownFormat, import_file
from tests.builders import seen

pytestmark = pytest.mark.django_db

TREE = (
    b'{"message_tree_id": "tree", "prompt": {"message_id": "m1", "text": "Hello",'
    b' "role": "prompter", "replies": []}}\n'
)
TIMES = b'"created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"'


def session_line(key: bytes, metadata: bytes) -> bytes:
    return (
        b'{"type": "session", "format": "memoryhub", "version": 1, "id": "%s", ' % key
        + TIMES
        + b', "metadata": '
        + metadata
        + b"}\n"
    )


def nested(depth: int) -> bytes:
    return b'{"a":' * depth + b"1" + b"}" * depth


@pytest.fixture
def load(tmp_path):
    def load(content: bytes):
        path = tmp_path / "file.jsonl"
        path.write_bytes(content)
        return import_file(path, agent_name="support")

    return load


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "It is empty"),
        (b"\n  \r\n\n", "It is empty"),
        (gzip.compress(TREE), "compressed: unpack it first"),
        (b"PK\x03\x04" + bytes(30), "an archive: unpack it first"),
        (TREE.decode().encode("utf-16"), "in UTF-16"),
        (TREE.decode().encode("utf-16-be"), "no format that we know"),
        (b"SQLite format 3\0" + bytes(100), "a database"),
        (bytes(range(256)) * 9, "no format that we know"),
        (b'"a text"\n', "no format that we know"),
        (b'{"type": "\xff"}\n', "no format that we know"),
        (nested(5000), "no format that we know"),
    ],
)
def test_what_it_is_instead_is_said(load, content, what):
    with pytest.raises(UnknownFormat, match=what):
        load(content)


@pytest.mark.parametrize("depth", [300, 990, 1020, 5000])
def test_a_tree_that_is_nested_too_deep(load, depth):
    deep = TREE.replace(b'"replies"', b'"more": ' + nested(depth) + b', "replies"')

    report = load(TREE + deep.replace(b'"tree"', b'"deep"'))

    assert [problem.line for problem in report.problems] == [2]
    assert [session.key for session in Session.objects.all()] == ["oasst:tree"]


@pytest.mark.parametrize("depth", [300, 990, 1020, 5000])
def test_an_entry_of_pi_that_is_nested_too_deep(load, depth):
    entry = (
        b'{"type": "message", "timestamp": "2026-01-01T00:00:00Z", '
        b'"message": {"role": "user", "content": "%s", "more": %s}}\n'
    )
    deep = entry % (b"Deep", nested(depth))

    report = load(entry % (b"Hello", b"1") + deep + entry % (b"Again", b"2"))

    assert 2 in [problem.line for problem in report.problems]
    assert seen(Session.objects.get()) == "line-1 line-3"


@pytest.mark.parametrize("depth", [300, 990, 1020, 5000])
def test_a_session_of_ours_that_is_nested_too_deep(load, depth):
    report = load(session_line(b"trip", b"{}") + session_line(b"deep", nested(depth)))

    assert 2 in [problem.line for problem in report.problems]
    assert [session.key for session in Session.objects.all()] == ["trip"]


def test_a_line_of_ours_that_is_not_utf_8(load):
    report = load(session_line(b"trip", b"{}") + b'{"type": "label", "text": "\xff"}\n')

    assert "is not UTF-8" in [problem.reason for problem in report.problems]
