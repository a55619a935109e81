"""
What tokens cost, in billionths of a dollar.

Rates are whole billionths of a dollar a million tokens, so that every sum is exact;
it is rounded once, at the end, to the nearest and of two to the even one.

A *convention* says how the numbers are to be read. Ours are ``disjoint``: no token is
in two of them. A price row for a model whose client counts otherwise can say so:
``inclusive`` has the cached tokens in the input as well, and reasoning in the output;
``exclusive`` has the cached beside the input, and reasoning in the output;
``additive`` is araliya's, which is as exclusive and leaves out what is written to a
cache.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

MILLION = 1_000_000

DISJOINT, INCLUSIVE, EXCLUSIVE, ADDITIVE = CONVENTIONS = (
    "disjoint",
    "inclusive",
    "exclusive",
    "additive",
)

# By the rate that holds where one is not given.
RATES = {
    "input": None,
    "output": None,
    "cache_read": "input",
    "cache_write": "input",
    "cache_write_1h": "cache_write",
    "reasoning": "output",
}


class Counts(Protocol):
    """``cache_write_1h_tokens`` are a part of ``cache_write_tokens``."""

    @property
    def input_tokens(self) -> int: ...
    @property
    def output_tokens(self) -> int: ...
    @property
    def cache_read_tokens(self) -> int: ...
    @property
    def cache_write_tokens(self) -> int: ...
    @property
    def cache_write_1h_tokens(self) -> int: ...
    @property
    def reasoning_tokens(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Rates:
    """
    The rates of a model; None is not given.

    A tier has the rates of a call whose whole prompt is longer than its ``above``, for
    all tokens of the call.
    """

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    cache_write_1h: int | None = None
    reasoning: int | None = None
    convention: str = DISJOINT
    tiers: Sequence[Mapping[str, Any]] = ()

    def at(self, prompt: int) -> dict[str, int | None]:
        """Return the rates for a prompt of so many tokens, with those that stand in."""
        found: dict[str, int | None] = {name: getattr(self, name) for name in RATES}
        if self.tiers:
            for tier in sorted(self.tiers, key=lambda tier: int(tier["above"])):
                if prompt > tier["above"]:
                    found.update({name: tier[name] for name in RATES if name in tier})
        for name, other in RATES.items():
            if found[name] is None and other is not None:
                found[name] = found[other]
        return found


@dataclass(frozen=True, slots=True)
class Cost:
    """A cost, and the rates that were used for it."""

    nanos: int
    rates: dict[str, int]


def prompt_tokens(counts: Counts, convention: str = DISJOINT) -> int:
    """Return how many tokens were sent to the model."""
    if convention == INCLUSIVE:
        return counts.input_tokens
    sent = counts.input_tokens + counts.cache_read_tokens
    return sent if convention == ADDITIVE else sent + counts.cache_write_tokens


def cost_of(rates: Rates, counts: Counts) -> Cost | None:
    """Return what a call cost, or None where a rate that it needs is not known."""
    at = rates.at(prompt_tokens(counts, rates.convention))
    total = 0
    used: dict[str, int] = {}
    for name, tokens in priced(counts, rates.convention).items():
        if not tokens:
            continue
        rate = at[name]
        if rate is None:
            return None
        used[name] = rate
        total += tokens * rate
    return Cost(round_half_even(total, MILLION), used)


def priced(counts: Counts, convention: str) -> dict[str, int]:
    """Return the tokens that each rate is for."""
    hour = min(counts.cache_write_1h_tokens, counts.cache_write_tokens)
    found = {
        "input": counts.input_tokens,
        "output": counts.output_tokens,
        "cache_read": counts.cache_read_tokens,
        "cache_write": counts.cache_write_tokens - hour,
        "cache_write_1h": hour,
        "reasoning": counts.reasoning_tokens,
    }
    if convention == INCLUSIVE:
        cached = counts.cache_read_tokens + counts.cache_write_tokens
        found["input"] = max(counts.input_tokens - cached, 0)
    if convention != DISJOINT:
        found["reasoning"] = 0
    if convention == ADDITIVE:
        found["cache_write"] = found["cache_write_1h"] = 0
    return found


def round_half_even(number: int, divisor: int) -> int:
    """Return a quotient to the nearest whole number, and of two to the even one."""
    whole, rest = divmod(number, divisor)
    if 2 * rest > divisor or (2 * rest == divisor and whole % 2):
        whole += 1
    return whole
