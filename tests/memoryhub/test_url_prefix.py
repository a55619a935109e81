"""Behind a proxy that speaks TLS and serves the hub below a path: all stays below it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.addresses import address, routes
from tests.server import ROOT, Server, environment, running_server

pytestmark = [pytest.mark.slow, pytest.mark.django_db]
PREFIX = "/hub"
LEADING = re.compile(
    r"""\b(?:href|src|action|formaction|hx-get|hx-post|data-(?!key)[a-z-]+)=["'](/[^"']*)"""
)


class Proxy(httpx.HTTPTransport):
    """Passes on what is below the prefix, without it, and says that it came by TLS."""

    def __init__(self, server: Server) -> None:
        super().__init__()
        self.target = httpx.URL(server.url).copy_with(path="/")

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        path = request.url.raw_path.decode()
        if not path.startswith(f"{PREFIX}/"):
            raise AssertionError(f"{path} is not below {PREFIX}")
        url = self.target.copy_with(raw_path=path.removeprefix(PREFIX).encode())
        headers = {**request.headers, "X-Forwarded-Proto": "https"}
        passed = httpx.Request(
            request.method, url, headers=headers, stream=request.stream
        )
        return super().handle_request(passed)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMORYHUB_URL_PREFIX", PREFIX)
        patch.setenv("MEMORYHUB_BEHIND_TLS", "1")
        patch.setenv("MEMORYHUB_ALLOWED_HOSTS", "hub.example")
        with running_server(tmp_path_factory.mktemp("prefix"), fresh=True) as server:
            yield server


@pytest.fixture
def browser(server: Server) -> Iterator[httpx.Client]:
    base = f"https://hub.example{PREFIX}"
    with httpx.Client(transport=Proxy(server), base_url=base, timeout=60) as browser:
        browser.headers["Referer"] = f"{base}/login"
        yield browser


def log_in(browser: httpx.Client, server: Server) -> httpx.Response:
    page = browser.get("/login").text
    (token,) = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[:1]
    form = {
        "username": "admin",
        "password": server.password,
        "csrfmiddlewaretoken": token,
    }
    return browser.post("/login", data=form)


def test_cookies_are_secure_and_of_the_prefix(browser, server):
    response = log_in(browser, server)

    assert response.headers["Location"] == f"{PREFIX}/"
    cookies = response.headers.get_list("Set-Cookie")
    assert {cookie.partition("=")[0] for cookie in cookies} == {
        "sessionid",
        "csrftoken",
    }
    for cookie in cookies:
        assert "; Secure" in cookie
        assert "; SameSite=Lax" in cookie
        # Another hub on this host has a login of its own.
        assert f"; Path={PREFIX}" in cookie
        assert cookie.startswith("csrftoken") or "; HttpOnly" in cookie


def test_every_page_leads_to_what_is_below(browser, server, tmp_path_factory):
    log_in(browser, server)
    assert browser.get("/").status_code == 200
    folder = tmp_path_factory.getbasetemp() / "prefix0"
    places: Any = json.loads(
        subprocess.check_output(
            [sys.executable, "tests/everything.py", "probe"],
            env=environment(folder) | {"PYTHONPATH": str(ROOT)},
            cwd=ROOT,
        )
    )
    static: set[str] = set()
    for route in sorted(routes()):
        response = browser.get(address(route, places))
        assert response.status_code < 500, route
        assert response.headers.get("Location", PREFIX).startswith(PREFIX), route
        for found in LEADING.findall(response.text):
            assert found.startswith(f"{PREFIX}/") or found == PREFIX, (route, found)
            if found.startswith(f"{PREFIX}/static/"):
                static.add(found.removeprefix(PREFIX))

    assert len(static) > 10
    for each in static:
        assert browser.get(each).status_code == 200, each
