from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from sessions_app.planning import Step
from sessions_app.summaries.extractive import summarize
from sessions_app.summaries.sections import HEADINGS
from sessions_app.tokens import message_tokens, text_tokens

FILL = "This is here so that there is something to leave out of it. " * 20


def step(role, *parts, **fields):
    read = [{"type": "text", "text": p} if isinstance(p, str) else p for p in parts]
    return Step("m", role, read, message_tokens({"parts": read}), **fields)


def summary(text):
    return step("assistant", text, covers=("a", "b"), count=2)


def call(name, given=None, **fields):
    return {"type": f"tool-{name}", "toolCallId": name, "input": given, **fields}


TALK = [
    step(
        "user", "Move billing from REST to gRPC. Keep the old paths for v1.5 clients."
    ),
    step(
        "assistant",
        "I look at it.",
        call("read", {"path": "billing/api.py"}, output=FILL),
        call("bash", {"command": "pytest -q"}, errorText="3 failed\n2 passed"),
    ),
    step("user", "We decided to use port 50051. Never touch the invoices table!"),
    step("assistant", "Understood.", call("read", {"path": "ports.md"}, output=FILL)),
    step("user", "Then the client."),
    step("assistant", f"{FILL}\n- [ ] update the docs\nShall I rename the package?"),
]


def section(text, heading):
    return text.split(f"## {heading}\n")[1].split("\n\n##")[0]


def test_it_works():
    text = summarize(TALK, 400)

    assert tuple(re.findall(r"^## (.+)$", text, re.M)) == HEADINGS
    assert section(text, "Topic") == (
        "- Move billing from REST to gRPC. Keep the old paths for v1.5 clients."
    )
    points = section(text, "Key Points")
    assert "- We decided to use port 50051.\n" in points
    assert "- Never touch the invoices table!\n" in points
    assert "- Called read 2 times: billing/api.py · ports.md\n" in points
    assert "- Called bash 1 time: pytest -q" in points
    assert "- bash failed: 3 failed 2 passed" in points
    assert "- Last request: Then the client." in section(text, "Current State")
    assert section(text, "Open Items") == (
        "- Shall I rename the package?\n- update the docs"
    )


def test_it_is_deterministic():
    assert summarize(TALK, 200) == summarize(TALK, 200)


def test_what_matters_most_stays_in_a_small_budget():
    text = summarize(TALK, 60)

    assert text_tokens(text) <= 60
    assert "Move billing" in text
    assert "Then the client" in text


def test_earlier_summaries_are_carried_on():
    first = summarize(TALK, 400)
    more = [
        step("user", "Now the dashboard. " + FILL),
        step("assistant", FILL, call("read", {"path": "dash.py"}, output="")),
    ]

    text = summarize([summary(first), *more], 400)

    assert section(text, "Topic").startswith("- Move billing")
    points = section(text, "Key Points")
    assert "- Asked: Then the client." in points
    assert "- Never touch the invoices table!" in points
    assert "- Called read 3 times: billing/api.py · ports.md · dash.py" in points
    assert "Last request" not in points
    assert "- update the docs" in section(text, "Open Items")
    assert "- Last request: Now the dashboard." in section(text, "Current State")


def test_the_topic_lives_through_many_summaries():
    text = summarize(TALK, 300)
    for number in range(20):
        new = [step("user", f"Request {number}. {FILL}"), step("assistant", FILL)]
        text = summarize([summary(text), *new], 150)

    assert text_tokens(text) <= 150
    assert "Move billing" in section(text, "Topic")
    assert "Called read 2 times" in text


def test_a_summary_of_a_client_without_headings_is_kept_in_short():
    theirs = "The user is called Ada.\n" + "Then she said more. " * 200

    text = summarize([summary(theirs), step("user", "And now? " + FILL)], 150)

    assert "- The user is called Ada." in section(text, "Key Points")
    assert text_tokens(text) <= 150


def test_chinese():
    talk = [
        step("user", "请把账单服务迁移到新的机房。" + "其余的内容可以省略。" * 50),
        step("assistant", "好的。" * 50 + "我们决定改用蓝绿部署。"),
        step("user", "部署在星期五。"),
        step("assistant", "明白了。" * 50 + "需要通知客户吗？"),
    ]

    text = summarize(talk, 150)

    assert "请把账单服务迁移到新的机房。" in section(text, "Topic")
    assert "- 我们决定改用蓝绿部署。" in section(text, "Key Points")
    assert "部署在星期五。" in section(text, "Current State")
    assert section(text, "Open Items") == "- 需要通知客户吗？"
    assert text_tokens(text) <= 150


def test_a_call_without_a_result_is_open():
    talk = [
        step("user", FILL),
        step("assistant", FILL, call("deploy", {"name": "blue"})),
    ]

    assert "- The call of deploy has no result" in summarize(talk, 300)


def test_nothing_to_say():
    text = summarize([step("user", {"type": "data-x"})], 100)

    assert tuple(re.findall(r"^## (.+)$", text, re.M)) == HEADINGS


def test_no_text_has_a_nul():
    assert "\0" not in summarize([step("user", "a\0b " * 50)], 100)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=40),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["path", "files", "x"]), inner, max_size=3)
    ),
    max_leaves=5,
)
PARTS = st.builds(
    lambda kind, fields: {"type": kind, **fields},
    st.sampled_from(
        ["text", "reasoning", "file", "tool-x", "tool-result", "dynamic-tool"]
    ),
    st.dictionaries(
        st.sampled_from(
            [
                "text",
                "input",
                "output",
                "result",
                "errorText",
                "toolName",
                "toolCallId",
                "url",
                "isError",
                "state",
            ]
        ),
        VALUES,
    ),
)
STEPS = st.builds(
    lambda role, parts, covers: step(role, *parts, covers=covers),
    st.sampled_from(["user", "assistant", "tool", "system"]),
    st.lists(PARTS, max_size=4),
    st.sampled_from([None, ("a", "b")]),
)


@given(st.lists(STEPS, min_size=1, max_size=8), st.integers(100, 400))
def test_anything(steps, budget):
    text = summarize(steps, budget)

    assert text_tokens(text) <= budget
    assert re.findall(r"^## (.+)$", text, re.M)[:1] == ["Topic"]
