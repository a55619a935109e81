"""
Measure what MemoryHub costs, beside the least that the same work can cost.

    python benchmarks/run.py [names...] [--quick]
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import shutil
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PARTS = (
    "append",
    "growth",
    "history",
    "fork",
    "search",
    "writers",
    "requests",
    "context",
    "turns",
    "spend",
    "dashboard",
)
# Where syncing a file costs nothing, so that our own time is not lost in the disk's.
MEMORY = Path("/dev/shm")  # noqa: S108


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument(
        "names", nargs="*", metavar="name", help=f"parts: {', '.join(PARTS)}"
    )
    parser.add_argument("--quick", action="store_true", help="smaller numbers")
    parser.add_argument("--disk", help="a folder on the disk to measure")
    chosen = parser.parse_args()
    if unknown := set(chosen.names) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}")

    disk = Path(tempfile.mkdtemp(prefix="memoryhub-bench-", dir=chosen.disk))
    memory = Path(
        tempfile.mkdtemp(
            prefix="memoryhub-bench-", dir=MEMORY if MEMORY.is_dir() else None
        )
    )
    try:
        prepare(memory)
        run(chosen.names or PARTS, disk=disk, memory=memory, quick=chosen.quick)
    finally:
        shutil.rmtree(disk)
        shutil.rmtree(memory)


def prepare(memory: Path) -> None:
    """Let the project be imported, with its data in a folder of ours."""
    sys.path[0] = str(ROOT)
    for name in [name for name in os.environ if name.startswith("MEMORYHUB_")]:
        del os.environ[name]
    os.environ.pop("DATABASE_URL", None)
    os.environ["MEMORYHUB_DATA_DIR"] = str(memory / "settings")
    os.environ["DJANGO_SETTINGS_MODULE"] = "memoryhub.settings"
    importlib.import_module("django").setup()


def run(
    names: list[str] | tuple[str, ...], *, disk: Path, memory: Path, quick: bool
) -> None:
    databases = importlib.import_module("benchmarks.databases")
    shelf = databases.Shelf(disk=disk, memory=memory, quick=quick)
    print(f"{time.strftime('%Y-%m-%d %H:%M')}, {machine()}, {databases.versions()}")
    print(
        f"A commit to the disk takes {databases.commit_millis(disk):.2f} ms, ", end=""
    )
    print(f"in memory {databases.commit_millis(memory):.2f} ms.")
    started = time.monotonic()
    for name in names:
        importlib.import_module(f"benchmarks.{name}").run(shelf)
        sys.stdout.flush()
    print(f"\n{time.monotonic() - started:.0f} seconds in all")


def machine() -> str:
    load = os.getloadavg()[0]
    return f"{platform.machine()}, {os.cpu_count()} cores, load {load:.1f}"


if __name__ == "__main__":
    main()
