"""
Running a command, and saying plainly what is wrong where it is not the program.

A wrong setting, a file or a database that cannot be had is told in a line, with what to
do; ``--traceback`` shows where it came up.
"""

from __future__ import annotations

import errno
import sys
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import (
    DatabaseError,
    DataError,
    IntegrityError,
    InternalError,
    NotSupportedError,
    ProgrammingError,
)

from sessions_app import sql

INTERRUPTED = 130
# What a database says of a statement, rather than of itself.
OURS = (DataError, IntegrityError, InternalError, NotSupportedError, ProgrammingError)


def run(arguments: list[str]) -> None:
    """
    :raises SystemExit: if the command cannot be run, or is interrupted
    """
    try:
        execute_from_command_line(arguments)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except ImproperlyConfigured as error:
        _end(str(error), arguments)
    except DatabaseError as error:
        if not (reason := refusal(error)):
            raise
        _end(reason, arguments)
    except OSError as error:
        if not (reason := _of_files(error)):
            raise
        _end(reason, arguments)


def _end(reason: str, arguments: list[str]) -> None:
    if "--traceback" in arguments:
        raise
    sys.exit(f"Error: {reason}")


def refusal(error: DatabaseError) -> str:
    """Return what to do about a database that cannot be used; "" if it is our fault."""
    text = " ".join(str(error).split())
    if isinstance(error, ProgrammingError) and "does not exist" in text:
        return _not_set_up(text)
    if isinstance(error, OURS):
        return ""
    if "no such" in text:
        return _not_set_up(text)
    if sql.is_busy(error):
        return f"The database is busy ({text}). Try again."
    if settings.ELSEWHERE:
        return (
            f"The database of DATABASE_URL cannot be used: {text}. Check its address, "
            "name and password, and that PostgreSQL runs."
        )
    return (
        f"{settings.DATABASES['default']['NAME']} cannot be used: {text}. It has to be a "
        "SQLite database that you may read and write, on a disk with room. "
        "docs/operations.md says how to put a backup in its place."
    )


def _of_files(error: OSError) -> str:
    if error.errno == errno.ENOSPC:
        return f"There is no room left on the disk. The data is in {settings.DATA_DIR}."
    path = Path(str(error.filename or ""))
    if not path.is_relative_to(settings.DATA_DIR):
        return ""
    return (
        f"{path}: {error.strerror}. All that is in MEMORYHUB_DATA_DIR has to be yours to "
        "read and write; was another user's server run on it?"
    )


def _not_set_up(text: str) -> str:
    return (
        f"The database is not set up for this version ({text}). Start the server, which "
        "does it, or run: manage.py migrate"
    )
