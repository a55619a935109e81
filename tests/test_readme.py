"""The walk of the README, as somebody would type it who has just started the server."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server import ROOT, environment, running_server

README = (ROOT / "README.md").read_text()


def lines() -> str:
    walk = re.search(r"<!-- walk: .*? -->(.*)<!-- /walk -->", README, re.S)
    assert walk
    return "\n".join(re.findall(r"```sh\n(.*?)```", walk[1], re.S))


@pytest.mark.slow
def test_the_walk(tmp_path: Path) -> None:
    script = lines().replace(".venv/bin/python", sys.executable)
    # A refusal is to end the walk; a line of its own is easier to look at.
    script = script.replace("curl -s", "curl -sS --fail-with-body -w '\\n'")

    with running_server(tmp_path / "data", fresh=True) as server:
        walk = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=ROOT,
            env=environment(tmp_path / "data")
            | {"KEY": server.key, "URL": f"{server.url}/api/v1"},
            capture_output=True,
            text=True,
        )

    assert walk.returncode == 0, walk.stdout + walk.stderr
    replies = [line for line in walk.stdout.splitlines() if line.startswith("{")]
    found, tree, leaves, branch, _, appended, _, _, _, original, fork, *compacted = (
        replies
    )
    assert '"message":"ea201f57-d24a-40f3-a0a7-ad15b893e538"' in found
    assert "<mark>eyes</mark>" in found
    assert '"parent":null' in tree
    assert '"label":null' in leaves
    assert "stare at my computer screen" in branch
    assert '"head":"m2"' in appended
    assert "January" in original
    assert "quiet" not in original
    assert "When is Rome quiet?" in fork
    assert "November" in fork
    assert '"count":2' in compacted[0]
    assert '"id":"compaction_' in compacted[1]
    assert '"id":"m1"' in compacted[2]
    assert '"label":"traveller"' in compacted[3]
    assert "Likes to walk." in compacted[4]
    assert '"format":"anthropic"' in compacted[4]
