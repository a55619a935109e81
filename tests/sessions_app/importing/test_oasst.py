from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from sessions_app.services.importing import oasst
from sessions_app.services.importing.conversations import Conversation, Line

DATA = Path("tests/data/oasst.jsonl")


def read(*trees):
    texts = [t if isinstance(t, bytes) else orjson.dumps(t) for t in trees]
    found = [*oasst.read(Line(*pair) for pair in enumerate(texts, 1))]
    conversations = [each for each in found if isinstance(each, Conversation)]
    return conversations, [each for each in found if not isinstance(each, Conversation)]


def message(uid, *replies, role="assistant", **fields):
    given = {"message_id": uid, "text": uid, "role": role, "replies": [*replies]}
    return {**given, **fields}


def tree(*replies, **fields):
    prompt = message("root", *replies, role="prompter")
    return {"message_tree_id": "t", "tree_state": "ready", "prompt": prompt, **fields}


@pytest.fixture(scope="module")
def published():
    conversations, problems = read(*DATA.read_bytes().splitlines())
    assert problems == []
    return conversations


def test_a_tree_is_a_session_with_all_its_branches(published):
    assert len(published) == 4
    assert sum(len(each.messages) for each in published) == 49
    assert sum(each.branch_points for each in published) == 13
    assert {each.source for each in published} == {"oasst"}


def test_a_session_has_the_name_of_its_prompt(published):
    eyes = published[0]

    assert eyes.name.startswith("How to protect my eyes when I have to stare at my")
    assert len(eyes.name) <= 100
    assert eyes.metadata == {"oasst": {"tree_state": "ready_for_export"}}


def test_every_message_is_there_as_it_was(published):
    given = {}

    def walk(message):
        given[message["message_id"]] = message
        for reply in message["replies"]:
            walk(reply)

    for line in DATA.read_bytes().splitlines():
        walk(orjson.loads(line)["prompt"])
    for conversation in published:
        for found in conversation.messages:
            body, source = orjson.loads(found.draft.body), given.pop(found.uid)
            assert body["parts"] == [{"type": "text", "text": source["text"]}]
            assert body["role"] == {"prompter": "user"}.get(
                source["role"], source["role"]
            )
            assert found.parent == source.get("parent_id")
            assert body["metadata"]["oasst"] == {
                name: value
                for name, value in source.items()
                if name not in oasst.MAPPED
            }
    assert given == {}


def test_replies_are_ordered_by_rank_and_the_best_path_leads_to_the_head():
    (conversation,), _ = read(
        tree(
            message("none"),
            message("second", message("deep"), rank=1),
            message("best", message("b", rank=1), message("a", rank=0), rank=0),
        )
    )

    order = [found.uid for found in conversation.messages]
    assert order == ["root", "best", "a", "b", "second", "deep", "none"]
    assert conversation.head == "a"


def test_times_are_kept_where_there_are_some():
    (conversation,), _ = read(
        tree(message("a", created_date="2023-02-05T14:23:50.983374+00:00"))
    )

    assert conversation.messages[1].draft.created_at == 1675607030983
    assert conversation.created_at == 1675607030983


@pytest.mark.parametrize(
    "line",
    [
        b'{"message_tree_id": "t", "prompt"',
        b'"message_tree_id prompt"',
        b'{"prompt": {}}',
        b'{"message_tree_id": "t", "prompt": []}',
        b'{"message_tree_id": "t", "prompt": {"text": "\\udc00"}}',
        b'{"message_tree_id": "t", "prompt": {"message_id": "a"}}',
    ],
)
def test_a_bad_line_is_told_and_the_rest_is_read(line):
    conversations, (problem,) = read(line, tree())

    assert problem.line == 1
    assert len(conversations) == 1


@pytest.mark.parametrize(
    "bad",
    [message(""), message("x", role="\n"), message("root"), message("compaction_x")],
)
def test_replies_to_a_bad_message_follow_the_one_above(bad):
    bad["replies"].append(message("below"))

    (conversation,), (problem,) = read(tree(bad))

    assert problem.line == 1
    assert [(m.uid, m.parent) for m in conversation.messages] == [
        ("root", None),
        ("below", "root"),
    ]


def chain(length):
    """Return the line of a tree in which each message has one reply, as text."""
    begin = b'{"message_id":"%d","role":"assistant","text":"x","replies":['
    messages = b"".join(begin % number for number in range(length))
    return b'{"message_tree_id":"t","prompt":' + messages + b"]}" * length + b"}"


def test_a_deep_tree_is_read():
    (conversation,), problems = read(chain(400))

    assert problems == []
    assert len(conversation.messages) == 400
    assert conversation.head == "399"


def test_a_tree_too_deep_to_be_parsed_is_told():
    conversations, problems = read(chain(5000), tree())

    assert [problem.line for problem in problems] == [1]
    assert len(conversations) == 1
