"""
Pictures of every page, light and dark, on a screen and on a phone.

    python tests/browser/screenshots.py OUT [--data FILE...] [--pages NAME...]

It starts a server of its own and fills it (tests/filling.py). `make screenshots` calls it.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.browser.conftest import ARGUMENTS, CHROMIUM
from tests.browser.pages import PAGES, open_page
from tests.filling import fill
from tests.server import Server, running_server

WINDOWS = {"1440": (1440, 1000), "360": (360, 740)}


def take(server: Server, out: Path, names: list[str]) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for theme in ("light", "dark"):
            for window, (width, height) in WINDOWS.items():
                context = browser.new_context(
                    base_url=server.url,
                    viewport={"width": width, "height": height},
                    color_scheme=theme,
                )
                page = context.new_page()
                page.goto("/login")
                page.screenshot(path=out / f"login-{theme}-{window}.png")
                page.get_by_label("User name").fill("admin")
                page.get_by_label("Password").fill(server.password)
                page.get_by_role("button", name="Log in").click()
                page.wait_for_url("**/")
                found = {}
                for name, words in (("pi", "Theme system"), ("tree", "oasst")):
                    page.goto(f"/sessions?q={words}")
                    link = page.locator("main table a[href*='/sessions/']").first
                    match = re.search(
                        r"/sessions/(\d+)", str(link.get_attribute("href"))
                    )
                    found[name] = match[1] if match else ""
                for name in names:
                    open_page(page, PAGES[name].format(**found))
                    page.screenshot(path=out / f"{name}-{theme}-{window}.png")
                context.close()
        browser.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--data", nargs="*", help="conversations to import")
    parser.add_argument("--pages", nargs="*", default=list(PAGES), choices=PAGES)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        running_server(Path(folder)) as server,
    ):
        fill(Path(folder), options.data)
        take(server, options.out, options.pages)


if __name__ == "__main__":
    main()
