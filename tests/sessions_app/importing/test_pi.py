from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import orjson
import pytest

from sessions_app.services.importing import pi
from sessions_app.services.importing.conversations import Conversation, Line

DATA = Path("tests/data")
AT = "2026-03-01T09:00:00.000Z"


def read(*entries):
    """Return the conversations and the problems of entries, or of lines as they are."""
    texts = [e if isinstance(e, bytes) else orjson.dumps(e) for e in entries]
    found = [*pi.read(Line(*pair) for pair in enumerate(texts, 1))]
    conversations = [each for each in found if isinstance(each, Conversation)]
    return conversations, [each for each in found if not isinstance(each, Conversation)]


def read_file(name):
    (conversation,), problems = read(*(DATA / name).read_bytes().splitlines())
    assert problems == []
    return conversation


def bodies(conversation):
    return {m.uid: orjson.loads(m.draft.body) for m in conversation.messages}


def header(version=None, **fields):
    given = {} if version is None else {"version": version}
    return {"type": "session", "id": "s", "timestamp": AT, **given, **fields}


def said(text, role="user", **fields):
    entry = {"type": "message", "timestamp": AT, **fields}
    return {**entry, "message": {"role": role, "content": text}}


@pytest.fixture(scope="module")
def old():
    return read_file("pi-v1.jsonl")


@pytest.fixture(scope="module")
def tree():
    return read_file("pi-v3.jsonl")


def test_each_message_of_version_1_follows_the_one_before(old):
    uids = [message.uid for message in old.messages]

    assert len(uids) == 45
    assert [message.parent for message in old.messages] == [None, *uids[:-1]]
    assert old.head == uids[-1]
    assert uids[0] == "line-2"


def test_a_session_has_its_name_model_source_and_time(old):
    assert old.source_id == "d703a1a9-1b7b-4fb1-b512-c9738b1fe617"
    assert (old.name, old.model, old.source) == ("/mode", "claude-sonnet-4-5", "pi")
    # The first message is older than the header.
    assert old.created_at == 1763681581550
    assert old.metadata["pi"]["cwd"] == "/Users/badlogic/workspaces/pi-mono"


def test_a_call_and_its_result_are_parts_of_two_messages(tree):
    call = bodies(tree)["asst0001"]["parts"][2]
    result = bodies(tree)["tool0001"]

    assert call["type"] == "tool-read"
    assert (call["toolCallId"], call["state"]) == ("call_1", "input-available")
    assert result["role"] == "tool"
    assert result["parts"] == [
        {
            "type": "tool-read",
            "toolCallId": "call_1",
            "toolName": "read",
            "state": "output-available",
            "output": "row 1: beans",
        },
        {"type": "file", "mediaType": "image/png", "url": "data:image/png;base64,aGk="},
    ]
    assert result["metadata"]["pi"]["message"]["details"] == {"lines": 1}


def test_a_failed_call_has_an_error_text(tree):
    (part,) = bodies(tree)["tool0002"]["parts"]

    assert part["state"] == "output-error"
    assert part["errorText"] == "no such file"


def test_thinking_keeps_its_signature(tree):
    part = bodies(tree)["asst0001"]["parts"][0]

    assert part["type"] == "reasoning"
    assert part["text"] == "Look at the plan first."
    assert part["providerMetadata"] == {"pi": {"thinkingSignature": "c2lnbmVk"}}


def test_numbers_are_carried_over_as_they_are_written():
    call = (
        b'{"type":"message","timestamp":"2026-03-01T09:00:00Z","message":{"role":"assistant",'
        b'"content":[{"type":"toolCall","id":"c","name":"f",'
        b'"arguments":{"seed": 12345678901234567890123, "depth":1.10}}]}}'
    )

    (conversation,), _ = read(header(), call)

    body = conversation.messages[0].draft.body
    assert '"input":{"seed": 12345678901234567890123, "depth":1.10}' in body


