"""
Looking through what is written to memory for prompt injection.

What stands in a block is read by the model as part of its instructions, in every
later turn: so a text that was smuggled in once works for ever. The patterns are few
and plain; they find the usual, and a person decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

from context_app.lookalikes import as_read

# Findings beyond these say nothing more.
MOST = 50
EXCERPT = 120
# Characters of a text that are looked through; that there are more is a finding.
LONGEST = 400_000

HIDDEN = re.compile(
    "[\u200b\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb]"  # no width, no meaning
    "|[\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u3164\uffa0]"  # the same
    "|[\u202a-\u202e\u2066-\u2069]"  # turns the direction of what follows
    "|[\u200c\u200d]{2,}"  # one alone joins letters or emoji
    "|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}"  # one alone chooses a glyph
    "|(?:\U0001f3f4[\U000e0020-\U000e007f]{1,8})?[\U000e0000-\U000e007f]+"
)
# The flags of England, Scotland and Wales are spelt with the same tags.
FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{1,7}\U000e007f")

ROLES = re.compile(
    r"""
    <\|\s*(?:im_start|im_end|im_sep|system|user|assistant|endoftext|eot_id|begin_of_text
        |start_header_id|end_header_id|channel|message)\b[^|\n]{0,40}\|>
    | \[/?INST\] | <</?SYS>> | </?s>\s*\[INST\]
    | <(?:start|end)_of_turn>
    | </?(?:system|assistant|developer|system[_-]prompt|system[_-]message)\s*>
    | ^[ \t]*(?:\#{1,6}[ \t]*|\*\*)?(?:system|developer|assistant|human)
        (?:[ \t]+(?:prompt|message|instructions?))?(?:\*\*)?[ \t]*:(?=\s|$)
    | ^═{10,}$
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)

_IGNORING = r"(?:ignore|disregard|forget|override|bypass)"
_EARLIER = r"previous|prior|above|earlier|preceding|system"
_ORDERS = (
    r"(?:instructions?|prompts?|rules?|guidelines?|directives?|constraints?|messages?)"
)

OVERRIDES = re.compile(
    rf"""
    \b{_IGNORING}\b[^.]{{0,40}}
        \b(?:{_EARLIER}|all|your|these|those|other)\b[^.]{{0,30}}\b{_ORDERS}\b
    | {_IGNORING}(?:all|any|of|the|my|your|these|those)*(?:{_EARLIER}){_ORDERS}
    | \b(?:ignore|disregard|forget)\s+(?:(?:the|all|everything|anything)\s+)?
        (?:above\b|(?:that\s+)?you\s+(?:were|have\s+been)\s+told\b)
    | \b(?:your|these\ are\ (?:your|the))\s+new\s+(?:instructions?|rules?|system\s+prompt)\b
    | ^[ \t]*new\s+(?:instructions?|rules?|system\s+prompt)[ \t]*:
    | \bfrom\s+now\s+on,?\s+
        (?:you\s+(?:are|will|must|shall)|act|behave|pretend|respond|answer)\b
    | \byou\s+are\s+(?:now|no\s+longer)\s+
        (?:(?:an?|the|bound|restricted|limited)\b|in\s+\w+\s+mode\b|(?-i:[A-Z]{{2,}}\b))
    | \bpretend\s+(?:to\s+be|you\s+are|you're)\b[^.]{{0,40}}
        \b(?:unrestricted|unfiltered|uncensored|no\s+(?:rules|restrictions|limits))\b
    | \b(?:enable|enter|activate)\s+(?:developer|god|dan|jailbreak)\s+mode\b
    | \b(?:do\s+not|don't|never)\s+(?:tell|inform|mention|reveal|show|warn)\b[^.]{{0,20}}
        \b(?:the\s+)?(?:user|human|operator)s?\b
    """,
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)

_SECRETS = (
    r"(?:passwords?|passwd|credentials?|secrets?|api[\ _-]?keys?|access[\ _-]?tokens?"
    r"|auth(?:entication)?[\ _-]?tokens?|private[\ _-]?keys?|ssh[\ _-]?keys?|cookies?"
    r"|environment\ variables?|\.env\b|system\ prompt|conversation(?:\ history)?"
    r"|chat\ history)"
)
_SENDING = r"(?:send|post|upload|forward|e-?mail|transmit|exfiltrate|leak|submit|append|encode)"

EXFILTRATION = re.compile(
    rf"""
    \b{_SENDING}\b[^\n]{{0,80}}\b{_SECRETS}[^\n]{{0,80}}
        (?:https?://|\bto\b|@|\bwebhook\b)
    | \b(?:reveal|print|repeat|output|show|disclose|dump)\b[^.\n]{{0,30}}
        \b(?:system\ prompt|hidden\ instructions|initial\ instructions)\b
    | !\[[^\]\n]{{0,80}}\]\(\s*https?://[^)\s]{{1,200}}[?&][^)\s=]{{1,40}}=
        (?:\{{|\$|<|%7B|\[)
    | \b(?:curl|wget)\b[^\n]{{0,120}}https?://[^\n]{{0,120}}(?:\$\(|\$\{{?[A-Z_]|`|@/)
    """,
    re.VERBOSE | re.IGNORECASE,
)

READ_RULES: Mapping[str, re.Pattern[str]] = {
    "role_marker": ROLES,
    "override": OVERRIDES,
    "exfiltration": EXFILTRATION,
}


@dataclass(frozen=True, slots=True)
class Finding:
    """A place in a text, in characters, and the rule that it looks like."""

    rule: str
    start: int
    end: int
    excerpt: str

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def scan(text: str) -> list[Finding]:
    """
    Return what looks like an injection, in the order of the text.

    But for hidden text it is looked for in what a model reads, see ``lookalikes``: that
    is what an excerpt shows, too.
    """
    start = text[:LONGEST]
    found = [*_hidden(start)]
    read, places = as_read(start)
    for rule, pattern in READ_RULES.items():
        for match in islice(pattern.finditer(read), MOST):
            first, last = match.start(), match.end() - 1
            found.append(_finding(rule, match, places[first], places[last] + 1))
    if len(text) > LONGEST:
        found.append(Finding("unscanned", LONGEST, len(text), ""))
    return sorted(found, key=lambda each: (each.start, each.rule))[:MOST]


def fresh(text: str, known: str) -> list[Finding]:
    """Return those findings of a text that an older one does not have already."""
    accepted = {(each.rule, each.excerpt) for each in scan(known)}
    return [each for each in scan(text) if (each.rule, each.excerpt) not in accepted]


def _hidden(text: str) -> Iterator[Finding]:
    matches = (each for each in HIDDEN.finditer(text) if not FLAG.fullmatch(each[0]))
    for match in islice(matches, MOST):
        yield _finding("hidden_text", match, *match.span())


def _finding(rule: str, match: re.Match[str], start: int, end: int) -> Finding:
    return Finding(rule, start, end, _visible(match[0])[:EXCERPT])


def _visible(text: str) -> str:
    """Spell out what cannot be seen."""
    return "".join(
        char if char.isprintable() or char == "\n" else f"\\u{{{ord(char):x}}}"
        for char in text
    )
