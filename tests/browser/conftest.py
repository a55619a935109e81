"""
A real browser, on a real server that has real conversations.

Tests here see what is on the screen, and nothing else: no ORM, no API.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.watched import WatchedPage
from tests.filling import fill
from tests.server import Server, running_server

# Debian's Chromium; as root it has no sandbox, and nothing to fetch here.
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 15_000  # milliseconds, on a busy machine


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "browser" in item.path.parts:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with both files of real conversations, and what operators meet."""
    data_dir = tmp_path_factory.mktemp("hub")
    with running_server(data_dir) as server:
        fill(data_dir)
        yield server


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    # It must be gone before other modules' tests use the ORM: its event loop is in
    # the same thread.
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def logged_in(browser: Browser, hub: Server) -> str:
    """The cookies of an operator who has logged in, as JSON."""
    context = browser.new_context(base_url=hub.url)
    page = context.new_page()
    page.goto("/login")
    page.get_by_label("User name").fill("admin")
    page.get_by_label("Password").fill(hub.password)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url("**/")
    state = context.storage_state()
    context.close()
    return state  # type: ignore[return-value]


@pytest.fixture
def context(
    browser: Browser, hub: Server, logged_in: str, request: pytest.FixtureRequest
) -> Iterator[BrowserContext]:
    """A window of its own for a test; ``@pytest.mark.window(width=360)`` changes it."""
    marker = request.node.get_closest_marker("window")
    wanted: dict[str, Any] = {
        "width": 1440,
        "height": 1000,
        "theme": "light",
        "script": True,
    }
    wanted |= marker.kwargs if marker else {}
    context = browser.new_context(
        base_url=hub.url,
        storage_state=logged_in,
        viewport={"width": wanted["width"], "height": wanted["height"]},
        color_scheme=wanted["theme"],
        java_script_enabled=wanted["script"],
        reduced_motion="reduce",
    )
    context.set_default_timeout(PATIENCE)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    yield context
    context.close()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """A page whose console has to stay empty: no error, no breach of the policy."""
    watched = WatchedPage(context.new_page())
    yield watched.page
    assert watched.complaints == []