def test_the_rest_of_an_entry_is_in_the_metadata(tree):
    rest = bodies(tree)["asst0006"]["metadata"]["pi"]

    assert rest["timestamp"] == "2026-03-01T09:11:30.000Z"
    assert rest["message"]["stopReason"] == "aborted"
    assert rest["message"]["errorMessage"] == "Request was aborted"
    assert rest["message"]["provider"] == "anthropic"
    assert "usage" not in rest["message"]


def test_a_message_has_the_time_of_its_entry(tree):
    message = next(m for m in tree.messages if m.uid == "asst0006")

    assert message.draft.created_at == 1772356290000
    assert bodies(tree)["asst0006"]["createdAt"] == "2026-03-01T09:11:30.000Z"


def test_usage_is_read_in_disjoint_buckets(tree):
    usage = next(m.usage for m in tree.messages if m.uid == "asst0001")

    assert usage.tokens == {
        "input_tokens": 10,
        "output_tokens": 20,
        "cache_read_tokens": 0,
        "cache_write_tokens": 300,
    }
    assert usage.cost == Decimal("0.0015")
    assert (usage.provider, usage.model) == ("anthropic", "claude-sonnet-4-5")
    assert usage.response_id == "msg_01"
    assert orjson.loads(usage.raw)["totalTokens"] == 330


def test_an_aborted_call_cost_nothing(tree):
    usage = next(m.usage for m in tree.messages if m.uid == "asst0006")

    assert usage.cost == 0
    assert usage.response_id == "pi:asst0006:1772356289995"


def test_settings_are_kept_with_the_message_after_them(tree):
    before = bodies(tree)["user0001"]["metadata"]["pi"]["before"]

    assert [entry["type"] for entry in before] == [
        "model_change",
        "thinking_level_change",
    ]
    assert tree.settings == 3
    # The last one has no message after it.
    assert [e["id"] for e in tree.metadata["pi"]["entries"]] == ["set00003"]


def test_what_follows_an_entry_that_is_no_message_follows_the_message_above(tree):
    parents = {message.uid: message.parent for message in tree.messages}

    assert parents["user0001"] is None
    assert parents["bash0001"] == "asst0002"
    assert parents["asst0004"] == "tool0002"


def test_branches_and_the_head_are_those_of_the_file(tree):
    parents = {message.uid: message.parent for message in tree.messages}

    assert parents["asst0003"] == parents["bran0001"] == "user0002"
    assert tree.branch_points == 1
    assert tree.head == "asst0006"


def test_what_the_user_ran_is_a_text_of_his(tree):
    shown, hidden = bodies(tree)["bash0001"], bodies(tree)["bash0002"]

    assert shown["role"] == hidden["role"] == "user"
    assert shown["parts"] == [{"type": "text", "text": "$ ls beds\nbed1\nbed2"}]
    (part,) = hidden["parts"]
    assert part["type"] == "data-bash"
    assert "buried treasure\n(exit code 1)" in part["text"]
    assert hidden["metadata"]["pi"]["message"]["exitCode"] == 1


def test_summaries_and_extensions_messages_are_the_users(tree):
    summary, custom = bodies(tree)["bran0001"], bodies(tree)["cmsg0001"]

    assert "The peas went to row 2." in summary["parts"][0]["text"]
    assert summary["metadata"]["pi"]["fromId"] == "asst0005"
    assert custom["parts"] == [{"type": "text", "text": "It rains today."}]
    assert custom["metadata"]["pi"]["details"] == {"from": "weather"}


def test_labels_and_the_name_are_read(tree):
    assert tree.labels == {"asst0002": "beans found"}
    assert tree.name == "The garden"


def test_compactions_hide_what_lies_before_the_first_that_is_kept(tree):
    spans = [(c.first, c.last, c.summary) for c in tree.compactions]

    assert spans == [
        ("user0001", "bash0002", "Beans are in row 1."),
        ("user0001", "asst0004", "Beans are in row 1, peas are not planned."),
    ]


