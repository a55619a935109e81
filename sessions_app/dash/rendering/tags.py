"""What templates can say: built into all of them by settings.TEMPLATES."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypedDict

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.timezone import now

from sessions_app.dash.rendering import formatting
from sessions_app.dash.rendering.icons import ICONS
from sessions_app.dash.rendering.markdown import first_words, markdown
from sessions_app.search.snippets import marked_html

register = template.Library()

register.filter("money", formatting.money)
register.filter("short_id", formatting.short_id)
register.filter("size", formatting.size)
register.filter("duration", formatting.duration)
register.filter("exact", formatting.exact)
register.filter("markdown", markdown)
register.filter("first_words", first_words)


SPELLED = re.compile(r"(?:\\[nrt])+")


class Segment(TypedDict):
    """A part of a bar: ``series`` is 1 to 5, others or free."""

    series: str
    name: str
    tokens: int


@register.filter
def count(number: int) -> str:
    """Return 1204 as 1,204."""
    return f"{number:,}"


@register.filter
def tokens(number: int) -> str:
    """Return 61234 as 61.2k, with the whole number as its title."""
    short = formatting.short_count(number)
    if short == str(number):
        return short
    return format_html('<span title="{}">{}</span>', f"{number:,}", short)


@register.filter
def ago(moment: datetime | None) -> str:
    """Return "3 min ago", with the exact time as its title."""
    if moment is None:
        return "never"
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        moment.isoformat(timespec="milliseconds"),
        formatting.exact(moment),
        formatting.age(moment, now()),
    )


@register.filter
def share(part: int, whole: int | None) -> str:
    """Return what percentage of the whole a part is; without a whole, nothing."""
    return f"{100 * part / whole:.0f}%" if whole else ""


@register.filter
def undo_url(tags: str | None) -> str:
    """Return the address in a toast's tags, if it can be undone."""
    return (tags or "").partition("undo=")[2].split(" ")[0]


@register.simple_tag
def icon(name: str) -> SafeString:
    path = mark_safe(ICONS[name])  # noqa: S308 (ours)
    return format_html(
        '<svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d="{}"/></svg>',
        path,
    )


@register.simple_tag
def copy(text: str, what: str = "id") -> SafeString:
    """Render a button that copies a text; it shows only where scripts run."""
    return format_html(
        '<button type="button" class="copy" data-copy="{}" aria-label="Copy {}" title="Copy {}">{}</button>',
        text,
        what,
        what,
        icon("copy"),
    )


@register.simple_tag
def meter(used: int, limit: int | None, kind: str = "") -> str:
    """Render how full: amber from 85 %, red from 100 %. Without a limit, nothing."""
    if not limit:
        return ""
    full = used / limit
    state = kind or ("at-over" if full >= 1 else "at-warn" if full >= 0.85 else "")
    return format_html(
        '<svg class="meter {}" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">'
        '<rect width="{}" height="4"/></svg>',
        state,
        f"{min(full, 1) * 100:.1f}",
    )


@register.simple_tag
def bar(segments: Sequence[Segment], whole: int, kind: str = "") -> SafeString:
    """Render segments side by side, scaled to a whole; what is left stays free."""
    whole = max(whole, sum(segment["tokens"] for segment in segments), 1)
    drawn: list[tuple[Any, ...]] = []
    left = 0.0
    for segment in segments:
        width = 1000 * segment["tokens"] / whole
        if segment["tokens"] and segment["series"] != "free":
            # 2 of 1000 are the gap between two; a thin one stays visible.
            drawn.append((segment["series"], f"{left:.2f}", f"{max(width - 2, 1):.2f}"))
        left += width
    return format_html(
        '<svg class="bar {}" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">{}</svg>',
        kind,
        format_html_join(
            "", '<rect class="series-{}" x="{}" width="{}" height="10"/>', drawn
        ),
    )


@register.filter
def plural(number: int, words: str) -> str:
    """Return "1 message", "1,204 messages": ``words`` are "message,messages" or "message"."""
    one, _, many = words.partition(",")
    return f"{number:,} {one if number == 1 else many or one + 's'}"


@register.filter
def marked(snippet: str) -> SafeString:
    """Render a piece of a text that was found, escaped, with its matches in marks."""
    # What a tool was asked is kept as JSON: its line ends are spelled out.
    if '\\"' in snippet or snippet.count("\\n") > 1:
        snippet = SPELLED.sub(" ", snippet).replace('\\"', '"')
    return mark_safe(marked_html(snippet))  # noqa: S308 (escaped there)


@register.filter
def value_of(params: Mapping[str, str], name: str) -> str:
    """Return a parameter of an address by a name that the template does not know."""
    return params.get(name, "")


@register.filter
def clock(moment: datetime) -> SafeString:
    """Return the time of day, with the exact time as its title."""
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        moment.isoformat(timespec="milliseconds"),
        formatting.exact(moment),
        f"{moment:%H:%M}",
    )


@register.filter
def role_class(role: str) -> str:
    """Return a role as a class; anybody may invent one."""
    return role if role in ("user", "assistant", "system", "tool") else "other"
