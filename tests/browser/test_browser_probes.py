"""Every page with texts that would run if one were shown carelessly: none does."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Dialog, Page

from tests.addresses import address, routes
from tests.browser.pages import open_page
from tests.filling import ROOT
from tests.server import Server, environment, running_server

PROBE = (
    "\"><img src=x onerror=alert(1)>'><script>alert(1)</script></textarea></title>"
    "{{7*7}}[x](javascript:alert(1))<a href='javascript:alert(1)'>x</a>' onfocus='alert(1)"
)
WAYS = {
    "sessions": ("?view=lineage", f"?q={quote(PROBE)}", f"?agent={quote(PROBE)}"),
    "sessions/<int:pk>": (
        "?msg=m2", "?leaf=b1", f"?msg={quote(PROBE)}", "/tree?pick=m2", "/tree?show=all",
        "/fork?at=m2", "/compactions?plan", "/compactions?open={uid}", "/message?msg=m2",
        "/compactions?edit={uid}", "/edit?msg=m2", "/edit?msg=m2&as=json", "/label?msg=m2",
        "/delete?msg=m2", "/compare?left=m5&right=b1", "/part?msg=m2&part=2&side=got",
        "/context?format=openai", "/context?format=anthropic", "/prompt?v=1",
        "/prompt?a=1&b=2", "/raw?msg=m2", "/blocks?new",
    ),
    "search": (f"?q={quote(PROBE)}", "?q=alert", "?q=x&agent=<b>"),
    "spend": ("?by=agent", "?by=session", "?by=purpose", "?by=provider"),
    "prices": (f"?q={quote(PROBE)}", f"?model={quote(PROBE)}", "?copy=1"),
    "blocks": (f"?agent={quote(PROBE)}", "?new"),
    "blocks/<int:pk>/versions": ("?from=1&to=2", "?from=1&to=2&view=side"),
    "quarantine": ("?state=all", f"?agent={quote(PROBE)}"),
    "agents": (f"?q={quote(PROBE)}",),
    "import": (f"?agent={quote(PROBE)}",),
    "keys": (f"?agent={quote(PROBE)}",),
    "jobs": (f"?kind={quote(PROBE)}", "?state=failed"),
}  # fmt: skip
# What is wrong with a page that is open.
FAULTS = """() => {
  const faults = []
  for (const each of document.querySelectorAll('*')) {
    for (const {name, value} of each.attributes) {
      const address = ['href', 'src', 'action', 'formaction', 'xlink:href', 'data', 'srcdoc']
      const runs = /^[\\s\\x00-\\x1f]*(javascript|vbscript|data:text)/i
      if (/^(on|hx-on|srcdoc$)/.test(name) || address.includes(name) && runs.test(value))
        faults.push(each.outerHTML.slice(0, 200))
    }
    if (each.localName === 'script' && !each.src.startsWith(`${location.origin}/static/`))
      faults.push(each.outerHTML.slice(0, 200))
    if (['iframe', 'object', 'embed', 'base'].includes(each.localName))
      faults.push(each.outerHTML.slice(0, 200))
    if (each.localName === 'img' && !each.src.startsWith('data:image/'))
      faults.push(each.outerHTML.slice(0, 200))
  }
  return faults
}"""


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of its own."""
    with running_server(tmp_path_factory.mktemp("probes")) as server:
        yield server


@pytest.fixture(scope="module")
def places(hub: Server, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What is on the server: one of everything, called by the probe."""
    written = subprocess.check_output(
        [sys.executable, "tests/everything.py", PROBE],
        env=environment(tmp_path_factory.getbasetemp() / "probes0")
        | {"PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        text=True,
    )
    return json.loads(written)


def faults(page: Page, place: str) -> list[str]:
    answer = page.request.get(place)
    assert answer.status < 500, place
    if not answer.body():
        return []
    if "text/html" not in answer.headers["content-type"]:
        assert "html" not in answer.headers["content-type"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        return []
    # Our scripts set some; none comes with a page.
    assert not re.search(r"<[^>]* style=", answer.text()), place
    open_page(page, place)
    return [f"{place}: {fault}" for fault in page.evaluate(FAULTS)]


@pytest.mark.slow
def test_nothing_runs_but_ours(page: Page, places: Any) -> None:
    dialogs: list[str] = []

    def note(dialog: Dialog) -> None:
        dialogs.append(page.url)
        dialog.dismiss()

    page.on("dialog", note)
    found: list[str] = []
    for route in sorted(routes()):
        place = address(route, places)
        uid = places["sessions"]["uid"]
        ways = [way.format(uid=uid) for way in WAYS.get(route, ())]
        for way in ("", *ways):
            found += faults(page, place + way)

    assert found == []
    assert dialogs == []


def test_a_toast_says_a_name_and_no_more(page: Page, places: Any) -> None:
    page.goto(f"/agents/{places['agents']['pk']}")
    page.get_by_role("button", name="Save").first.click()

    assert page.get_by_text(f"Agent {PROBE} is saved").is_visible()
    assert page.evaluate(FAULTS) == []
