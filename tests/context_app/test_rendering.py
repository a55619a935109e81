from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context_app.providers import PythonBlock
from context_app.rendering import RULE, header, render_prompt, usage_percent
from context_app.services.contexts import context_block

VECTORS = json.loads(
    (Path(__file__).parents[1] / "vectors" / "context.json").read_text()
)


@dataclass
class Plain:
    label: str = "memory"
    description: str = ""
    content: str = ""
    tokens: int = 0
    max_tokens: int | None = None
    writable: bool = False
    is_skill: bool = False
    is_searchable: bool = False


class Host:
    """An object with the methods that a vector's provider had."""

    def __init__(self, capabilities, returns):
        for name, there in capabilities.items():
            if there:
                setattr(self, name, lambda *args: returns)


@pytest.mark.parametrize("case", VECTORS["render_prompt"])
def test_prompts_of_the_reference(case):
    sections = [
        context_block(
            0,
            PythonBlock(
                label=block["label"],
                source=Host(block["capabilities"], block["get_returns"]),
                description=block["description"] or "",
                max_tokens=block["maxTokens"],
            ),
        )
        for block in case["blocks"]
        # One without a provider is not shown at all, and is nothing here.
        if block["capabilities"]
    ]

    assert render_prompt(sections) == case["prompt"]


def test_the_example_of_the_reference():
    memory = Plain("memory", "Learned facts", "x", 495, 1100, writable=True)

    assert header(memory) == "MEMORY (Learned facts) [45% — 495/1100 tokens] [writable]"


def test_without_figures():
    memory = Plain("memory", "Learned facts", "x", 495, 1100, writable=True)

    assert header(memory, usage=False) == "MEMORY (Learned facts) [writable]"
    assert render_prompt([memory], usage=False).count("%") == 0


def test_the_rule():
    assert RULE == "═" * 46


@pytest.mark.parametrize(
    ("tokens", "most", "percent"),
    [(1, 200, 1), (1, 201, 0), (3, 200, 2), (5, 200, 3), (7, 3, 233), (0, 5, 0)],
)
def test_halves_are_rounded_up(tokens, most, percent):
    assert usage_percent(tokens, most) == percent


def test_an_empty_block_that_nobody_can_fill_is_left_out():
    assert render_prompt([Plain("soul")]) == ""
    assert render_prompt([Plain("a"), Plain("b", content="B")]).count(RULE) == 2


sections = st.builds(
    Plain,
    label=st.text(min_size=1, max_size=10),
    description=st.text(max_size=10),
    content=st.text(max_size=30),
    tokens=st.integers(0, 2000),
    max_tokens=st.none() | st.integers(0, 2000),
    writable=st.booleans(),
    is_skill=st.booleans(),
    is_searchable=st.booleans(),
)


@given(st.lists(sections, max_size=5), st.booleans())
def test_a_prompt_is_its_sections_apart(blocks, usage):
    alone = [render_prompt([block], usage=usage) for block in blocks]

    assert render_prompt(blocks, usage=usage) == "\n\n".join(filter(None, alone))
    for block, text in zip(blocks, alone, strict=True):
        if text:
            assert text.startswith(f"{RULE}\n{block.label.upper()}")
            assert text.endswith(f"]\n{RULE}\n{block.content}")
