"""
What an operator can do who has never seen these pages, and sees only them.

A scripted agent writes to one of the sessions meanwhile, as agents do.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.server import Server

LIVE = "live"


class Agent:
    """Writes to a session through the API, as a program would."""

    def __init__(self, hub: Server) -> None:
        self.api = httpx.Client(base_url=f"{hub.url}/api/v1", headers=hub.headers)

    def say(self, text: str) -> None:
        message = {"role": "user", "content": text}
        answer = self.api.post(
            f"/sessions/{LIVE}/messages", json={"messages": [message]}
        )
        answer.raise_for_status()


@pytest.fixture(scope="module")
def agent(hub: Server) -> Iterator[Agent]:
    agent = Agent(hub)
    agent.api.put(f"/sessions/{LIVE}", json={"name": "Written live"})
    agent.say("The first step")
    yield agent
    agent.api.close()


def open_long_session(page: Page) -> None:
    page.goto("/")
    page.get_by_role("navigation", name="Main").get_by_role(
        "link", name="Sessions"
    ).click()
    page.get_by_placeholder("Name, first words or id").fill("Theme system")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Theme system").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Theme system")


def test_find_a_conversation_by_what_was_said(page):
    page.goto("/")
    page.get_by_role("searchbox", name="Search memory").fill("eyes screen")
    page.keyboard.press("Enter")

    expect(page.locator("mark").first).to_be_visible()
    page.locator("main a", has=page.locator("mark")).first.click()

    expect(page).to_have_url(re.compile(r"/sessions/\d+\?.*msg="))
    expect(page.locator(".selected")).to_contain_text("eyes")


def test_read_it_and_switch_its_branches(page):
    page.goto("/search?q=eyes+screen")
    page.locator("main a", has=page.locator("mark")).first.click()
    chip = page.locator(".chip").first
    expect(chip).to_contain_text(re.compile(r"\d/\d"))
    before = page.locator("article").all_inner_texts()
    step = chip.get_by_role("link", name="Next branch")
    if not step.count():
        step = chip.get_by_role("link", name="Previous branch")

    step.click()

    expect(page.locator(".selected")).to_be_visible()
    assert page.locator("article").all_inner_texts() != before


def test_switch_branches_with_the_keyboard(page):
    page.goto("/search?q=eyes+screen")
    page.locator("main a", has=page.locator("mark")).first.click()
    expect(page.locator(".chip").first).to_be_visible()
    address = page.url

    page.keyboard.press("]")
    page.wait_for_timeout(500)
    if page.url == address:
        page.keyboard.press("[")

    expect(page).not_to_have_url(address)


def test_see_what_the_model_would_see_and_why(page):
    open_long_session(page)
    page.get_by_role("link", name="Context", exact=True).click()

    expect(page.get_by_role("heading", name="What the model sees")).to_be_visible()
    page.get_by_label("Format").select_option("anthropic")
    expect(page).to_have_url(re.compile("format=anthropic"))
    expect(page.locator("main")).to_contain_text('"messages"')
    expect(page.get_by_role("heading", name="Repairs")).to_be_visible()
    expect(page.get_by_text("stale", exact=True)).to_be_visible()


def test_edit_a_memory_block_and_undo_it(page):
    open_long_session(page)
    page.get_by_role("navigation", name="Session").get_by_role(
        "link", name="Blocks"
    ).click()
    page.get_by_role("link", name=re.compile(r"^memory")).click()
    editor = page.get_by_role("textbox", name=re.compile("memory|Content|Text", re.I))
    former = editor.input_value()
    editor.fill("Publish on Fridays.")
    page.get_by_role("button", name=re.compile(r"Save as v\d+")).click()

    expect(editor).to_have_value("Publish on Fridays.")
    page.get_by_role("link", name="v3:").click()
    page.get_by_role("button", name="Revert to v3").first.click()

    expect(editor).to_have_value(former)


def test_disable_a_compaction_and_enable_it(page):
    open_long_session(page)
    page.get_by_role("link", name=re.compile("Compactions")).click()
    page.get_by_role("button", name="Disable").first.click()

    expect(page.get_by_role("button", name="Enable").first).to_be_visible()
    page.get_by_role("button", name="Enable").first.click()
    expect(page.get_by_role("button", name="Disable").first).to_be_visible()


def test_fork_at_a_message(page):
    page.goto("/search?q=eyes+screen")
    page.locator("main a", has=page.locator("mark")).first.click()
    page.locator(".selected").get_by_role("link", name="Fork here").click()
    expect(page.get_by_text("Only this path")).to_be_visible()
    page.get_by_label("Name of the fork").fill("Another way out")
    page.get_by_role("button", name="Fork", exact=True).click()

    expect(page.get_by_role("heading", level=1)).to_contain_text("Another way out")
    expect(page.get_by_text("fork", exact=True).first).to_be_visible()


def test_see_what_it_cost(page):
    open_long_session(page)
    page.get_by_role("link", name="Usage", exact=True).click()
    expect(page.get_by_text("This path")).to_be_visible()
    expect(page.locator("main")).to_contain_text("claude-sonnet-4-5")

    page.get_by_role("navigation", name="Main").get_by_role(
        "link", name="Spend"
    ).click()
    expect(page.get_by_role("img", name=re.compile("Cost over time"))).to_be_visible()
    page.get_by_role("link", name="90 d").click()
    expect(page).to_have_url(re.compile("range=90d"))


def test_make_a_key_and_revoke_it(page, hub):
    page.goto("/")
    page.get_by_text("Operations").click()
    page.get_by_role("link", name="Keys").click()
    page.get_by_label("Name").fill("for the night shift")
    page.get_by_label("Agent", exact=True).last.select_option("support-desk")
    page.get_by_role("button", name="Make the key").click()
    secret = page.locator("#secret").inner_text()
    url = f"{hub.url}/api/v1/sessions"
    headers = {"Authorization": f"Bearer {secret}"}
    assert httpx.get(url, headers=headers).status_code == 200

    page.get_by_role("link", name="I have stored it").click()
    expect(page.locator("main")).not_to_contain_text(secret)
    row = page.get_by_role("row", name=re.compile("for the night shift"))
    row.locator("summary", has_text="Revoke").click()
    row.get_by_role("button", name=re.compile("^Revoke")).click()

    expect(row).to_contain_text("revoked")
    assert httpx.get(url, headers=headers).status_code == 401


def test_new_messages_come_within_two_seconds(page, agent):
    page.goto("/sessions?q=Written+live")
    page.get_by_role("link", name="Written live").first.click()
    expect(page.get_by_role("article")).to_contain_text("The first step")

    began = time.monotonic()
    agent.say("A second step")

    said = page.get_by_role("article").filter(has_text="A second step")
    expect(said).to_be_visible(timeout=4_000)
    assert time.monotonic() - began < 4


def test_they_do_not_move_a_reader(page, agent):
    for number in range(30):
        agent.say(f"line {number} " + "which is long enough to be read " * 12)
    page.goto("/sessions?q=Written+live")
    page.get_by_role("link", name="Written live").first.click()
    page.mouse.move(700, 500)
    page.mouse.wheel(0, -1200)
    page.wait_for_timeout(300)
    place = page.evaluate("window.scrollY")

    agent.say("While somebody reads")

    expect(page.get_by_role("button", name="new message")).to_be_visible()
    assert abs(page.evaluate("window.scrollY") - place) < 2


@pytest.mark.window(script=False)
def test_all_of_it_without_a_script(page):
    page.goto("/")
    page.get_by_role("searchbox", name="Search memory").fill("eyes screen")
    page.keyboard.press("Enter")
    page.locator("main a", has=page.locator("mark")).first.click()
    expect(page.locator(".selected")).to_contain_text("eyes")
    page.locator(".selected").get_by_role("link", name="Fork here").click()
    page.get_by_role("button", name="Fork", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.get_by_role("link", name="Context", exact=True).click()
    expect(page.get_by_role("heading", name="What the model sees")).to_be_visible()
    page.get_by_text("Operations").click()
    page.get_by_role("link", name="System").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("System")


def test_a_failed_piece_is_seen(context):
    page = context.new_page()
    open_long_session(page)
    page.get_by_role("link", name="Context", exact=True).click()
    page.route("**/context?*", lambda route: route.fulfill(status=503, body="busy"))

    page.get_by_label("Format").select_option("gemini")

    expect(page.locator(".toast-error")).to_contain_text("busy")


def test_the_keys_are_shown_and_can_be_off(page):
    page.goto("/")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Next, previous row")
    page.keyboard.press("Escape")
    page.keyboard.press("g")
    page.keyboard.press("s")
    expect(page).to_have_url(re.compile("/sessions$"))

    page.locator(".user summary").click()
    page.get_by_role("button", name="Turn single-key shortcuts off").click()
    page.keyboard.press("g")
    page.keyboard.press("o")
    page.wait_for_timeout(300)
    expect(page).to_have_url(re.compile("/sessions$"))
    page.locator(".user summary").click()
    page.get_by_role("button", name="Turn single-key shortcuts on").click()
