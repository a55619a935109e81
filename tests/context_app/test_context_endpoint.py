from __future__ import annotations

import hashlib
from pathlib import Path

import orjson
import pytest
from django.core.management import call_command

from context_app.services.policies import set_policy
from context_app.services.prompts import refresh_prompt
from sessions_app.formats import FORMATS
from sessions_app.formats.canonical import without_source
from sessions_app.models import Message, Session
from sessions_app.services.compaction.compacting import compact as compact_now
from sessions_app.services.forest.creating import create_session
from sessions_app.services.forest.forks import fork_session
from tests.api import api_of, refusal
from tests.blocks import block, entry, tool
from tests.builders import append, compact, draft, fresh, say, talk
from tests.sessions_app.formats.format_checks import check
from tests.sessions_app.formats.format_samples import SAMPLES

URL = "/sessions/trip/context"
PI = Path("tests/data/pi-v1.jsonl")
BIG = 123456789012345678901234567890
TEXT = "The whole of a very long document."


@pytest.fixture(autouse=True)
def _session(session):
    return session


def context(api, **query):
    response = api.get(URL, **query)
    assert response.status_code == 200, response.content
    return response.json()


def words(answer) -> str:
    """Return the texts of messages of the dialect ai-sdk."""
    parts = [part for message in answer["messages"] for part in message["parts"]]
    return " ".join(part["text"] for part in parts if part["type"] == "text")


def call(name, uid="c1", **fields):
    part = {"type": f"tool-{name}", "toolCallId": uid, "input": {}}
    return part | {"state": "output-available", "output": "14"} | fields


def answer(session, uid, *parts, **options):
    message = {"id": uid, "parts": list(parts)}
    append(session, draft("", role="assistant", **message), **options)


def test_it_works(api, session):
    block(session, "memory", "Likes tea.", description="What I know")
    say(session, "Hello")
    say(session, "Hi there", role="assistant", parent="Hello")

    found = context(api, format="openai-chat")

    (system, *messages) = found["messages"]
    assert found.keys() == {
        *("format", "system", "messages", "tools", "tokens", "head", "leaf", "prompt"),
        *("strategy", "repairs", "dropped"),
    }
    assert system["role"] == "system"
    assert "Likes tea." in system["content"]
    assert messages == [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Hi there"},
    ]
    assert [each["function"]["name"] for each in found["tools"]] == ["set_context"]
    assert (found["format"], found["strategy"]) == ("openai-chat", "simple")
    assert found["head"] == found["leaf"] == "Hi there"
    assert found["repairs"] == found["dropped"] == []
    text = system["content"].encode()
    sha256 = hashlib.sha256(text).hexdigest()
    assert found["prompt"] == {"version": 1, "sha256": sha256, "stale": False}
    tokens = found["tokens"]
    total = tokens.pop("total")
    assert total == sum(tokens.values())
    assert min(tokens.values()) > 0
    assert tokens["messages"] == api.get("/sessions/trip").json()["context_tokens"]


@pytest.mark.parametrize("name", FORMATS)
def test_an_empty_session_in_every_format(api, name):
    found = context(api, format=name)

    assert (found["system"], found["messages"], found["tools"]) == (None, [], [])
    assert found["tokens"] == {"system": 0, "messages": 0, "tools": 0, "total": 0}
    assert (found["head"], found["leaf"]) == (None, None)


@pytest.mark.parametrize("name", FORMATS)
def test_the_prompt_and_the_tools_in_every_format(api, session, name):
    block(session, "memory", "Likes tea.")
    entry(block(session, "guides", kind="skill"), "rome", TEXT, description="Of Rome")
    block(session, "notes", kind="search")
    say(session, "Hello")

    found = context(api, format=name)

    request = orjson.dumps([found["system"], found["messages"]]).decode()
    assert request.count("Likes tea.") == 1
    in_messages = name in (
        "openai-chat",
        "workers-ai",
        "langchain",
        "ai-sdk",
        "ai-sdk-model",
    )
    assert found["system"] is None or not in_messages or name.startswith("ai-sdk")
    tools = orjson.dumps(found["tools"]).decode()
    offered = ("set_context", "load_context", "unload_context", "search_context")
    assert all(tools.count(f'"{each}"') == 1 for each in offered)
    assert len(found["tools"]) == (1 if name == "gemini" else 4)
    assert found["tokens"]["tools"] > 100
    check(name, found["messages"])


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("source", FORMATS)
def test_every_sample_in_every_format(api, source, name):
    body = {"format": source, "messages": SAMPLES[source]}
    api.post("/sessions/trip/messages", body)

    found = context(api, format=name)

    check(name, found["messages"])
    if name == source:
        assert found["messages"] == SAMPLES[name]
        assert found["repairs"] == found["dropped"] == []


