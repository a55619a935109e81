"""The messages of a context are read once, and shared by all who ask for them."""

from __future__ import annotations

import copy
from typing import Any

import orjson
import pytest

from context_app.working_context import conversation
from context_app.working_context.caching import ContentCache
from context_app.working_context.conversation import Wish, converse, read_bodies
from sessions_app.formats import FORMATS, get_format
from sessions_app.messages import parse_body
from sessions_app.strategies import STRATEGIES
from sessions_app.tokens import message_tokens
from tests.sessions_app.formats.format_samples import SAMPLES

BIG = f'{{"id":"big","role":"user","parts":[],"n":{10**30}}}'


def bodies_of(source: str) -> list[str]:
    messages = get_format(source).parse(copy.deepcopy(SAMPLES[source]))
    return [
        orjson.dumps({"id": f"m{n}"} | message).decode()
        for n, message in enumerate(messages)
    ]


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_changes_what_was_read(name):
    bodies = [body for source in SAMPLES for body in bodies_of(source)]
    for strategy in STRATEGIES:
        for keep_recent in (None, 0, 2):
            converse(bodies, "Be brief.", Wish(name, strategy, None, keep_recent))

    for body, read in zip(bodies, read_bodies(bodies), strict=True):
        assert read.message == parse_body(body)
        assert read.tokens == message_tokens(read.message)


@pytest.mark.parametrize("name", FORMATS)
def test_a_longer_path_is_as_though_it_were_read_anew(name, monkeypatch):
    bodies = bodies_of("openai-chat")
    wish = Wish(name, "simple", None, None)
    for end in range(1, len(bodies)):
        converse(bodies[:end], "", wish)
    grown = converse(bodies, "", wish)

    for name_of_cache in ("_cache", "_read"):
        fresh: ContentCache[Any] = ContentCache(1_000_000)
        monkeypatch.setattr(conversation, name_of_cache, fresh)

    assert converse(bodies, "", wish) == grown


def test_a_message_is_parsed_once(monkeypatch):
    first = read_bodies([BIG])
    monkeypatch.setattr(conversation, "parse_body", None)

    assert read_bodies([BIG])[0].message is first[0].message
    assert first[0].message["n"] == 10**30
