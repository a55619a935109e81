"""
Markdown of people and models as HTML that cannot harm.

No HTML of the text gets through: what looks like it is shown as text. What the
renderer makes is cleaned once more, so that a fault of its own does no harm either.
Images are links: none is fetched from elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from html import unescape
from typing import Any

import nh3
from django.utils.html import format_html, strip_tags
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

# Longer texts are shown as they are: no reader wants them rendered, no server either.
MOST = 200_000
# Longer code is not coloured.
MOST_CODE = 20_000
KEPT = 512

TAGS = {
    "a", "blockquote", "br", "code", "del", "div", "em", "h3", "h4", "h5", "h6", "hr",
    "li", "ol", "p", "pre", "s", "span", "strong", "table", "tbody", "td", "th", "thead",
    "tr", "ul",
}  # fmt: skip
ATTRIBUTES = {
    "a": {"href", "title"},
    "ol": {"start"},
    "pre": {"class"},
    "span": {"class"},
    "div": {"class", "tabindex"},
    "td": {"class"},
    "th": {"class"},
}
SCHEMES = {"http", "https", "mailto"}

FORMATTER = HtmlFormatter(nowrap=True)


class _Renderer(RendererHTML):
    """The usual HTML, but that headings stay below the page's, and code is coloured."""

    def heading_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Any
    ) -> str:
        return f"<{_heading(tokens[idx].tag)}>"

    def heading_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Any
    ) -> str:
        return f"</{_heading(tokens[idx].tag)}>\n"

    def image(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Any
    ) -> str:
        token = tokens[idx]
        name = token.content or "image"
        address = str(token.attrs.get("src", ""))
        return format_html('<a href="{}">Image: {}</a>', address, name)

    def fence(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Any
    ) -> str:
        token = tokens[idx]
        language = token.info.strip().split(" ")[0] if token.info else ""
        return f'<pre class="code wrap"><code>{colour(token.content, language)}</code></pre>\n'

    code_block = fence

    def table_open(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Any
    ) -> str:
        return '<div class="scroll-x" tabindex="0"><table>'

    def table_close(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Any
    ) -> str:
        return "</table></div>\n"

    def cell(
        self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Any
    ) -> str:
        # Its alignment comes as an inline style, which the policy does not take.
        token = tokens[idx]
        right = "right" in str(token.attrs.get("style", ""))
        kind = ' class="number"' if right else ""
        return f"<{token.tag}{kind}>"

    th_open = td_open = cell


def _heading(tag: str) -> str:
    """Return h3 for h1, and so on."""
    return f"h{min(int(tag[1:]) + 2, 6)}"


PARSER = MarkdownIt(
    "commonmark",
    {"html": False, "linkify": False, "breaks": False},
    renderer_cls=_Renderer,
).enable(["table", "strikethrough"])

CLEANER = nh3.Cleaner(
    tags=TAGS,
    attributes=ATTRIBUTES,
    url_schemes=SCHEMES,
    link_rel="noopener noreferrer nofollow",
)


def markdown(text: str) -> SafeString:
    """Return a text as HTML; one that is too long for it as it is."""
    if len(text) > MOST:
        return format_html('<pre class="code wrap">{}</pre>', text)
    return _render(_Text(text))


def colour(code: str, language: str) -> str:
    """Return code as HTML with the classes of ``code.css``."""
    if language and len(code) <= MOST_CODE:
        try:
            lexer = get_lexer_by_name(language, stripnl=False)
        except ClassNotFound:
            pass
        else:
            return str(highlight(code, lexer, FORMATTER))
    return format_html("{}", code)


def first_words(text: str, characters: int = 600) -> str:
    """Return the beginning of a text without its marks, a line a paragraph."""
    plain = unescape(strip_tags(markdown(text.strip()[:characters])))
    return "\n".join(line.strip() for line in plain.splitlines() if line.strip())


class _Text:
    """A text that is told by its hash, so that what is kept need not hold it."""

    __slots__ = ("digest", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        sent = text.encode(errors="surrogatepass")
        self.digest = blake2b(sent, digest_size=16).digest()

    def __hash__(self) -> int:
        return hash(self.digest)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Text) and self.digest == other.digest


@lru_cache(maxsize=KEPT)
def _render(text: _Text) -> SafeString:
    html = CLEANER.clean(PARSER.render(text.text))
    text.text = ""
    return mark_safe(html)  # noqa: S308 (cleaned)