def test_a_leaf_of_another_branch(api, session):
    talk(session, "a b c")
    say(session, "d", parent="a")

    found = context(api, leaf="c")

    assert words(found) == "a b c"
    assert (found["head"], found["leaf"]) == ("d", "c")
    assert words(context(api)) == "a d"


def test_strategies_choose_what_is_seen(api, session):
    talk(session, "a b c d e")

    assert words(context(api, strategy="simple")) == "a b c d e"
    assert words(context(api, strategy="sliding_window", window=2)) == "d e"
    assert words(context(api, strategy="token_window", max_tokens=12)) == "d e"
    found = context(api, strategy="summarizing", window=2)
    assert found["strategy"] == "summarizing"
    summary, *rest = found["messages"]
    assert summary["role"] == "user"
    assert summary["parts"][0]["text"].startswith("[Previous conversation summary: ")
    assert words({"messages": rest}) == "d e"


@pytest.mark.parametrize("name", FORMATS)
def test_a_summary_is_valid_in_every_format(api, session, name):
    talk(session, "a b c d e")

    found = context(api, format=name, strategy="summarizing", window=2)

    check(name, found["messages"])
    assert "Previous conversation" in orjson.dumps(found["messages"]).decode()


def test_a_strategy_never_parts_a_call_from_its_result(api, session):
    calling = {"type": "tool-get", "toolCallId": "c1", "input": {}, "state": "call"}
    result = {
        "type": "tool-get",
        "toolCallId": "c1",
        "output": 1,
        "state": "output-available",
    }
    say(session, "q")
    answer(session, "a", calling)
    append(session, draft("", "r", role="tool", parts=[result]))

    found = context(api, format="openai-chat", strategy="sliding_window", window=1)

    assert [each["role"] for each in found["messages"]] == ["assistant", "tool"]
    assert found["repairs"] == []


def test_the_agent_has_a_strategy_of_its_own(api, agent, session):
    talk(session, "a b c d e")
    set_policy(agent=agent, strategy="sliding_window", strategy_size=3)

    assert words(context(api)) == "c d e"
    assert context(api)["strategy"] == "sliding_window"
    assert words(context(api, window=1)) == "e"
    assert words(context(api, strategy="simple")) == "a b c d e"
    assert words(context(api, strategy="sliding_window")) == "a b c d e"


def test_an_operator_sets_it_through_the_api(api, admin_api, session):
    talk(session, "a b c d e")
    patch = {"strategy": "token_window", "strategy_size": 6}

    response = admin_api.patch("/agents/support/policy", patch)

    assert response.status_code == 200
    assert words(context(api)) == "e"
    assert words(context(api, max_tokens=100)) == "a b c d e"


def test_a_size_without_a_strategy_means_one_that_takes_it(api, session):
    talk(session, "a b c d e")

    assert words(context(api, window=2)) == "d e"
    assert context(api, window=2)["strategy"] == "sliding_window"
    found = context(api, max_tokens=6)
    assert (words(found), found["strategy"]) == ("e", "token_window")


def test_older_outputs_are_cut_short(api, session):
    long = "x" * 5000
    for number in range(3):
        say(session, f"q{number}")
        answer(session, f"a{number}", call("get", f"c{number}", output=long))

    found = context(api, keep_recent=1)

    first, second, third = (m["parts"][0]["output"] for m in found["messages"][1::2])
    assert third == long
    assert len(first) == len(second) < 1000
    assert "truncated" in first
    assert long in context(api)["messages"][1]["parts"][0]["output"]


def test_the_prompt_stays_until_it_is_refreshed(api, session):
    block(session, "memory", "Likes tea.")
    first = context(api)
    tool(session, "set_context", label="memory", content="Likes coffee.")

    stale = context(api)
    refresh_prompt(session=session)
    fresh = context(api)

    assert first["system"] == stale["system"] != fresh["system"]
    assert [each["prompt"]["stale"] for each in (first, stale, fresh)] == [
        False,
        True,
        False,
    ]
    assert [each["prompt"]["version"] for each in (first, stale, fresh)] == [1, 1, 2]
    assert first["prompt"]["sha256"] == stale["prompt"]["sha256"]
    assert fresh["prompt"] == context(api)["prompt"]


