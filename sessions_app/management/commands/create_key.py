from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from sessions_app.errors import MemoryHubError
from sessions_app.models import Agent, ApiKey
from sessions_app.services.registry.agents import get_or_create_agent
from sessions_app.services.registry.keys import create_key


class Command(BaseCommand):
    help = (
        "Make an API key. Its secret, shown this once, is the last line of the output."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--agent", help="whose key it is; made if need be")
        parser.add_argument(
            "--scope",
            choices=ApiKey.Scope.values,
            help="write by default; admin with --all-agents",
        )
        parser.add_argument(
            "--all-agents",
            action="store_true",
            help="a key that opens every agent's data",
        )
        parser.add_argument("--name", default="", help="what it is for")

    def handle(
        self,
        *,
        agent: str | None,
        scope: str | None,
        all_agents: bool,
        name: str,
        **options: Any,
    ) -> str:
        if all_agents and agent:
            raise CommandError("Give --agent or --all-agents, not both")
        default = ApiKey.Scope.ADMIN if all_agents else ApiKey.Scope.WRITE
        try:
            owner = None if all_agents else get_or_create_agent(agent or Agent.DEFAULT)
            key, secret = create_key(agent=owner, scope=scope or default, name=name)
        except MemoryHubError as exc:
            raise CommandError(exc.message) from exc
        whose = owner.name if owner else "all agents"
        self.stderr.write(f"Key {key.prefix}... of scope {key.scope} for {whose}:")
        return secret
