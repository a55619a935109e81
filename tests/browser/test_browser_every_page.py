"""What holds for every page: no serious fault for a screen reader, and no wider than a phone."""

from __future__ import annotations

import re
from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import Page

from tests.browser.pages import PAGES, open_page

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
SERIOUS = {"serious", "critical"}


@pytest.fixture(scope="module")
def addresses(browser, hub, logged_in):
    """The pages' addresses, with the sessions that the list leads to."""
    context = browser.new_context(base_url=hub.url, storage_state=logged_in)
    page = context.new_page()
    found = {}
    for name, words in (("pi", "Theme system"), ("tree", "oasst")):
        page.goto(f"/sessions?q={words}")
        link = page.locator("main table a[href*='/sessions/']").first
        (found[name],) = re.findall(r"/sessions/(\d+)", link.get_attribute("href"))
    context.close()
    return {name: address.format(**found) for name, address in PAGES.items()}


def faults(page: Page) -> list[str]:
    # The policy of the pages forbids what axe adds to them; evaluate does not ask.
    page.evaluate(AXE)
    result = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{fault['id']}: {node['html'][:200]} ({node['failureSummary'][:200]})"
        for fault in result["violations"]
        if fault["impact"] in SERIOUS
        for node in fault["nodes"]
    ]


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_no_serious_fault(page, addresses, name):
    open_page(page, addresses[name])

    assert faults(page) == []
    assert page.locator("h1").count() == 1
    assert page.title().endswith("MemoryHub")
    assert " style=" not in page.request.get(addresses[name]).text()


@pytest.mark.window(theme="dark")
@pytest.mark.parametrize("name", PAGES)
def test_nor_in_the_dark(page, addresses, name):
    open_page(page, addresses[name])

    assert faults(page) == []


@pytest.mark.window(width=360, height=740)
@pytest.mark.parametrize("name", PAGES)
def test_it_is_no_wider_than_a_phone(page, addresses, name):
    open_page(page, addresses[name])

    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert faults(page) == []
