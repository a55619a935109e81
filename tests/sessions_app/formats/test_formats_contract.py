"""What every dialect keeps to: one sample of each, through all the others."""

from __future__ import annotations

import copy

import orjson
import pytest

from sessions_app.errors import Invalid
from sessions_app.formats import FORMATS, Definition, get_format, print_tools
from sessions_app.formats.usage import read_usage
from sessions_app.messages import read_message
from tests.sessions_app.formats.format_checks import CHECKS, check
from tests.sessions_app.formats.format_samples import RESPONSES, SAMPLES


def stored(messages):
    """Return messages as they come back from the store, each with an id."""
    messages = orjson.loads(orjson.dumps(messages))
    return [{"id": f"m{number}"} | each for number, each in enumerate(messages)]


def test_every_format_has_samples_and_a_check():
    assert SAMPLES.keys() == FORMATS.keys() == RESPONSES.keys() == CHECKS.keys()


@pytest.mark.parametrize("name", FORMATS)
def test_what_was_sent_is_given_back(name):
    sample = copy.deepcopy(SAMPLES[name])

    messages = stored(get_format(name).parse(sample))
    rendered = get_format(name).render(messages, None)

    assert rendered.messages == SAMPLES[name]
    assert rendered.repairs == rendered.dropped == []
    assert sample == SAMPLES[name]


@pytest.mark.parametrize("name", FORMATS)
def test_what_was_sent_can_be_stored(name):
    for message in get_format(name).parse(copy.deepcopy(SAMPLES[name])):
        draft = read_message(orjson.dumps(message), "messages[0]")

        assert draft.role in ("system", "user", "assistant", "tool")


@pytest.mark.parametrize("source", FORMATS)
@pytest.mark.parametrize("target", FORMATS)
def test_every_format_prints_every_sample(source, target):
    messages = stored(get_format(source).parse(copy.deepcopy(SAMPLES[source])))
    before = orjson.dumps(messages)

    rendered = get_format(target).render(messages, "Be brief.")

    check(target, rendered.messages)
    assert orjson.dumps(messages) == before, "nothing that was given is changed"
    assert "Be brief." in orjson.dumps([rendered.system, rendered.messages]).decode()
    text = orjson.dumps(rendered.messages).decode()
    for word in ("Paris", "London", "San Francisco", "egrees", "temperature"):
        if word in orjson.dumps([part(each) for each in messages]).decode():
            assert word in text


def part(message):
    return [each for each in message["parts"] if each["type"] != "reasoning"]


@pytest.mark.parametrize("source", FORMATS)
@pytest.mark.parametrize("target", FORMATS)
def test_a_rendering_is_a_fixed_point(source, target):
    """What a dialect prints, it reads, and prints again without a repair."""
    messages = stored(get_format(source).parse(copy.deepcopy(SAMPLES[source])))
    once = get_format(target).render(messages, None)

    again = get_format(target).render(
        stored(get_format(target).parse(once.messages)), None
    )

    assert again.messages == once.messages
    assert again.repairs == []


@pytest.mark.parametrize("name", FORMATS)
def test_a_whole_response_is_read(name):
    response, (text, model, uid, stop) = copy.deepcopy(RESPONSES[name])

    answer = get_format(name).parse_response(response)

    assert [each["role"] for each in answer.messages] == ["assistant"]
    assert answer.messages[0]["parts"][0]["text"] == text
    assert (answer.model, answer.response_id, answer.stop_reason) == (model, uid, stop)
    assert uid is None or answer.messages[0]["id"] == uid
    if name != "raw":
        assert answer.usage is not None
        tokens = read_usage(name, answer.usage).tokens
        assert (tokens["input_tokens"], tokens["output_tokens"]) == (9, 2)


@pytest.mark.parametrize("name", FORMATS)
def test_a_response_goes_back_as_part_of_the_next_request(name):
    response, _ = copy.deepcopy(RESPONSES[name])
    first = [{"id": "u", "role": "user", "parts": [{"type": "text", "text": "Hi"}]}]
    answer = get_format(name).parse_response(response)

    rendered = get_format(name).render([*first, *stored(answer.messages)], None)

    check(name, rendered.messages)
    assert rendered.repairs == []


@pytest.mark.parametrize("name", FORMATS)
def test_an_empty_conversation_is_empty(name):
    rendered = get_format(name).render([], None)

    assert (rendered.messages, rendered.repairs, rendered.dropped) == ([], [], [])
    assert rendered.system is None


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("payload", [None, 1, [1], [None], [{}], [{"role": 1}], [[]]])
def test_what_is_no_message_is_refused(name, payload):
    with pytest.raises(Invalid) as refusal:
        get_format(name).parse(payload)

    assert refusal.value.message.startswith(refusal.value.details["field"])


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("payload", [None, 1, [], "text", {}, {"choices": [{}]}])
def test_what_is_no_response_is_refused(name, payload):
    if name == "workers-ai" and payload == {}:
        pytest.skip("an answer without a text is one")

    with pytest.raises(Invalid) as refusal:
        get_format(name).parse_response(payload)

    assert refusal.value.details["field"]


def test_an_unknown_format_is_refused():
    with pytest.raises(Invalid, match="must be one of ai-sdk, "):
        get_format("cobol")
    with pytest.raises(Invalid, match="must be one of openai, "):
        print_tools("cobol", [])


TOOL = Definition("set_context", "Write a block.", {"type": "object", "properties": {}})


@pytest.mark.parametrize("name", [*FORMATS, "mcp", "openai"])
def test_tools_are_printed(name):
    printed = print_tools(name, [TOOL])

    text = orjson.dumps(printed).decode()
    assert len(printed) == 1
    assert '"set_context"' in text
    assert '"Write a block."' in text
    assert print_tools(name, []) == []
    if name in FORMATS:
        assert get_format(name).tools([TOOL]) == printed