def test_it_is_the_same_however_often_it_is_read(api, session):
    block(session, "memory", "Likes tea.")
    body = {"format": "gemini", "messages": SAMPLES["gemini"]}
    api.post("/sessions/trip/messages", body)

    for name in FORMATS:
        assert api.get(URL, format=name).content == api.get(URL, format=name).content


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_broken_is_repaired_and_told(api, session, name):
    if name == "raw":
        pytest.skip("raw is what is stored")
    asked = {"type": "tool-get", "toolCallId": "c1", "input": {}, "state": "call"}
    lost = {
        "type": "tool-get",
        "toolCallId": "c9",
        "output": 1,
        "state": "output-available",
    }
    say(session, " ", uid="blank")
    answer(session, "asks", asked)
    append(session, draft("", "answers", role="tool", parts=[lost]))
    say(session, "Be brief.", role="system")

    found = context(api, format=name)

    check(name, found["messages"])
    repairs = {each["kind"]: each for each in found["repairs"]}
    assert {"orphan_call", "orphan_result", "empty_text"} <= repairs.keys()
    assert repairs["orphan_call"]["detail"] == {
        "count": 1,
        "messages": ["asks"],
        "calls": ["c1"],
    }
    assert all(each["message"] for each in found["repairs"])
    assert Message.objects.count() == 4, "what is stored stays as it is"


def test_an_unloaded_skill_is_not_sent_again(api, session):
    entry(block(session, "guides", kind="skill"), "rome", TEXT)
    skill = {"label": "guides", "key": "rome"}
    say(session, "q")
    assert tool(session, "load_context", **skill) == TEXT
    answer(session, "a", call("load_context", "c1", input=skill, output=TEXT))
    loaded = api.get(URL, format="openai-chat").content.decode()
    done = tool(session, "unload_context", **skill)
    answer(session, "b", call("unload_context", "c2", input=skill, output=done))

    unloaded = api.get(URL, format="openai-chat").content.decode()

    assert (loaded.count(TEXT), unloaded.count(TEXT)) == (1, 0)
    assert "Loaded now: guides:rome." in loaded
    assert "Loaded now: none." in unloaded
    assert TEXT in api.get("/sessions/trip/history", raw=1).content.decode()
    # The other branch, of before, has it still.
    assert TEXT in api.get(URL, format="openai-chat", leaf="a").content.decode()


def work_with_skill(api, *tools: str, together: bool) -> None:
    """Call tools as an agent does that speaks OpenAI's dialect."""
    skill = '{"label": "guides", "key": "rome"}'
    for number, name in enumerate(tools):
        output = api.post(f"/sessions/trip/tools/{name}", {"arguments": skill}).json()
        uid = f"call_{number}"
        function = {"name": name, "arguments": skill}
        asked = {"id": uid, "type": "function", "function": function}
        messages = [
            {"role": "user", "content": f"Do {number}"},
            {"role": "assistant", "content": None, "tool_calls": [asked]},
            {"role": "tool", "tool_call_id": uid, "content": output["output"]},
        ]
        for batch in [messages] if together else [[each] for each in messages]:
            body = {"format": "openai-chat", "messages": batch}
            assert api.post("/sessions/trip/turns", body).status_code == 201


@pytest.mark.parametrize("together", [True, False])
def test_a_skill_is_loaded_and_unloaded_in_the_dialect_of_a_provider(
    api, session, together
):
    entry(block(session, "guides", kind="skill"), "rome", TEXT)
    work_with_skill(api, "load_context", together=together)
    loaded = api.get(URL, format="openai-chat").content.decode()
    assert TEXT in loaded
    assert "Loaded now: guides:rome." in loaded

    work_with_skill(api, "unload_context", together=together)

    for name in FORMATS:
        content = api.get(URL, format=name).content.decode()
        # As stored, a message has the original beside it.
        assert TEXT not in content or name == "raw"
        assert "Loaded now: none." in content
        check(name, orjson.loads(content)["messages"])


def test_an_unload_that_a_compaction_covers_counts(api, session):
    entry(block(session, "guides", kind="skill"), "rome", TEXT)
    work_with_skill(api, "load_context", "unload_context", together=False)
    say(session, "end")
    items = api.get("/sessions/trip/history").json()["items"]
    compact(session, items[3]["id"], items[5]["id"], "It was unloaded.")

    content = api.get(URL, format="openai-chat").content.decode()

    assert "It was unloaded." in content
    assert TEXT not in content
    assert "Loaded now: none." in content


@pytest.mark.parametrize("name", FORMATS)
def test_a_compaction_is_seen_in_place_of_what_it_covers(api, session, name):
    talk(session, "a b c d e")
    compact(session, "b", "d", "What was said.")

    found = context(api, format=name)

    check(name, found["messages"])
    text = orjson.dumps(found["messages"]).decode()
    assert text.count("What was said.") == 1
    assert '"c"' not in text
    assert found["head"] == "e"


