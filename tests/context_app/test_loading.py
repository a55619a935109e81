from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_app.loading import (
    Place,
    Skill,
    find_loads,
    output_text,
    reclaim,
    tool_name,
    unloaded_text,
)


def ui(tool, key, output, **fields):
    """A call with its result in one part, as the AI SDK's UI messages have it."""
    return {
        "type": f"tool-{tool}",
        "toolCallId": "c",
        "state": "output-available",
        "input": {"label": "skills", "key": key},
        "output": output,
        **fields,
    }


def says(*parts, role="assistant"):
    return {"id": "m", "role": role, "parts": list(parts)}


def call(tool, key, call_id="c1"):
    return {
        "type": "tool-call",
        "toolCallId": call_id,
        "toolName": tool,
        "input": {"label": "skills", "key": key},
    }


def result(output, call_id="c1", **fields):
    return {"type": "tool-result", "toolCallId": call_id, "output": output, **fields}


def loaded(*messages):
    return [skill.key for skill in find_loads(messages).loaded]


def texts(messages):
    loads = find_loads(messages)
    return [
        output_text(part)
        for message in reclaim(messages, loads)
        for part in message["parts"]
    ]


LOAD = ui("load_context", "pirate", "Say arr")
UNLOAD = ui("unload_context", "pirate", 'Unloaded "pirate" from skills.')


def test_a_load_in_one_part():
    assert loaded(says(LOAD)) == ["pirate"]


def test_a_load_by_a_dynamic_tool():
    part = {**LOAD, "type": "dynamic-tool", "toolName": "load_context"}

    assert loaded(says(part)) == ["pirate"]


def test_a_call_and_its_result_in_two_messages():
    messages = (
        says(call("load_context", "pirate")),
        says(result("Say arr"), role="tool"),
    )

    loads = find_loads(messages)

    assert loads.loaded == {Skill("skills", "pirate"): [Place(1, 0)]}


def test_results_are_paired_with_their_calls():
    messages = [
        says(call("load_context", "a", "1"), call("load_context", "b", "2")),
        says(result("B", "2"), result("Not found: a", "1"), role="tool"),
    ]

    assert loaded(*messages) == ["b"]


@pytest.mark.parametrize(
    "output",
    [
        "Say arr",
        {"type": "text", "value": "Say arr"},
        {"output": "Say arr"},
        {"type": "json", "value": {"output": "Say arr"}},
        [{"type": "text", "text": "Say arr"}],
        {"type": "content", "value": [{"type": "text", "text": "Say arr"}]},
    ],
)
def test_outputs_in_their_wrappings(output):
    assert output_text(result(output)) == "Say arr"


@pytest.mark.parametrize(
    "part",
    [
        ui("load_context", "pirate", "Not found: pirate"),
        ui(
            "load_context", "pirate", 'Error: "x" is not a skill block. Skill blocks: y'
        ),
        ui("load_context", "pirate", None, state="input-available"),
        ui("load_context", "pirate", None, state="output-error", errorText="no"),
        ui("load_context", "pirate", {"type": "error-text", "value": "no"}),
        ui("load_context", "pirate", "x", isError=True),
        ui("load_context", "pirate", "x", input="not an object"),
        ui("load_context", "pirate", "x", input={"label": "skills"}),
        ui("weather", "pirate", "x"),
        {"type": "text", "text": "load_context"},
        {"type": 7},
        "no part at all",
    ],
)
def test_what_is_no_load(part):
    assert loaded(says(part)) == []


def test_messages_without_parts_are_passed_over():
    assert loaded({"role": "user"}, {"role": "user", "parts": None}, says(LOAD)) == [
        "pirate"
    ]


def test_an_unload_takes_the_text_out_of_every_message():
    messages = [says(LOAD), says(LOAD, {"type": "text", "text": "hm"}), says(UNLOAD)]
    before = copy.deepcopy(messages)

    assert texts(messages) == [
        "[skill unloaded: pirate]",
        "[skill unloaded: pirate]",
        None,
        'Unloaded "pirate" from skills.',
    ]
    assert loaded(*messages) == []
    assert messages == before


def test_what_is_loaded_again_stays():
    assert texts([says(LOAD), says(UNLOAD), says(LOAD)])[::2] == [
        "[skill unloaded: pirate]",
        "Say arr",
    ]
    assert loaded(says(LOAD), says(UNLOAD), says(LOAD)) == ["pirate"]


def test_others_are_left_alone():
    other = ui("load_context", "navy", "Aye")
    messages = [says(LOAD, other), says(UNLOAD)]

    reclaimed = reclaim(messages, find_loads(messages))

    assert reclaimed[0]["parts"][1] is other
    assert reclaimed[1] is messages[1]


def test_one_that_was_taken_out_for_good():
    gone = ui("load_context", "pirate", unloaded_text("pirate"))

    assert loaded(says(LOAD), says(gone)) == []
    assert loaded(says(gone)) == []


def test_a_wrapped_output_stays_wrapped():
    part = result({"type": "text", "value": "Say arr"})
    messages = [
        says(call("load_context", "pirate")),
        says(part, role="tool"),
        says(UNLOAD),
    ]

    reclaimed = reclaim(messages, find_loads(messages))

    assert reclaimed[1]["parts"][0]["output"] == {
        "type": "text",
        "value": "[skill unloaded: pirate]",
    }


def test_a_result_under_its_older_name():
    part = {"type": "tool-result", "toolCallId": "c1", "result": "Say arr"}
    messages = [
        says(call("load_context", "pirate")),
        says(part, role="tool"),
        says(UNLOAD),
    ]

    assert reclaim(messages, find_loads(messages))[1]["parts"][0]["result"] == (
        "[skill unloaded: pirate]"
    )


def test_the_name_of_a_tool():
    assert tool_name({"type": "tool-load_context"}) == "load_context"
    assert tool_name({"type": "tool-x", "toolName": "y"}) == "y"
    assert tool_name({"type": "dynamic-tool"}) == ""


steps = st.lists(
    st.tuples(
        st.sampled_from(["load_context", "unload_context"]), st.sampled_from("ab")
    ),
    max_size=12,
)


@given(steps)
def test_only_what_is_loaded_keeps_its_text(calls):
    messages = [says(ui(tool, key, f"{tool} {key}")) for tool, key in calls]

    left = loaded(*messages)
    kept = {text.split()[-1] for text in texts(messages) if text.startswith("load_")}

    assert sorted(left) == sorted(kept)
    last = {key: tool for tool, key in calls}
    assert {key for key, tool in last.items() if tool == "load_context"} == set(left)
