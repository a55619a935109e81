"""What an operator asks of a context, as it stands in the address."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from urllib.parse import quote, urlencode

from django.http import QueryDict

from sessions_app.errors import Invalid

DEFAULT_FORMAT = "ai-sdk"
# More than any window has, and than every database can count.
MOST = 2**31 - 1


@dataclass(frozen=True, slots=True)
class ContextQuery:
    """The arguments of ``build_context``, which are those of the API."""

    format: str = DEFAULT_FORMAT
    leaf: str | None = None
    strategy: str | None = None
    window: int | None = None
    max_tokens: int | None = None
    keep_recent: int | None = None

    @property
    def address(self) -> str:
        """Return what was said, as it is written behind a question mark."""
        said = {
            name: value for name, value in asdict(self).items() if value is not None
        }
        return urlencode(said)

    def curl(self, base: str, key: str) -> str:
        """Return the command that asks the API for the same; the caller sets $KEY."""
        url = f"{base}/api/v1/sessions/{quote(key, safe='')}/context?{self.address}"
        return f'curl -H "Authorization: Bearer $KEY" "{url}"'


def read_query(params: QueryDict) -> ContextQuery:
    """
    :raises Invalid: if a number is none, or too small
    """
    return ContextQuery(
        format=params.get("format") or DEFAULT_FORMAT,
        leaf=params.get("leaf") or None,
        strategy=params.get("strategy") or None,
        window=_number(params, "window", 1),
        max_tokens=_number(params, "max_tokens", 1),
        keep_recent=_number(params, "keep_recent", 0),
    )


def _number(params: QueryDict, name: str, least: int) -> int | None:
    text = params.get(name, "").strip()
    if not text:
        return None
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 11 else -1
    if not least <= number <= MOST:
        raise Invalid(f"{name}: must be a number, at least {least}", field=name)
    return number
