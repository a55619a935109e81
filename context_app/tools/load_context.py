from __future__ import annotations

from context_app.loading import LOAD, Skill
from context_app.services.contexts import ContextBlock
from context_app.services.rules import check_limit
from context_app.tools.shapes import (
    Arguments,
    Desk,
    labels_of,
    of_labels,
    text_argument,
)
from sessions_app.formats import Definition

NAME = LOAD
KEY = {"type": "string", "description": "A key as the prompt lists it"}


def define(desk: Desk) -> Definition | None:
    blocks = skills(desk)
    if not blocks:
        return None
    description = (
        f"Load the full text of a document from: {labels_of(blocks)}. "
        "The system prompt lists the keys."
    )
    return Definition(NAME, description, of_labels(blocks, key=KEY))


def run(desk: Desk, arguments: Arguments) -> str:
    label, key = text_argument(arguments, "label"), text_argument(arguments, "key")
    blocks = skills(desk)
    block = next((block for block in blocks if block.label == label), None)
    if block is None:
        return not_a_skill(label, blocks)
    text = block.provider.load(key)
    if text is None:
        return f"Not found: {key}"
    check_limit(label, block.max_tokens, text)
    desk.note(Skill(label, key), loaded=True)
    return text


def skills(desk: Desk) -> list[ContextBlock]:
    return [block for block in desk.blocks if block.is_skill]


def not_a_skill(label: str, blocks: list[ContextBlock]) -> str:
    return f'Error: "{label}" is not a skill block. Skill blocks: {labels_of(blocks)}'
