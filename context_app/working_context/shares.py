"""What a request is made of, part by part: the figures of the token bar."""

from __future__ import annotations

import re
from typing import NamedTuple

from context_app.rendering import RULE
from sessions_app.tokens import text_tokens

HEADER = re.compile(f"(?:^|\n\n){RULE}\n[^\n]*\n{RULE}\n")


class Shares(NamedTuple):
    """
    Tokens by what they are for: ``system`` is what of the prompt is not the blocks'
    own text, ``messages`` are those that no summary stands for.
    """

    system: int
    blocks: int
    tools: int
    summary: int
    messages: int

    @property
    def total(self) -> int:
        return sum(self)


def share_out(
    *, prompt: str, prompt_tokens: int, tools: int, conversation: int, summary: int
) -> Shares:
    """Part the tokens of a request; its blocks are read out of the frozen prompt."""
    blocks = min(sum(map(text_tokens, HEADER.split(prompt)[1:])), prompt_tokens)
    return Shares(
        prompt_tokens - blocks, blocks, tools, summary, max(conversation - summary, 0)
    )
