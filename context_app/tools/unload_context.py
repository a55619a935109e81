from __future__ import annotations

from context_app.loading import UNLOAD, Skill
from context_app.tools.load_context import KEY, not_a_skill, skills
from context_app.tools.shapes import (
    Arguments,
    Desk,
    labels_of,
    of_labels,
    text_argument,
)
from sessions_app.formats import Definition

NAME = UNLOAD


def define(desk: Desk) -> Definition | None:
    blocks = skills(desk)
    if not blocks:
        return None
    loaded = ", ".join(f"{skill.label}:{skill.key}" for skill in desk.loaded)
    description = (
        f"Take a loaded document of {labels_of(blocks)} out of the context again, to "
        f"make room. It can be loaded anew. Loaded now: {loaded or 'none'}."
    )
    return Definition(NAME, description, of_labels(blocks, key=KEY))


def run(desk: Desk, arguments: Arguments) -> str:
    label, key = text_argument(arguments, "label"), text_argument(arguments, "key")
    blocks = skills(desk)
    if all(block.label != label for block in blocks):
        return not_a_skill(label, blocks)
    if Skill(label, key) not in desk.loaded:
        return f'Skill "{key}" is not currently loaded in "{label}".'
    desk.note(Skill(label, key), loaded=False)
    return f'Unloaded "{key}" from {label}. Context reclaimed.'
