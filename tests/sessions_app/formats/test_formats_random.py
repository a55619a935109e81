"""Whatever is stored, every dialect prints it validly, and loses no word that it may not."""

from __future__ import annotations

import copy

import orjson
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from sessions_app.formats import FORMATS, get_format
from tests.sessions_app.formats.format_checks import check
from tests.sessions_app.formats.format_conversations import conversations
from tests.sessions_app.formats.format_samples import SAMPLES

RANDOM = settings(max_examples=60, suppress_health_check=list(HealthCheck))
NAMES = [name for name in FORMATS if name != "raw"]


@RANDOM
@pytest.mark.parametrize("name", NAMES)
@given(messages=conversations(), system=st.sampled_from([None, "Be brief.", ""]))
@example(messages=[], system="\ud800")
def test_any_conversation_is_printed_validly(name, messages, system):
    before = copy.deepcopy(messages)

    rendered = get_format(name).render(messages, system)

    check_pending(name, rendered.messages)
    orjson.dumps([rendered.system, rendered.repairs, rendered.dropped])
    assert messages == before


def check_pending(name, messages):
    """A user interface may end in a call that waits for its user."""
    if name == "ai-sdk" and messages:
        parts = messages[-1]["parts"]
        rest = [part for part in parts if part.get("state") != "approval-requested"]
        messages = [*messages[:-1], {**messages[-1], "parts": rest or [{"type": "x"}]}]
    check(name, messages)


@RANDOM
@pytest.mark.parametrize("name", NAMES)
@given(messages=conversations())
def test_a_rendering_needs_no_more_repairs(name, messages):
    adapter = get_format(name)
    once = adapter.render(messages, None)

    stored = [
        {"id": f"n{i}"} | each for i, each in enumerate(adapter.parse(once.messages))
    ]
    again = adapter.render(stored, None)

    assert again.messages == once.messages
    assert [each for each in again.repairs if each["kind"] != "system_moved"] == []


@RANDOM
@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_mixed_and_cut_conversations_are_printed_validly(name, data):
    """Messages of several dialects, in any order, some of them missing or doubled."""
    pool = []
    for source in FORMATS:
        pool += get_format(source).parse(copy.deepcopy(SAMPLES[source]))
    picked = data.draw(st.lists(st.sampled_from(pool), max_size=12))
    messages = [{**each, "id": f"m{i}"} for i, each in enumerate(picked)]
    messages = orjson.loads(orjson.dumps(messages))

    rendered = get_format(name).render(messages, None)

    check(name, rendered.messages)