@pytest.mark.parametrize(
    ("place", "last"), [(2, "line-2"), (4, "line-4"), (99, "line-4")]
)
def test_version_1_says_by_number_what_is_kept(place, last):
    compaction = {"type": "compaction", "timestamp": AT, "summary": "S"}
    entries = [said("a"), {"type": "custom"}, said("b")]

    (conversation,), problems = read(
        header(), *entries, {**compaction, "firstKeptEntryIndex": place}, said("c")
    )

    assert problems == []
    (found,) = conversation.compactions
    assert (found.first, found.last) == ("line-2", last)


def test_a_compaction_that_hides_nothing_is_told():
    compaction = {"type": "compaction", "summary": "S", "firstKeptEntryIndex": 1}

    (conversation,), (problem,) = read(header(), said("a"), compaction)

    assert conversation.compactions == []
    assert problem.line == 3


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"message","mess',
        b"[1]",
        b'{"type":5}',
        b'{"type":"message","message":"hi"}',
        b'{"type":"message","message":{"role":"user","content":7}}',
        b'{"type":"message","message":{"role":"user","content":"\\ud800"}}',
        b'{"type":"message","message":{"role":"user","content":"a\0b"}}',
        b'{"type":"message","message":{"role":"user","content":['
        + b"[" * 400
        + b"]" * 402
        + b"}}",
        b'{"type":"message","message":{"role":"toolResult","content":[]}}',
    ],
)
def test_a_bad_line_is_told_and_the_rest_is_read(line):
    (conversation,), (problem,) = read(header(), said("a"), line, said("b"))

    assert problem.line == 3
    assert [(m.uid, m.parent) for m in conversation.messages] == [
        ("line-2", None),
        ("line-4", "line-2"),
    ]


def test_a_branch_goes_on_where_a_line_is_lost():
    lost = said("b", id="b", parentId="a")

    (conversation,), problems = read(
        header(3), said("a", id="a", parentId=None), orjson.dumps(lost)[:40],
        said("c", id="c", parentId="b"), said("again", id="c", parentId="a"),
    )  # fmt: skip

    assert [problem.line for problem in problems] == [3, 5, 4]
    assert [(m.uid, m.parent) for m in conversation.messages] == [
        ("a", None),
        ("c", "a"),
    ]


def test_a_circle_is_opened():
    (conversation,), (problem,) = read(
        header(3), said("a", id="a", parentId="b"), said("b", id="b", parentId="a")
    )

    assert problem.line == 2
    assert [(m.uid, m.parent) for m in conversation.messages] == [
        ("a", None),
        ("b", "a"),
    ]


@pytest.mark.parametrize("usage", [7, {"input": "7"}, {"input": -1}, {"input": 1.5}])
def test_usage_that_is_none_is_told_and_kept(usage):
    entry = said("a", role="assistant")
    entry["message"]["usage"] = usage

    (conversation,), (problem,) = read(header(), entry)

    assert problem.line == 2
    assert conversation.messages[0].usage is None
    kept = bodies(conversation)["line-2"]["metadata"]["pi"]["message"]["usage"]
    assert kept == usage


def test_unknown_blocks_roles_and_entries_are_kept():
    strange = {"type": "hologram", "rays": [1]}

    (conversation,), problems = read(
        header(), {"type": "weather", "is": "fine"}, said([strange], role="oracle")
    )

    assert problems == []
    (body,) = bodies(conversation).values()
    assert body["role"] == "oracle"
    assert body["parts"] == [{"type": "data-pi", "data": strange}]
    assert body["metadata"]["pi"]["before"] == [{"type": "weather", "is": "fine"}]


def test_a_session_without_a_header_gets_an_id_that_stays():
    (one,), (problem,) = read(said("a"))
    (two,), _ = read(said("a"), said("b"))

    assert problem.line == 1
    assert one.source_id == two.source_id


def test_files_that_were_joined_are_several_sessions():
    conversations, _ = read(header(), said("a"), header(id="t"), said("b"))

    assert [(c.source_id, len(c.messages)) for c in conversations] == [
        ("s", 1),
        ("t", 1),
    ]


def test_a_session_without_messages_is_told():
    assert read(header())[0] == []
    assert read(header())[1][0].reason == "a session without messages"
