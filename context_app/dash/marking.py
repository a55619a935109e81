"""Texts with what the scan found in them marked, and what cannot be seen spelt out."""

from __future__ import annotations

from django.utils.html import format_html
from django.utils.safestring import SafeString

from context_app.scanning import HIDDEN, scan

NAMES = {
    "hidden_text": "hidden text",
    "role_marker": "role marker",
    "override": "override of instructions",
    "exfiltration": "sends secrets away",
    "unscanned": "too long to be looked through",
}
# Characters of a text that are shown.
MOST = 20_000


def rule_name(rule: str) -> str:
    return NAMES.get(rule, rule)


def marked(text: str) -> SafeString:
    """Return the beginning of a text as HTML, each finding in a ``mark``."""
    html, at = SafeString(""), 0
    for finding in scan(text):
        start, end = max(finding.start, at), min(finding.end, MOST)
        if start >= end or finding.rule == "unscanned":
            continue
        html += format_html("{}", _seen(text[at:start]))
        name = NAMES[finding.rule]
        html += format_html('<mark title="{}">{}</mark>', name, _seen(text[start:end]))
        at = end
    html += format_html("{}", _seen(text[at:MOST]))
    left = len(text) - MOST
    return (
        format_html("{}… {} more characters", html, f"{left:,}") if left > 0 else html
    )


def _seen(text: str) -> str:
    return HIDDEN.sub(
        lambda match: "".join(f"\\u{{{ord(char):x}}}" for char in match[0]), text
    )
