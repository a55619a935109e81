"""Every page, by a name and an address; of sessions, the long one."""

from __future__ import annotations

from playwright.sync_api import Page

# {pi} is the long session, {tree} one with branches that people wrote.
PAGES = {
    "overview": "/",
    "sessions": "/sessions",
    "sessions-lineage": "/sessions?view=lineage",
    "session": "/sessions/{pi}",
    "session-branches": "/sessions/{tree}",
    "tree": "/sessions/{pi}/tree",
    "context": "/sessions/{pi}/context?format=anthropic",
    "compactions": "/sessions/{pi}/compactions",
    "usage": "/sessions/{pi}/usage",
    "session-blocks": "/sessions/{pi}/blocks?block=memory",
    "events": "/sessions/{pi}/events",
    "raw": "/sessions/{pi}/raw",
    "fork": "/sessions/{pi}/fork",
    "blocks": "/blocks",
    "quarantine": "/quarantine",
    "search": "/search?q=theme",
    "search-nothing": "/search?q=zzzzqqq",
    "spend": "/spend",
    "prices": "/prices",
    "budgets": "/budgets",
    "webhooks": "/webhooks",
    "import": "/import",
    "agents": "/agents",
    "keys": "/keys",
    "people": "/people",
    "jobs": "/jobs",
    "system": "/system",
    "missing": "/sessions/99999999",
}


def open_page(page: Page, address: str) -> None:
    """
    Open it, and return when it has all that it shows.

    Half a second of silence, which Playwright can wait for, would be most of the time
    that hundreds of pages take.
    """
    page.goto(address)
    page.evaluate("document.fonts.ready.then(() => null)")
    page.wait_for_function("!document.querySelector('.htmx-request')")
