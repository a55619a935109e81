from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.planning import Step
from sessions_app.summaries.chunks import cautious_tokens, clip_middle, cut, take
from sessions_app.summaries.folding import LEAST_PROMPT, SummaryTooLong, fold
from sessions_app.summaries.prompts import build_prompt, build_single_prompt

TEXTS = st.text(st.sampled_from("ab \n部é.{}"), max_size=300)


def say(text, uid="m"):
    return Step(uid, "user", [{"type": "text", "text": text}], cautious_tokens(text))


def summary(text):
    return Step("c", "assistant", [{"type": "text", "text": text}], 5, ("a", "b"), 2)


def folded(steps, prompt_tokens=LEAST_PROMPT, answer="S{}"):
    """Fold with a model that numbers its answers; return its last, and its prompts."""
    prompts = []

    def ask(prompt):
        prompts.append(prompt)
        return answer.format(len(prompts))

    text = fold(steps, budget=100, prompt_tokens=prompt_tokens, ask=ask)
    return text, prompts


def test_the_first_prompt():
    prompt = build_prompt("[user]\nHi {there}", previous=None, budget=4160)

    assert "<conversation>\n[user]\nHi {there}\n</conversation>" in prompt
    headings = re.findall(r"^## (.+)\n\[", prompt, re.M)
    assert headings == ["Topic", "Key Points", "Current State", "Open Items"]
    assert "about 4160 tokens" in prompt
    assert "earlier" not in prompt


def test_later_prompts():
    prompt = build_prompt("new", previous="old", budget=100)

    assert "<earlier_summary>\nold\n</earlier_summary>" in prompt
    assert "<conversation>\nnew\n</conversation>" in prompt


def test_one_prompt_where_it_fits():
    text, prompts = folded([say("one"), say("two")])

    assert text == "S1"
    assert "[user]\none\n\n---\n\n[user]\ntwo" in prompts[0]


def test_the_summary_at_the_beginning_is_the_earlier_one():
    _, prompts = folded([summary("before"), say("x"), summary("within"), say("y")])

    assert "<earlier_summary>\nbefore\n</earlier_summary>" in prompts[0]
    assert "[summary of 2 earlier messages]\nwithin" in prompts[0]


def test_a_long_middle_takes_several_prompts():
    words = [f"word{number}" for number in range(3000)]
    steps = [say(" ".join(words[at : at + 100])) for at in range(0, 3000, 100)]

    text, prompts = folded(steps)

    assert text == f"S{len(prompts)}"
    assert len(prompts) > 3
    assert all(cautious_tokens(prompt) <= LEAST_PROMPT for prompt in prompts)
    assert re.findall(r"word\d+", "".join(prompts)) == words
    for number, prompt in enumerate(prompts[1:], 1):
        assert f"<earlier_summary>\nS{number}\n" in prompt


def test_a_message_too_long_for_a_prompt_is_cut_in_pieces():
    words = [f"word{number}" for number in range(3000)]

    _, prompts = folded([say("start"), say(" ".join(words)), say("end")])

    assert all(cautious_tokens(prompt) <= LEAST_PROMPT for prompt in prompts)
    assert re.findall(r"word\d+", "".join(prompts)) == words


def test_a_long_earlier_summary_is_read_in_pieces_too():
    words = [f"word{number}" for number in range(1000)]

    _, prompts = folded([summary(" ".join(words)), say("end")])

    assert all(cautious_tokens(prompt) <= LEAST_PROMPT for prompt in prompts)
    assert re.findall(r"word\d+", "".join(prompts)) == words


def test_a_model_that_does_not_sum_up():
    with pytest.raises(SummaryTooLong):
        folded([say("word " * 2000)] * 3, answer="blah " * 1000)


@given(TEXTS, st.integers(1, 60))
def test_cut(text, room):
    begin, rest = cut(text, room)

    assert begin + rest == text
    assert cautious_tokens(begin) <= room or len(begin) == 1
    assert begin or not text


@given(st.lists(TEXTS, min_size=1, max_size=8), st.integers(12, 200))
def test_take(texts, room):
    taken = []
    left = texts
    while left:
        chunk, left = take(left, room)
        assert cautious_tokens(chunk) <= room
        taken.append(chunk)

    joined = "".join(taken).replace("\n\n---\n\n", "")
    assert joined == "".join(texts)


@given(TEXTS, st.integers(40, 100))
def test_clip_middle(text, room):
    clipped = clip_middle(text, room)

    assert cautious_tokens(clipped) <= room
    assert clipped == text or "characters are left out here" in clipped


def test_a_single_prompt_fits():
    text, previous = "word " * 50_000, "部署" * 5000

    prompt = build_single_prompt(text, previous=previous, budget=100, room=2000)

    assert 1500 < cautious_tokens(prompt) <= 2000