def test_a_fork_has_its_own_context(api, session):
    block(session, "memory", "Likes tea.")
    talk(session, "a b c")
    compact(session, "a", "b", "S")
    context(api)
    fork = fork_session(session=session, at="c", key="fork")
    say(fork, "d")
    say(session, "e")

    found = api.get("/sessions/fork/context").json()

    assert words(found).endswith("S c d")
    assert words(context(api)).endswith("S c e")
    assert (found["head"], context(api)["head"]) == ("d", "e")
    assert "Likes tea." in found["system"]
    tool(fork, "set_context", label="memory", content="Likes coffee.")
    assert "Likes tea." in context(api)["system"]


def test_large_numbers_survive(api, session):
    arguments = f'{{"n": {BIG}}}'
    function = {"name": "get", "arguments": arguments}
    asked = {"id": "c1", "type": "function", "function": function}
    messages = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": None, "tool_calls": [asked]},
        {"role": "tool", "tool_call_id": "c1", "content": f'{{"m": {BIG}}}'},
    ]
    api.post("/sessions/trip/turns", {"format": "openai-chat", "messages": messages})
    put = call("put", "c2", input={"n": BIG}, output={"m": BIG})
    api.post(
        "/sessions/trip/messages", {"messages": [{"role": "assistant", "parts": [put]}]}
    )

    for name in FORMATS:
        content = api.get(URL, format=name).content.decode()
        assert content.count(str(BIG)) >= 4, name
    assert context(api, format="openai-chat")["messages"][:3] == messages


def test_what_was_sent_is_not_repeated_in_another_format(api):
    """The original is kept for its own dialect, and is in no other."""
    body = {"format": "anthropic", "messages": SAMPLES["anthropic"]}
    api.post("/sessions/trip/messages", body)

    for message in context(api, format="ai-sdk")["messages"]:
        assert message == without_source(message)


@pytest.fixture
def pi(admin_api):
    """The imported session of a coding agent, as its key sees it."""
    call_command("import_sessions", str(PI), verbosity=0)
    session = Session.objects.exclude(key="trip").get()
    return session, api_of(session.agent)


@pytest.mark.parametrize("name", FORMATS)
def test_a_real_session_is_valid_before_and_after_a_compaction(pi, name):
    session, api = pi
    url = f"/sessions/{session.key}/context"
    before = api.get(url, format=name).json()

    api.patch(f"/sessions/{session.key}", {"compact_after": 2000})
    assert compact_now(session=fresh(session), summarizer="extractive")
    after = api.get(url, format=name).json()

    for found in (before, after):
        check(name, found["messages"])
    assert len(after["messages"]) < len(before["messages"])
    assert after["tokens"]["messages"] < before["tokens"]["messages"]
    assert after["head"] == before["head"]


def test_it_needs_a_key(anonymous):
    assert refusal(anonymous.get(URL)) == (401, "unauthenticated")


def test_a_key_to_read_is_enough(agent, session):
    say(session, "a")

    assert words(context(api_of(agent, "read"))) == "a"


def test_another_agents_session_does_not_exist(stranger_api):
    assert refusal(stranger_api.get(URL)) == (404, "not_found")
    assert refusal(stranger_api.get("/sessions/none/context")) == (404, "not_found")


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ({"leaf": "nowhere"}, 404, "not_found"),
        ({"format": "cobol"}, 422, "unknown_format"),
        ({"strategy": "magic"}, 422, "invalid"),
        ({"strategy": "magic", "window": 3}, 422, "invalid"),
        ({"strategy": "simple", "window": 3}, 422, "invalid"),
        ({"strategy": "sliding_window", "max_tokens": 3}, 422, "invalid"),
        ({"strategy": "token_window", "window": 3}, 422, "invalid"),
        ({"window": 3, "max_tokens": 3}, 422, "invalid"),
        ({"window": 0}, 422, "invalid"),
        ({"window": "many"}, 422, "invalid"),
        ({"max_tokens": -1}, 422, "invalid"),
        ({"keep_recent": -1}, 422, "invalid"),
    ],
)
def test_it_refuses(api, session, query, status, code):
    say(session, "a")

    assert refusal(api.get(URL, **query)) == (status, code)


def test_a_leaf_of_another_session_does_not_exist(api, session):
    say(create_session(agent=session.agent, key="other"), "x")

    assert refusal(api.get(URL, leaf="x")) == (404, "not_found")
