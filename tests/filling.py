"""
A server's data as operators meet it: real conversations, and what happened to them.

    python tests/filling.py [FILE...]    (into MEMORYHUB_DATA_DIR, made by `serve`)

Without files the excerpts in tests/data are taken: some trees, and a coding session
that is made long by having it again and again. Branches, blocks, spend of other days
and trouble are added, by the same services that the API calls.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "tests" / "data"
# So many times the 45 messages of the excerpt are a long session.
TIMES = 21


def fill(data_dir: Path, files: list[str] | None = None) -> None:
    """Fill the data of a running server, in a process of its own."""
    from tests.server import environment  # noqa: PLC0415 (not without pytest)

    subprocess.run(
        [sys.executable, str(Path(__file__)), *(files or [])],
        env=environment(data_dir) | {"PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        check=True,
    )


def lengthen(source: Path, target: Path) -> None:
    """Write a session of the first version of Pi's format, its messages many times."""
    lines = source.read_text().splitlines()
    messages = [line for line in lines if line.startswith('{"type":"message"')]
    settings = [line for line in lines if not line.startswith('{"type":"message"')]
    target.write_text("\n".join([*settings, *messages * TIMES]) + "\n")


def main(files: list[str]) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
    import django  # noqa: PLC0415 (the settings come first)

    django.setup()

    from django.core.management import call_command  # noqa: PLC0415

    from tests import filled  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        if not files:
            session = Path(folder) / "session.jsonl"
            lengthen(DATA / "pi-v1.jsonl", session)
            files = [str(DATA / "oasst.jsonl"), str(session)]
        for file in files:
            agent = "support-desk" if "oasst" in file else "pi-coding-agent"
            call_command("import_sessions", file, agent=agent, verbosity=0)
    filled.add_all()


if __name__ == "__main__":
    main(sys.argv[1:])
