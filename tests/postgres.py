"""
Run a command with DATABASE_URL set to a PostgreSQL that lives no longer than it:

    python tests/postgres.py -- python -m pytest tests

The cluster is in a temporary folder and listens on a socket there, not on the
network. PostgreSQL refuses to run as root, so root starts it as another user.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

OLDEST = 15
# The names of the database and of its owner, within the cluster.
NAME = "memoryhub"
# Debian makes a cluster of its own when the package comes, unless told not to.
NO_CLUSTER = Path("/etc/postgresql-common/createcluster.d/memoryhub-tests.conf")
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# What is lost in a crash is thrown away in any case.
OPTIONS = (
    "-c listen_addresses='' -c fsync=off -c synchronous_commit=off "
    "-c full_page_writes=off -c max_connections=200"
)


def find_programs() -> Path | None:
    """Return the folder of the newest PostgreSQL's programs."""
    folders = [*Path("/usr/lib/postgresql").glob("*/bin")]
    if on_path := shutil.which("initdb"):
        folders.append(Path(on_path).resolve().parent)

    found = {version_of(folder): folder for folder in folders}
    newest = max(found, default=0)
    return found[newest] if newest >= OLDEST else None


def version_of(programs: Path) -> int:
    try:
        answer = subprocess.check_output([programs / "initdb", "--version"], text=True)
    except OSError:
        return 0
    # "initdb (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)", "... 19devel"
    number = answer.split()[2]
    return int(number[:2]) if number[:2].isdigit() else 0


def install() -> None:
    """Install Debian's package, without a cluster of its own."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    NO_CLUSTER.parent.mkdir(parents=True, exist_ok=True)
    NO_CLUSTER.write_text("create_main_cluster = false\n")
    try:
        for arguments in ["update"], ["install", "--yes", "postgresql"]:
            command = ["apt-get", "--quiet=2", *arguments]
            subprocess.run(
                command, env=environment, stdout=subprocess.DEVNULL, check=True
            )
    finally:
        NO_CLUSTER.unlink()


def ordinary_user() -> dict[str, Any]:
    """Return the arguments for ``subprocess`` that make a child nobody, if we are root."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


@contextmanager
def cluster(programs: Path) -> Iterator[str]:
    """Start a cluster, give the address of its database, and remove it in the end."""
    # Not in $TMPDIR, which may be long: a socket's path has at most 107 characters.
    folder = Path(tempfile.mkdtemp(prefix="memoryhub-postgres-", dir="/tmp"))
    data = folder / "data"
    user = ordinary_user()
    if user:
        os.chown(folder, user["user"], user["group"])

    def run(program: str, *arguments: str | Path) -> None:
        subprocess.run(
            [programs / program, *arguments],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            check=True,
            # A Ctrl-C is for the command, and must not stop what cleans up.
            start_new_session=True,
            **user,
        )

    pg_ctl: list[str | Path] = ["--silent", "--wait", "--pgdata", data]
    try:
        run("initdb", "--pgdata", data, "--username", NAME, "--auth=trust", "--no-sync",
            "--encoding=UTF8", "--locale=C.UTF-8")  # fmt: skip
        run("pg_ctl", "start", *pg_ctl, "--log", folder / "log",
            "--options", f"{OPTIONS} -k {folder}")  # fmt: skip
        run("createdb", "--host", folder, "--username", NAME, NAME)
        yield f"postgres://{NAME}@/{NAME}?host={folder}"
    except subprocess.CalledProcessError:
        if (folder / "log").exists():
            sys.stderr.write((folder / "log").read_text())
        raise
    finally:
        for number in STOPPING:
            signal.signal(number, signal.SIG_IGN)
        if (data / "postmaster.pid").exists():
            run("pg_ctl", "stop", *pg_ctl, "--mode", "immediate")
        shutil.rmtree(folder)


def main(command: list[str]) -> int:
    if not find_programs() and os.geteuid() == 0 and shutil.which("apt-get"):
        install()
    programs = find_programs()
    if not programs:
        sys.exit(f"Install PostgreSQL {OLDEST} or newer (Debian: postgresql)")

    for number in STOPPING:
        signal.signal(number, lambda number, frame: sys.exit(128 + number))
    with cluster(programs) as url:
        environment = os.environ | {"DATABASE_URL": url}
        with subprocess.Popen(command, env=environment) as process:
            try:
                code = process.wait()
            finally:
                process.terminate()
    return code if code >= 0 else 128 - code  # as a shell says it: killed by a signal


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments[:1] == ["--"]:
        arguments = arguments[1:]
    if not arguments:
        sys.exit(__doc__)
    sys.exit(main(arguments))
