"""Files in messages: data URLs, web addresses, and ids that only one provider knows."""

from __future__ import annotations

import base64
import binascii
import re

from sessions_app.formats.shapes import File

DATA_URL = re.compile(r"data:([^;,]*)((?:;[^;,]*)*?)(;base64)?,(.*)", re.DOTALL)
BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
# Beginnings that tell an image whose type nobody gave.
MAGIC = {
    "iVBORw0KGgo": "image/png",
    "/9j/": "image/jpeg",
    "R0lGOD": "image/gif",
    "UklGR": "image/webp",
    "JVBERi": "application/pdf",
}
ENDINGS = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "pdf": "application/pdf",
}


def data_url(media_type: str, content: str) -> str:
    return f"data:{media_type};base64,{content}"


def text_url(text: str, media_type: str = "text/plain") -> str:
    return data_url(media_type, base64.b64encode(text.encode()).decode())


def split_data_url(url: str) -> tuple[str, str] | None:
    """Return media type and base64 of a data URL, or None where it is none."""
    if not url.startswith("data:") or not (found := DATA_URL.fullmatch(url)):
        return None
    kind, _, is_base64, content = found.groups()
    if is_base64:
        return (kind, content) if BASE64.fullmatch(content) else None
    return kind, base64.b64encode(content.encode()).decode()


def inline(file: File) -> tuple[str, str] | None:
    """Return media type and base64 of a file that came with the message."""
    found = split_data_url(file.url)
    if found is None:
        return None
    return found[0] or file.media_type, found[1]


def inline_text(file: File) -> str | None:
    """Return the text of a text file that came with the message."""
    found = inline(file)
    if found is None:
        return None
    try:
        return base64.b64decode(found[1]).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def is_web(file: File) -> bool:
    return file.url.startswith(("https://", "http://"))


def guess_type(url: str, otherwise: str = "image/*") -> str:
    """Return the media type of an image or file from its address or first bytes."""
    found = split_data_url(url)
    if found:
        return found[0] or guess_content(found[1])
    ending = url.split("?")[0].rsplit(".", 1)[-1].lower()
    return ENDINGS.get(ending, otherwise)


def guess_content(content: str, otherwise: str = "application/octet-stream") -> str:
    for beginning, kind in MAGIC.items():
        if content.startswith(beginning):
            return kind
    return otherwise


def provider_url(provider: str, uid: str) -> str:
    """Return an address for a file that only this provider knows."""
    return f"urn:{provider}:file:{uid}"


def provider_id(file: File, provider: str) -> str | None:
    """Return a file's id, where it is this provider's."""
    beginning = f"urn:{provider}:file:"
    if file.url.startswith(beginning):
        return file.url.removeprefix(beginning) or None
    return None


def placeholder(file: File) -> str:
    """Return the line of text that stands for a file."""
    label = file.filename or file.media_type or "file"
    return f"[File: {label} {file.url}]" if is_web(file) else f"[File: {label}]"
