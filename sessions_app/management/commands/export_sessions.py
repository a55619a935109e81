from __future__ import annotations

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from tqdm import tqdm

from sessions_app.errors import MemoryHubError
from sessions_app.models import Session
from sessions_app.services.exporting import export_session
from sessions_app.services.registry.agents import get_agent


class Command(BaseCommand):
    help = "Write sessions to files that import_sessions takes: one for each agent"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--agent", help="only this agent's")
        parser.add_argument(
            "--out", type=Path, default=Path(), help="folder to write to"
        )

    def handle(self, *, agent: str | None, out: Path, **options: Any) -> str:
        sessions = Session.objects.select_related(
            "agent", "parent_session", "head"
        ).defer("head__body")
        try:
            if agent is not None:
                sessions = sessions.filter(agent=get_agent(agent))
            out.mkdir(parents=True, exist_ok=True)
            return self.write(list(sessions.order_by("agent", "id")), out)
        except MemoryHubError as exc:
            raise CommandError(exc.message) from exc
        except OSError as exc:
            raise CommandError(f"{exc.filename}: {exc.strerror}") from exc

    def write(self, sessions: list[Session], out: Path) -> str:
        """Write a file for each agent, which takes its name when it is whole."""
        by_agent: dict[int, list[Session]] = {}
        for session in sessions:
            by_agent.setdefault(session.agent_id, []).append(session)
        with tqdm(total=len(sessions), unit=" sessions", disable=None) as bar:
            for agent_id, own in by_agent.items():
                path = out / f"agent-{agent_id}.jsonl"
                partial = path.with_suffix(".partial")
                partial.touch(mode=0o600)
                with partial.open("wb") as file:
                    for session in own:
                        file.writelines(export_session(session))
                        bar.update()
                    file.flush()
                    os.fsync(file.fileno())
                partial.replace(path)
                self.stdout.write(f"{path}: {len(own):,} sessions of {own[0].agent}")
        return f"Exported {len(sessions):,} sessions"
