"""Made-up messages, always the same ones, and sessions full of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import accumulate, product

import orjson

from sessions_app.messages import Draft, read_message
from sessions_app.models import Session
from sessions_app.services.writing.appending import append_messages

BATCH = 1000
SENTENCES = 20_000
# Words for search, and in one of how many sentences each of them stands.
COMMON, MEDIUM, RARE = "weather", "harbour", "quetzal"
PHRASE = "harbour master"
CJK = "東京湾岸"
EVERY = {COMMON: 3, PHRASE: 400, RARE: 10_000, f"明日は{CJK}へ行く": 2_000}


class Conversation:
    """An endless conversation of messages with some 60 words, in 400 bytes."""

    def __init__(self, seed: int = 0) -> None:
        self.random = random.Random(seed)
        self.count = 0
        self.seed = seed

    def raw(self) -> bytes:
        """Return the next message as a client would send it."""
        self.count += 1
        text = " ".join(self.random.choices(_sentences(), k=4))
        message = {
            "id": f"message-{self.seed}-{self.count:07d}",
            "role": "user" if self.count % 2 else "assistant",
            "parts": [{"type": "text", "text": text}],
            "createdAt": "2026-11-20T10:00:00.000Z",
        }
        return orjson.dumps(message)

    def raws(self, count: int) -> list[bytes]:
        return [self.raw() for _ in range(count)]

    def drafts(self, count: int) -> list[Draft]:
        return [read_message(raw, "message") for raw in self.raws(count)]


def fill(session: Session, count: int, conversation: Conversation) -> None:
    """Append so many messages, in large batches."""
    while count > 0:
        append_messages(
            session_id=session.id, drafts=conversation.drafts(min(BATCH, count))
        )
        count -= BATCH


_made: list[str] = []


def _sentences() -> list[str]:
    if not _made:
        _made.extend(_make_sentences())
    return _made


def _make_sentences() -> Iterator[str]:
    """Yield sentences of words that are as unevenly used as those of a language."""
    chance = random.Random(0)
    vocabulary = ["".join(each) for each in product(_syllables(), repeat=2)]
    chance.shuffle(vocabulary)
    weights = list(accumulate(1 / rank for rank in range(1, len(vocabulary) + 1)))
    for number in range(SENTENCES):
        words = chance.choices(vocabulary, cum_weights=weights, k=15)
        words += [word for word, every in EVERY.items() if number % every == every - 1]
        chance.shuffle(words)
        yield " ".join(words) + "."


def _syllables() -> list[str]:
    return ["".join(each) for each in product("bdfgklmnprstvz", "aeiou", ("", "n"))]
