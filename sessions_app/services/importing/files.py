"""Importing a file: which format it is, and all its conversations one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

from sessions_app.errors import Invalid, MemoryHubError
from sessions_app.services.importing import FORMATS
from sessions_app.services.importing.conversations import Line, Problem
from sessions_app.services.importing.reports import Report
from sessions_app.services.importing.writing import write_conversation

# How many lines are looked at to tell a format, so that a bad one does not matter.
LOOKED_AT = 10
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# What is given in the place of a file with lines of JSON, by how it begins.
MARKS = {
    b"\x1f\x8b": "compressed: unpack it first (gunzip)",
    b"PK\x03\x04": "an archive: unpack it first (unzip)",
    b"\xff\xfe": "in UTF-16: convert it to UTF-8 first",
    b"\xfe\xff": "in UTF-16: convert it to UTF-8 first",
    b"SQLite format 3": "a database, not an export",
}


class UnknownFormat(Invalid):
    code = "unknown_format"


def import_file(
    path: Path,
    *,
    format_name: str | None = None,
    agent_name: str,
    dry_run: bool = False,
    progress: Callable[[int], object] = lambda size: None,
) -> Report:
    """
    Import all conversations of a file; ``progress`` is told the bytes as they are read.

    Each conversation is stored by itself: one that does not fit is a problem in the
    report, and the others go in.

    :raises OSError: if the file cannot be read
    :raises UnknownFormat: if it is of no format that we know
    """
    with path.open("rb") as file:
        lines = _lines(file, progress)
        first = [*islice(lines, LOOKED_AT)]
        name = format_name or detect_format(first)
        report = Report(name)
        for each in FORMATS[name].read(chain(first, lines)):
            if isinstance(each, Problem):
                report.problems.append(each)
                continue
            try:
                counts, problems = write_conversation(
                    each, format_name=name, agent_name=agent_name, dry_run=dry_run
                )
            except MemoryHubError as exc:
                reason = f"the conversation was left out: {exc.message}"
                report.problems.append(Problem(each.line, reason))
            else:
                report.counts.add(counts)
                report.keys.append(each.key_in(name))
                report.problems.extend(problems)
    report.problems.sort()
    return report


def detect_format(first: list[Line]) -> str:
    """
    :raises UnknownFormat: if the lines look like none that we know
    """
    texts = [line.text for line in first]
    for name, each in FORMATS.items():
        if each.detect(texts):
            return name
    start = texts[0] if texts else b""
    for mark, what in MARKS.items():
        if start.startswith(mark):
            raise UnknownFormat(f"It is {what}")
    if not any(text.strip() for text in texts):
        raise UnknownFormat("It is empty")
    known = ", ".join(FORMATS)
    raise UnknownFormat(f"It is of no format that we know ({known})")


def _lines(file: BinaryIO, progress: Callable[[int], object]) -> Iterator[Line]:
    for number, text in enumerate(file, 1):
        progress(len(text))
        if number == 1:
            text = text.removeprefix(BYTE_ORDER_MARK)
        yield Line(number, text)
