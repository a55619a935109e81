"""What a browser complains of while a test looks at its pages."""

from __future__ import annotations

from playwright.sync_api import ConsoleMessage, Page, Response


class WatchedPage:
    """A page, and the ``complaints`` of its console and of its answers (5xx)."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        page.on("console", self._note_console)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("response", self._note_response)

    def _note_console(self, message: ConsoleMessage) -> None:
        # Refusals (4xx) are told by the browser too, and tests mean to cause some.
        if message.type == "error" and "the server responded with" not in message.text:
            self.complaints.append(message.text)

    def _note_response(self, response: Response) -> None:
        if response.status >= 500:
            self.complaints.append(f"{response.status} {response.url}")
