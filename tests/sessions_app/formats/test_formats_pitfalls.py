"""The traps of converting messages, one test each: formats.md 4.3, by its numbers."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest

from sessions_app.errors import Invalid
from sessions_app.formats import FORMATS, get_format
from sessions_app.formats.pairing import NO_RESULT
from sessions_app.formats.repair import PLACEHOLDER, SUMMARY_NOTE
from sessions_app.messages import read_message, summary_message
from tests.sessions_app.formats.format_checks import check
from tests.sessions_app.formats.format_samples import DATA_URL, PIXEL

CHAT = "openai-chat"
PRINTED = [name for name in FORMATS if name != "raw"]
UNIQUE_BIG = 12345678901234567890123


def user(text="Hi", uid="u"):
    return {"id": uid, "role": "user", "parts": [{"type": "text", "text": text}]}


def said(*parts, uid="a"):
    return {"id": uid, "role": "assistant", "parts": list(parts)}


def text(value):
    return {"type": "text", "text": value}


def call(uid="c1", name="look", value=None, **more):
    part = {"type": f"tool-{name}", "toolCallId": uid, "state": "input-available"}
    return {**part, "input": {} if value is None else value, **more}


def result(uid="c1", output="seen", name="look", message="t"):
    part = {"type": f"tool-{name}", "toolCallId": uid, "state": "output-available"}
    return {"id": message, "role": "tool", "parts": [{**part, "output": output}]}


def render(name, *messages, system=None):
    rendered = get_format(name).render(list(messages), system)
    check(name, rendered.messages)
    return rendered


def kinds(rendered):
    return [repair["kind"] for repair in rendered.repairs]


def chat_call(arguments, uid="c1"):
    function = {"name": "look", "arguments": arguments}
    calls = [{"id": uid, "type": "function", "function": function}]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def stored(name, raw):
    messages = get_format(name).parse(raw)
    return [{"id": f"m{i}"} | each for i, each in enumerate(messages)]


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        ("", {}),
        ('{"a": 1}', {"a": 1}),
        ('"{\\"a\\": 1}"', {"a": 1}),
        ('{"a', {"input": '{"a'}),
        ("[1]", {"input": [1]}),
    ],
)
def test_01_arguments_of_any_kind_survive(arguments, value):
    raw = [{"role": "user", "content": "Hi"}, chat_call(arguments)]
    raw.append({"role": "tool", "tool_call_id": "c1", "content": "x"})

    messages = stored(CHAT, raw)

    assert render(CHAT, *messages).messages == raw
    claude = render("anthropic", *messages).messages
    assert claude[1]["content"][0]["input"] == value
    items = render("openai-responses", *messages).messages
    assert items[1]["arguments"] == (arguments or "{}")


def test_02_numbers_are_not_printed_anew():
    arguments = f'{{ "id":{UNIQUE_BIG}, "share" : 1.0,  "tiny": 1e-7 }}'
    raw = [{"role": "user", "content": "Hi"}, chat_call(arguments)]
    raw.append({"role": "tool", "tool_call_id": "c1", "content": "x"})

    messages = json.loads(json.dumps(stored(CHAT, raw)))

    assert render(CHAT, *messages).messages[1] == raw[1]
    items = render("openai-responses", *messages).messages
    assert items[1]["arguments"] == arguments
    kept = render("anthropic", user(), said(call(value={"n": 2**53 + 1, "f": 1.0})))
    assert kept.messages[1]["content"][0]["input"] == {"n": 2**53 + 1, "f": 1.0}


def test_03_parallel_calls_are_grouped_as_each_dialect_wants():
    messages = [user(), said(call("c1"), call("c2"))]
    messages += [result("c2", message="t2"), result("c1", message="t1"), user("Go on")]

    claude = render("anthropic", *messages).messages
    gemini = render("gemini", *messages).messages
    chat = render(CHAT, *messages).messages

    kinds_of = [block["type"] for block in claude[2]["content"]]
    assert kinds_of == ["tool_result", "tool_result", "text"]
    answers = [
        part.get("functionResponse", {}).get("id") for part in gemini[2]["parts"]
    ]
    assert answers == ["c1", "c2", None]
    assert [each["role"] for each in chat] == [
        "user",
        "assistant",
        "tool",
        "tool",
        "user",
    ]


def test_03_calls_that_came_apart_are_asked_at_once():
    messages = [user(), said(call("c1"), uid="a1"), said(call("c2"), uid="a2")]

    rendered = render(CHAT, *messages, result("c1"), result("c2"))

    assert len(rendered.messages[1]["tool_calls"]) == 2
    assert kinds(rendered) == ["merged"]


@pytest.mark.parametrize("name", PRINTED)
def test_04_orphans_and_duplicates(name):
    messages = [
        user(),
        result("gone", message="t0"),
        said(call("c1"), call("c2"), call("c3")),
        result("c1", "first", message="t1"),
        result("c1", "second", message="t2"),
        user("next", uid="u2"),
        result("c3", "late", message="t3"),
    ]

    rendered = render(name, *messages)

    printed = orjson.dumps(rendered.messages).decode()
    assert "first" not in printed
    for word in ("second", "late", NO_RESULT, "next"):
        assert word in printed
    for kind in ("orphan_call", "orphan_result", "duplicate_result", "moved_result"):
        assert kind in kinds(rendered)
    details = {each["kind"]: each["detail"] for each in rendered.repairs}
    assert details["orphan_call"] == {"count": 1, "calls": ["c2"], "messages": ["a"]}


def test_04_a_result_before_its_call_is_moved():
    rendered = render(CHAT, user(), result(), said(call()))

    assert [each["role"] for each in rendered.messages] == ["user", "assistant", "tool"]
    assert kinds(rendered) == ["moved_result"]


def test_05_only_call_ids_pair_and_each_call_has_its_own():
    raw = [
        {"role": "user", "content": "Hi"},
        {
            "type": "function_call",
            "id": "fc_9",
            "call_id": "c9",
            "name": "f",
            "arguments": "{}",
        },
        {"type": "function_call_output", "call_id": "c9", "output": "14"},
    ]
    chat = render(CHAT, *stored("openai-responses", raw)).messages
    assert chat[1]["tool_calls"][0]["id"] == chat[2]["tool_call_id"] == "c9"

    turns = [user(), said(call("same"), uid="a1"), result("same", message="t1")]
    turns += [said(call("same"), uid="a2"), result("same", "again", message="t2")]
    rendered = render("anthropic", *turns)
    asked = [rendered.messages[place]["content"][0]["id"] for place in (1, 3)]
    assert asked == ["same", "same_2"]
    assert kinds(rendered) == ["repeated_call_id"]


def test_05_calls_without_an_id_get_the_same_one_each_time():
    raw = [
        {"role": "user", "parts": [{"text": "Hi"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
        {
            "role": "user",
            "parts": [{"functionResponse": {"name": "f", "response": {}}}],
        },
    ]
    messages = stored("gemini", raw)

    chat = render(CHAT, *messages).messages

    assert chat[1]["tool_calls"][0]["id"] == chat[2]["tool_call_id"] == "call_m1_0"
    assert chat == render(CHAT, *messages).messages


def test_05_ids_fit_the_dialect():
    rendered = render(
        "anthropic", user(), said(call("functions.get:0")), result("functions.get:0")
    )

    asked = rendered.messages[1]["content"][0]["id"]
    assert asked == rendered.messages[2]["content"][0]["tool_use_id"]
    assert asked.startswith("functions_get_0_")
    assert (
        len(render(CHAT, user(), said(call("x" * 99))).messages[2]["tool_call_id"])
        == 40
    )


SIGNED = {
    "anthropic": {"anthropic": {"signature": "c2ln"}},
    "openai-responses": {
        "openai": {"itemId": "rs_1", "reasoningEncryptedContent": "c2ln"}
    },
    "gemini": {"google": {"thoughtSignature": "c2ln"}},
}


@pytest.mark.parametrize("name", ["anthropic", "openai-responses", "gemini", CHAT])
@pytest.mark.parametrize("provider", SIGNED)
def test_06_signatures_go_back_to_their_provider_only(name, provider):
    thought = {"type": "reasoning", "text": "hmm", "providerMetadata": SIGNED[provider]}

    rendered = render(name, user(), said(thought, text("Yes")))

    printed = orjson.dumps(rendered.messages).decode()
    assert ("c2ln" in printed) is (name == provider)
    assert ("hmm" in printed) is (name == provider)
    assert [each["kind"] for each in rendered.dropped] == ["reasoning"] * (
        name != provider
    )


def test_06_items_that_openai_did_not_store_lose_their_ids():
    output: list[Any] = [
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "enc"},
        {
            "type": "function_call",
            "id": "fc_1",
            "call_id": "c1",
            "name": "f",
            "arguments": "{}",
        },
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"},
    ]
    output[2]["content"] = [{"type": "output_text", "text": "Hi", "annotations": []}]
    response = {"id": "resp_1", "store": False, "output": output}

    answer = get_format("openai-responses").parse_response(response)
    printed = render("openai-responses", user(), *answer.messages).messages

    assert [each.get("id") for each in printed[1:3]] == ["rs_1", None]
    assert "fc_1" not in str(printed)
    assert "msg_1" not in str(printed)
    assert printed[1]["encrypted_content"] == "enc"


def test_07_reasoning_is_followed_by_what_it_led_to():
    thought = {"type": "reasoning", "text": "hmm"}
    responses = {**thought, "providerMetadata": SIGNED["openai-responses"]}
    claude = {**thought, "providerMetadata": SIGNED["anthropic"]}

    rendered = render("openai-responses", user(), said(responses), user("And?"))
    assert [each.get("type") for each in rendered.messages] == [None, None]
    assert kinds(rendered) == ["dangling_reasoning", "empty_message"]

    blocks = render("anthropic", user(), said(text("I see"), claude, call())).messages
    assert [each["type"] for each in blocks[1]["content"]] == [
        "thinking",
        "text",
        "tool_use",
    ]


@pytest.mark.parametrize("name", ["anthropic", "gemini"])
def test_08_user_and_assistant_take_turns(name):
    messages = [
        said(text("Welcome ")),
        user("a"),
        user(" \n", uid="e"),
        user("b", uid="u2"),
    ]

    rendered = render(name, *messages, said(text("end \n"), uid="z"))

    assert len(rendered.messages) == 4
    assert PLACEHOLDER in str(rendered.messages[0])
    found = set(kinds(rendered))
    assert {"first_message", "merged", "empty_text", "empty_message"} <= found
    if name == "anthropic":
        assert rendered.messages[-1]["content"][-1]["text"] == "end"
        assert "trailing_whitespace" in found


@pytest.mark.parametrize("name", PRINTED)
def test_09_system_messages_stand_where_they_may(name):
    system = {"id": "s", "role": "system", "parts": [text("Be kind.")]}
    later = {"id": "s2", "role": "developer", "parts": [text("Be brief.")]}

    rendered = render(
        name, system, user(), later, user("x", uid="u2"), system="Prompt."
    )

    printed = orjson.dumps([rendered.system, rendered.messages]).decode()
    assert (
        printed.index("Prompt.")
        < printed.index("Be kind.")
        < printed.index("Be brief.")
    )
    keeps = name in (CHAT, "openai-responses", "workers-ai")
    assert ("system_as_user" in kinds(rendered)) is not keeps
    if name in ("anthropic", "ai-sdk", "ai-sdk-model"):
        assert rendered.system == "Prompt.\n\nBe kind."


def test_10_images_in_results():
    image = {"type": "media", "mediaType": "image/png", "data": PIXEL}
    output = {"type": "content", "value": [{"type": "text", "text": "a map"}, image]}
    messages = [
        user(),
        said(call("c1"), call("c2")),
        result("c1", output),
        result("c2"),
    ]

    chat = render(CHAT, *messages).messages
    assert [each["role"] for each in chat[2:]] == ["tool", "tool", "user"]
    assert chat[4]["content"][1]["image_url"]["url"] == DATA_URL
    claude = render("anthropic", *messages).messages
    assert claude[2]["content"][0]["content"][1]["source"]["data"] == PIXEL
    items = render("openai-responses", *messages).messages
    assert items[3]["output"][1]["image_url"] == DATA_URL
    gemini = render("gemini", *messages).messages
    assert gemini[2]["parts"][2]["inlineData"]["data"] == PIXEL


def test_10_images_that_pi_puts_behind_a_result():
    answer = result("c1", "a map")
    answer["parts"].append({"type": "file", "mediaType": "image/png", "url": DATA_URL})

    claude = render("anthropic", user(), said(call()), answer).messages

    assert claude[2]["content"][0]["content"][1]["type"] == "image"


def test_10_files_of_another_provider_become_a_line():
    raw = [
        {"role": "user", "content": [{"type": "file", "file": {"file_id": "file-1"}}]}
    ]

    rendered = render("anthropic", *stored(CHAT, raw))

    assert rendered.messages[0]["content"][0]["text"].startswith("[File: ")
    assert rendered.dropped[0]["kind"] == "file"


def test_11_content_is_null_or_empty_as_the_server_wants():
    messages = [user(), said(call()), result()]

    assert render(CHAT, *messages).messages[1]["content"] is None
    assert render("workers-ai", *messages).messages[1]["content"] == ""


def test_12_a_ui_message_is_split_at_its_steps():
    done = {"state": "output-available", "output": 1}
    parts = [{"type": "step-start"}, call("c1", **done), call("c2", **done)]
    parts += [{"type": "step-start"}, call("c3", **done), text("Done."), call("c4")]

    rendered = render(CHAT, user(), said(*parts))

    roles = [each["role"] for each in rendered.messages]
    assert roles == [
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
        "tool",
        "assistant",
        "tool",
    ]
    assert kinds(rendered) == ["orphan_call"]
    assert (
        render("ai-sdk", *render("ai-sdk", user(), said(*parts)).messages).repairs == []
    )


@pytest.mark.parametrize("name", PRINTED)
def test_13_what_still_streams_is_left_out(name):
    partial = {"type": "text", "text": "and so", "state": "streaming"}
    parts = [text("Yes"), call(state="input-streaming"), partial]

    rendered = render(name, user(), said(*parts))

    assert "and so" not in str(rendered.messages)
    assert kinds(rendered) == ["unfinished"]


def test_14_what_is_unknown_goes_back_to_where_it_came_from():
    block = {"type": "hologram", "depth": 3}
    raw = [{"role": "user", "content": [block], "mood": "good"}]
    messages = stored("anthropic", raw)

    assert get_format("anthropic").render(messages, None).messages == raw
    elsewhere = get_format(CHAT).render(messages, None)
    assert elsewhere.messages == []
    assert elsewhere.dropped[0]["kind"] == "part"

    narrator = {"id": "n", "role": "narrator", "parts": [text("Once")]}
    assert kinds(render(CHAT, narrator)) == ["unknown_role"]


def test_15_half_surrogates_and_nul():
    rendered = render(CHAT, user("a\ud83db\0c"), system="\ud800x")

    assert rendered.messages[1]["content"] == "a\ufffdb\0c"
    assert rendered.messages[0]["content"] == "\ufffdx"
    assert kinds(rendered) == ["surrogate"]
    deep = render("anthropic", user(), said(call(value={"\ud800": ["\udfff"]})))
    assert deep.messages[1]["content"][0]["input"] == {"\ufffd": ["\ufffd"]}


def test_17_lines_of_one_api_message_make_one_turn():
    """Claude Code writes a message of several blocks as several lines."""
    lines = [said(text("I will look."), uid="l1"), said(call("c1"), uid="l2")]
    lines.append(said(call("c2"), uid="l3"))

    claude = render("anthropic", user(), *lines, result("c1"), result("c2")).messages

    assert [each["role"] for each in claude] == ["user", "assistant", "user"]
    assert [each["type"] for each in claude[1]["content"]] == [
        "text",
        "tool_use",
        "tool_use",
    ]


@pytest.mark.parametrize("name", PRINTED)
def test_a_summary_is_a_users_message(name):
    summary = summary_message(
        uid="1", summary="They met.", created_at="x", compaction={}
    )

    rendered = render(name, summary, said(text("Yes")), user("Next"))

    assert "They met." in str(rendered.messages[0])
    assert rendered.repairs == []
    if name == "ai-sdk":
        assert rendered.messages[0] == summary
    else:
        assert SUMMARY_NOTE in str(rendered.messages[0])
        kind = rendered.messages[0].get("role") or rendered.messages[0]["type"]
        assert kind in ("user", "human")


def test_edited_messages_are_not_given_back_as_they_were():
    messages = stored(CHAT, [{"role": "user", "content": "secret", "name": "ada"}])
    messages[0]["parts"][0]["text"] = "[hidden]"

    assert render(CHAT, *messages).messages == [{"role": "user", "content": "[hidden]"}]


def test_names_of_tools_fit_the_dialect():
    rendered = render(CHAT, user(), said(call(name="fs.read")))

    name = rendered.messages[1]["tool_calls"][0]["function"]["name"]
    assert name.startswith("fs_read_")


@pytest.mark.parametrize(
    ("name", "raw", "field"),
    [
        (CHAT, {"role": "user", "content": 1}, "messages[0].content"),
        (CHAT, {"role": "user", "content": [{}]}, "messages[0].content[0].type"),
        (CHAT, {"role": "tool", "content": "x"}, "messages[0].tool_call_id"),
        (CHAT, {"role": "assistant", "tool_calls": {}}, "messages[0].tool_calls"),
        ("anthropic", {"role": "user"}, "messages[0].content"),
        (
            "anthropic",
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "1", "name": "f"}],
            },
            "messages[0].content[0].input",
        ),
        ("gemini", {"role": "user", "parts": [1]}, "contents[0].parts[0]"),
        (
            "gemini",
            {"parts": [{"functionCall": {}}]},
            "contents[0].parts[0].functionCall.name",
        ),
        ("openai-responses", {"type": "function_call"}, "input[0].call_id"),
        ("langchain", {"type": "tool", "content": ""}, "messages[0].tool_call_id"),
        (
            "ai-sdk",
            {"role": "user", "parts": [{"type": "text"}]},
            "messages[0].parts[0].text",
        ),
        (
            "ai-sdk-model",
            {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "1"}]},
            "messages[0].content[0].toolName",
        ),
        ("raw", {"role": "user"}, "messages[0].parts"),
    ],
)
def test_refusals_name_the_field(name, raw, field):
    with pytest.raises(Invalid) as refusal:
        get_format(name).parse([raw])

    assert refusal.value.details["field"] == field
    assert refusal.value.message.startswith(f"{field}: must ")


def test_messages_of_the_first_ai_sdk_are_read():
    call_of = {"state": "result", "toolCallId": "c1", "toolName": "look", "args": {}}
    raw: Any = {
        "id": "x",
        "role": "assistant",
        "content": "Done.",
        "createdAt": "2024-01-01",
    }
    raw["toolInvocations"] = [{**call_of, "result": "seen"}]

    messages = get_format("ai-sdk").parse([raw])

    assert get_format("ai-sdk").render(messages, None).messages == [raw]
    assert [each["role"] for each in render(CHAT, user(), *messages).messages] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert read_message(orjson.dumps(messages[0]), "m").text == "look\n{}\nseen\nDone."
