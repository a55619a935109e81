from __future__ import annotations

import pytest

from tests.api import refusal

TOOLS = "/sessions/trip/tools"


@pytest.fixture(autouse=True)
def _blocks(api):
    api.post("/sessions/trip/blocks", {"label": "memory", "max_tokens": 100})
    api.post("/sessions/trip/blocks", {"label": "skills", "kind": "skill"})
    api.put("/sessions/trip/blocks/skills/entries/pirate", {"content": "Arr"})


def call(api, name, arguments):
    return api.post(f"{TOOLS}/{name}", {"arguments": arguments})


def test_it_works(api):
    response = call(api, "set_context", {"label": "memory", "content": "one"})

    assert response.json() == {"output": "Written to memory. Usage: 2% (2/100 tokens)"}
    assert api.get("/sessions/trip/blocks/memory").json()["content"] == "one"
    versions = api.get("/sessions/trip/blocks/memory/versions").json()["items"]
    assert versions[0]["author"].startswith("tool set_context, key mh_")


@pytest.mark.parametrize("form", ["openai", "anthropic", "mcp", "ai-sdk"])
def test_definitions(api, form):
    items = api.get(TOOLS, format=form).json()["items"]

    names = [each.get("function", each)["name"] for each in items]
    assert names == ["set_context", "load_context", "unload_context"]


def test_the_forms(api):
    (openai, *_) = api.get(TOOLS).json()["items"]
    (anthropic, *_) = api.get(TOOLS, format="anthropic").json()["items"]
    (mcp, *_) = api.get(TOOLS, format="mcp").json()["items"]
    (ai_sdk, *_) = api.get(TOOLS, format="ai-sdk").json()["items"]

    function = openai.pop("function")
    assert openai == {"type": "function"}
    assert function.keys() == {"name", "description", "parameters"}
    assert anthropic["input_schema"] == mcp["inputSchema"] == function["parameters"]
    assert ai_sdk == mcp
    (responses, *_) = api.get(TOOLS, format="openai-responses").json()["items"]
    assert responses["parameters"] == function["parameters"]
    assert refusal(api.get(TOOLS, format="none")) == (422, "unknown_format")


def test_load_and_unload(api):
    pirate = {"label": "skills", "key": "pirate"}

    assert call(api, "load_context", pirate).json()["output"] == "Arr"
    assert call(api, "unload_context", pirate).json()["output"] == (
        'Unloaded "pirate" from skills. Context reclaimed.'
    )


@pytest.mark.parametrize("arguments", [None, [], 7, "{", {"label": 1}])
def test_what_a_model_got_wrong_is_an_output(api, arguments):
    response = call(api, "set_context", arguments)

    assert response.status_code == 200
    assert response.json()["output"].startswith("Error: ")


def test_arguments_as_text(api):
    text = '{"label": "memory", "content": "\\u0000"}'

    assert "NUL" in call(api, "set_context", text).json()["output"]


def test_a_tool_that_there_is_not(api):
    assert refusal(call(api, "none", {})) == (404, "not_found")


def test_who_may(reader, outsider):
    assert reader.get(TOOLS).status_code == 200
    assert refusal(call(reader, "load_context", {})) == (403, "forbidden")
    for response in (outsider.get(TOOLS), call(outsider, "set_context", {})):
        assert refusal(response) == (404, "not_found")


def loaded(api, **query):
    """Return what the definition of unload_context says is loaded."""
    tools = api.get(TOOLS, format="mcp", **query).json()["items"]
    (unload,) = (each for each in tools if each["name"] == "unload_context")
    return unload["description"].rpartition("Loaded now: ")[2]


def test_a_branch_that_is_not_the_heads(api):
    part = {
        "type": "tool-load_context",
        "toolCallId": "c",
        "state": "output-available",
        "input": {"label": "skills", "key": "pirate"},
        "output": "Arr",
    }
    messages = [
        {"id": "q", "role": "user", "content": "Talk"},
        {"id": "load", "role": "assistant", "parts": [part]},
    ]
    api.post("/sessions/trip/messages", {"messages": messages})
    other = {"id": "other", "role": "assistant", "content": "No"}
    api.post("/sessions/trip/messages", {"messages": [other], "parent": "q"})

    def unload(leaf=None):
        arguments = {"label": "skills", "key": "pirate"}
        body = {"arguments": arguments, "leaf": leaf}
        return api.post(f"{TOOLS}/unload_context", body).json()["output"]

    assert (loaded(api), loaded(api, leaf="load")) == ("none.", "skills:pirate.")
    context = api.get("/sessions/trip/context", leaf="load").json()
    assert "skills:pirate" in str(context["tools"])
    assert unload() == 'Skill "pirate" is not currently loaded in "skills".'
    assert unload("load") == 'Unloaded "pirate" from skills. Context reclaimed.'
    assert (loaded(api), loaded(api, leaf="load")) == ("none.", "none.")
    body = {"arguments": {}, "leaf": "nowhere"}
    assert refusal(api.post(f"{TOOLS}/unload_context", body)) == (404, "not_found")
    assert refusal(api.get(TOOLS, leaf="nowhere")) == (404, "not_found")
