"""
Conversations from other programs' files.

A format is a file of this package and a line of this dict. It detects its files by
their first lines and reads them to conversations; everything else is done once for all.
"""

from __future__ import annotations

from sessions_app.services.importing import memoryhub, oasst, pi
from sessions_app.services.importing.conversations import Format

FORMATS: dict[str, Format] = {
    "memoryhub": Format(
        "Sessions as MemoryHub exports them (JSONL)", memoryhub.detect, memoryhub.read
    ),
    "pi": Format("Pi coding agent sessions (JSONL)", pi.detect, pi.read),
    "oasst": Format(
        "OpenAssistant conversation trees (JSONL)", oasst.detect, oasst.read
    ),
}
