"""Long conversations take time by their length, and not by its square."""

from __future__ import annotations

from time import process_time

import pytest

from sessions_app.formats import get_format

MANY = 8_000
# They take a quarter of a second; by the square of their number it was six and more.
MOST_SECONDS = 3


def call(number, uid=None, name="look"):
    part = {"type": f"tool-{name}", "state": "input-available", "input": {}}
    part |= {"toolCallId": uid} if uid else {}
    return {"id": f"a{number}", "role": "assistant", "parts": [part]}


def result(number, uid=None, name="look"):
    part = {"type": f"tool-{name}", "state": "output-available", "output": number}
    part |= {"toolCallId": uid} if uid else {}
    return {"id": f"t{number}", "role": "tool", "parts": [part]}


def said(number):
    text = {"type": "text", "text": f"text {number}"}
    return {"id": f"u{number}", "role": "user", "parts": [text]}


def numbered_anew():
    """Some servers call every call call_0."""
    for n in range(MANY):
        yield from (call(n, "call_0"), result(n, "call_0"))


def without_ids():
    yield from (call(n, name=f"tool{n}") for n in range(MANY))
    yield from (result(n, name=f"tool{n}") for n in reversed(range(MANY)))


LONG = {
    "numbered anew": numbered_anew,
    "without ids": without_ids,
    "one speaker": lambda: map(said, range(2 * MANY)),
}


@pytest.mark.parametrize("name", ["anthropic", "gemini", "openai-chat"])
@pytest.mark.parametrize("case", LONG)
def test_it_is_rendered_in_time(name, case):
    messages = [said("q"), *LONG[case]()]
    begin = process_time()

    rendered = get_format(name).render(messages, None)

    assert process_time() - begin < MOST_SECONDS
    assert rendered.messages


def test_ids_stay_apart_where_a_number_is_taken():
    uids = ["c", "c_2", "c", "c", "c_2"]
    calls = [call(n, uid) for n, uid in enumerate(uids)]
    results = [result(n, uid) for n, uid in enumerate(uids)]
    pairs = [each for pair in zip(calls, results, strict=True) for each in pair]

    printed = get_format("openai-chat").render([said("q"), *pairs], None).messages

    found = [each["tool_calls"][0]["id"] for each in printed[1::2]]
    assert found == ["c", "c_2", "c_3", "c_4", "c_2_2"]
