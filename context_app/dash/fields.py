"""What forms send, read once."""

from __future__ import annotations

from sessions_app.dash.access import PageRequest
from sessions_app.errors import Invalid

MOST = 2**31 - 1


def text_of(request: PageRequest, name: str) -> str:
    """Return a text with the line ends that it had before a browser made them CRLF."""
    return request.POST.get(name, "").replace("\r\n", "\n")


def number_of(request: PageRequest, name: str, what: str) -> int | None:
    """
    Return a number from a form, or None where its field is empty.

    :raises Invalid: if it is none
    """
    given = request.POST.get(name, "").strip()
    return None if given == "" else _number(given, what)


def version_of(request: PageRequest) -> int:
    """
    Return the version that a form was made from.

    :raises Invalid: if it does not say
    """
    return _number(request.POST.get("version", ""), "Version")


def query_number(request: PageRequest, name: str) -> int | None:
    """Return a number from the address; what is none counts as left out."""
    given = request.GET.get(name, "")
    try:
        return _number(given, name) if given else None
    except Invalid:
        return None


def _number(given: str, what: str) -> int:
    if given.isascii() and given.isdecimal() and len(given) < 12 and int(given) <= MOST:
        return int(given)
    raise Invalid(f"{what}: takes a whole number up to {MOST:,}", field=what)
