from __future__ import annotations

import pytest

from memoryhub.checks import known_summarizer


@pytest.mark.parametrize(
    ("name", "url", "found"),
    [
        ("auto", "", []),
        ("auto", "http://127.0.0.1:11434/v1", []),
        ("extractive", "", []),
        ("openai", "http://127.0.0.1:11434/v1", []),
        ("openai", "", ["memoryhub.E002"]),
        ("oracle", "", ["memoryhub.E002"]),
    ],
)
def test_the_summarizer(settings, name, url, found):
    settings.SUMMARIZER, settings.SUMMARIZER_URL = name, url

    assert [message.id for message in known_summarizer()] == found
