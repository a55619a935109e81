"""
The environment variables, each read as what it has to be.

One that is empty counts as not given. A wrong one is refused at the start, by its name:
it must not be taken for another value, nor be found out by the first request.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

TRUE = ("1", "true", "yes", "on")
FALSE = ("0", "false", "no", "off")
# A day; threads cannot wait for as long as one likes.
MOST_SECONDS = 86_400
POSTGRES = ("postgres", "postgresql")


def text(name: str, default: str = "") -> str:
    return os.environ.get(name, "").strip() or default


def whole(name: str, default: int, *, least: int = 0) -> int:
    given = text(name)
    try:
        number = int(given) if given else default
    except ValueError:
        raise _wrong(name, "it has to be a whole number") from None
    if number < least:
        raise _wrong(name, f"it has to be {least} or more")
    return number


def seconds(name: str, default: float) -> float:
    given = text(name)
    try:
        number = float(given) if given else default
    except ValueError:
        raise _wrong(name, "it has to be a number of seconds") from None
    if not 0 < number <= MOST_SECONDS:
        raise _wrong(name, f"it has to be more than 0 and at most {MOST_SECONDS:,}")
    return number


def flag(name: str) -> bool:
    given = text(name, FALSE[0]).lower()
    if given not in TRUE + FALSE:
        raise _wrong(name, "it has to be 1 or 0")
    return given in TRUE


def choice(name: str, *known: str) -> str:
    """Return what is given of the known words; the first is the default."""
    given = text(name, known[0]).upper()
    if given not in known:
        raise _wrong(name, f"it has to be one of {', '.join(known)}")
    return given


def names(name: str, default: str = "") -> list[str]:
    """Return what is given by commas."""
    given = text(name, default).split(",")
    return [each.strip() for each in given if each.strip()]


def path(name: str) -> str:
    """Return a path of URLs, with the slash that it begins with, or nothing."""
    given = text(name).strip("/")
    return f"/{given}" if given else ""


def postgres(name: str) -> dict[str, Any] | None:
    """Return the configuration of a PostgreSQL by its address, if there is one."""
    given = text(name)
    if not given:
        return None
    if given.partition("://")[0] not in POSTGRES:
        raise ImproperlyConfigured(
            f"{name} has to be postgres://user:password@host/name. "
            "Without it, MemoryHub uses a SQLite file in MEMORYHUB_DATA_DIR."
        )
    need(name, "psycopg", extra="postgres")
    try:
        found: dict[str, Any] = environ.Env.db_url_config(given)
    except ValueError:
        # Not what was given, nor what the error says of it: that may be a password.
        raise ImproperlyConfigured(
            f"{name} cannot be read. It has to be postgres://user:password@host/name, "
            "with what is special in a password written as in URLs: "
            "%23 for #, %40 for @, %2F for /."
        ) from None
    return found


def need(name: str, package: str, *, extra: str) -> None:
    """Refuse a variable where what it asks for was not installed."""
    if text(name) and not find_spec(package):
        raise ImproperlyConfigured(
            f"{name} needs the package {package}. Install it: "
            f".venv/bin/pip install -c requirements.lock -e '.[{extra}]'"
        )


def folder(name: str, default: Path) -> Path:
    """Return a folder, which is made for its owner alone where it is missing."""
    found = Path(text(name, str(default))).absolute()
    try:
        found.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise _unusable(name, found, error) from error
    return found


def secret(name: str, kept: Path) -> str:
    """Return the secret that is given, or the one in a file, which the first call makes."""
    given = text(name)
    if given:
        return given
    try:
        if not kept.exists():
            _write_secret(kept)
        return kept.read_text().strip()
    except OSError as error:
        raise _unusable("MEMORYHUB_DATA_DIR", kept, error) from error


def _write_secret(kept: Path) -> None:
    """Make the file at once and whole: of two who do it, one is the first."""
    with tempfile.NamedTemporaryFile(dir=kept.parent, prefix=f"{kept.name}-") as file:
        file.write(secrets.token_urlsafe(50).encode())
        file.flush()
        os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(file.name, kept)


def _wrong(name: str, reason: str) -> ImproperlyConfigured:
    given = text(name)
    return ImproperlyConfigured(f"{name} is {given!r}: {reason}")


def _unusable(name: str, found: Path, error: OSError) -> ImproperlyConfigured:
    return ImproperlyConfigured(
        f"{found}: {error.strerror}. Set {name} to a folder on a disk with room "
        "that you may write to."
    )
