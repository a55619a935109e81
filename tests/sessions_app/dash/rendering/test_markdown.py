from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from sessions_app.dash.rendering.markdown import MOST, markdown
from tests.sessions_app.dash.probes import PROBES

HARMLESS = {
    "a", "blockquote", "br", "code", "del", "div", "em", "h3", "h4", "h5", "h6", "hr",
    "li", "ol", "p", "pre", "s", "span", "strong", "table", "tbody", "td", "th", "thead",
    "tr", "ul",
}  # fmt: skip


class Watching(HTMLParser):
    """Notes every element and attribute, as a browser would see them."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += attrs

    handle_startendtag = handle_starttag


def look_at(html: str) -> Watching:
    watching = Watching()
    watching.feed(html)
    watching.close()
    return watching


@pytest.mark.parametrize("probe", PROBES)
def test_nothing_harmful_gets_through(probe):
    seen = look_at(markdown(probe))

    assert seen.tags <= HARMLESS
    for name, value in seen.attributes:
        assert not name.startswith("on")
        assert name != "style"
        if name == "href":
            assert re.match(r"(https?|mailto):|[/#]|[^:]*$", value or "")


def test_what_looks_like_html_is_shown_as_text():
    assert markdown("a <b>bold</b> claim") == "<p>a &lt;b&gt;bold&lt;/b&gt; claim</p>\n"


def test_headings_stay_below_those_of_the_page():
    assert "<h3>One</h3>" in markdown("# One")
    assert "<h6>Six</h6>" in markdown("###### Six")


def test_an_image_is_a_link_and_is_not_fetched():
    html = markdown("![a cat](https://example.com/cat.png)")

    assert 'href="https://example.com/cat.png"' in html
    assert "Image: a cat" in html
    assert "<img" not in html


def test_code_is_coloured_by_classes():
    html = markdown("```python\ndef f():\n    return 1\n```")

    assert '<span class="k">def</span>' in html
    assert "style=" not in html


def test_code_of_an_unknown_language_is_shown_as_it_is():
    assert "a &lt; b" in markdown("```no-such-language\na < b\n```")


def test_tables_align_without_inline_styles():
    html = markdown("| a | b |\n|---|--:|\n| 1 | 2 |")

    assert '<td class="number">2</td>' in html


def test_an_address_is_no_link_by_itself():
    assert "<a" not in markdown("see https://example.com")


def test_what_is_too_long_is_shown_as_it_is():
    html = markdown("# " + "x" * MOST + "<script>")

    assert html.startswith("<pre")
    assert html.endswith("&lt;script&gt;</pre>")


def test_the_same_text_is_rendered_once():
    text = "once *and* again"

    assert markdown(text) is markdown(text)
