"""Random conversations as they may be stored: whole, cut, doubled, disordered, empty."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

TEXTS = st.one_of(
    st.sampled_from(["", " ", "\n", "hello", "a b ", " ends in space \n", "é😀"]),
    st.text(max_size=8),
    st.just("half \ud83d pair"),
)
IDS = st.sampled_from(
    ["call_1", "call_2", "toolu_3", "functions.get:0", "x" * 70, "ü 1"]
)
NAMES = st.sampled_from(["read", "get_weather", "fs.read", "two words", "n" * 80])
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 2**53), st.text(max_size=4)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2),
        st.dictionaries(st.text(max_size=3), inner, max_size=2),
    ),
    max_leaves=4,
)
INPUTS = st.one_of(
    st.just({}),
    st.just({"a": 1.0}),
    st.just(""),
    st.just('{"a"'),
    st.just('{"a": 1}'),
    JSON,
)
PIXEL = "data:image/png;base64,iVBORw0KGgo="
FILES = st.sampled_from(
    [
        {"type": "file", "mediaType": "image/png", "url": PIXEL},
        {"type": "file", "mediaType": "image/*", "url": "https://example.com/a.png"},
        {
            "type": "file",
            "mediaType": "application/pdf",
            "url": "https://example.com/a.pdf",
        },
        {
            "type": "file",
            "mediaType": "text/plain",
            "url": "data:text/plain;base64,aGk=",
        },
        {
            "type": "file",
            "mediaType": "video/mp4",
            "url": "/files/3",
            "filename": "v.mp4",
        },
        {"type": "file", "mediaType": "audio/wav", "url": "data:audio/wav;base64,aGk="},
        {"type": "file", "mediaType": "image/png", "url": "urn:openai:file:file-1"},
    ]
)
SIGNATURES = st.sampled_from(
    [
        {},
        {"anthropic": {"signature": "c2ln"}},
        {"anthropic": {"redactedData": "c2ln"}},
        {"openai": {"itemId": "rs_1", "reasoningEncryptedContent": "enc"}},
        {"openai": {"itemId": "rs_2"}},
        {"google": {"thoughtSignature": "c2ln"}},
    ]
)
OTHERS = st.sampled_from(
    [
        {"type": "step-start"},
        {"type": "data-weather", "data": 1},
        {"type": "source-url", "sourceId": "s", "url": "https://example.com"},
    ]
)


@st.composite
def texts(draw: Any) -> dict[str, Any]:
    state = draw(st.sampled_from([{}, {"state": "done"}, {"state": "streaming"}]))
    return {"type": "text", "text": draw(TEXTS), **state}


@st.composite
def reasonings(draw: Any) -> dict[str, Any]:
    provider = {"providerMetadata": draw(SIGNATURES)}
    return {"type": "reasoning", "text": draw(TEXTS), **provider}


def settle(draw: Any, part: dict[str, Any]) -> dict[str, Any]:
    if draw(st.booleans()):
        output = st.one_of(JSON, TEXTS, FILES.map(content_of))
        return {**part, "state": "output-available", "output": draw(output)}
    if draw(st.booleans()):
        return {**part, "state": "output-error", "errorText": draw(TEXTS)}
    return {**part, "state": "output-denied"}


def content_of(file: dict[str, Any]) -> dict[str, Any]:
    return {"type": "content", "value": [{"type": "text", "text": "seen"}, file]}


@st.composite
def calls(draw: Any) -> dict[str, Any]:
    part = {"type": f"tool-{draw(NAMES)}", "input": draw(INPUTS)}
    if draw(st.integers(0, 9)):
        part["toolCallId"] = draw(IDS)
    if draw(st.integers(0, 4)) == 0:
        part |= {"type": "dynamic-tool", "toolName": draw(NAMES)}
    if draw(st.integers(0, 4)) == 0:
        part["rawInput"] = draw(st.sampled_from(["", '{"a": 1}', '{"a', "[]"]))
    if draw(st.booleans()):
        return settle(draw, part)
    states = ["input-available", "input-streaming", "approval-requested", "call", None]
    state = draw(st.sampled_from(states))
    return {**part, "state": state} if state else part


@st.composite
def results(draw: Any) -> dict[str, Any]:
    part = {"type": f"tool-{draw(NAMES)}"}
    if draw(st.integers(0, 9)):
        part["toolCallId"] = draw(IDS)
    if draw(st.integers(0, 9)) == 0:
        return {**part, "type": "tool-result", "toolName": draw(NAMES), "output": "o"}
    return settle(draw, part)


SAID = st.one_of(texts(), reasonings(), calls(), calls(), OTHERS, FILES)
HEARD = st.one_of(texts(), texts(), FILES, OTHERS, results())
PARTS = {
    "assistant": st.lists(SAID, max_size=5),
    "user": st.lists(HEARD, max_size=3),
    "tool": st.lists(st.one_of(results(), results(), FILES, texts()), max_size=3),
    "system": st.lists(texts(), max_size=2),
    "narrator": st.lists(texts(), max_size=2),
}


@st.composite
def conversations(draw: Any) -> list[dict[str, Any]]:
    roles = ["assistant", "assistant", "user", "tool", "tool", "system", "narrator"]
    messages = []
    for number in range(draw(st.integers(0, 8))):
        role = draw(st.sampled_from(roles))
        message = {"id": f"m{number}", "role": role, "parts": draw(PARTS[role])}
        if number == 0 and draw(st.integers(0, 3)) == 0:
            summary = [{"type": "text", "text": "what was said"}]
            message = {"id": "compaction_1", "role": "assistant", "parts": summary}
        messages.append(message)
    return messages
