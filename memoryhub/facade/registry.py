"""The sessions of an agent: making, finding and ending them."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from memoryhub.facade.checks import check_count, check_dollars, check_line
from memoryhub.facade.infos import SessionInfo, info_of
from memoryhub.facade.manager_builder import ManagerBuilder
from memoryhub.facade.providers import HISTORY, BlockPlan
from memoryhub.facade.session import Session
from sessions_app.errors import NotFound
from sessions_app.models import Agent
from sessions_app.models import Session as Row
from sessions_app.models.sessions import SessionQuerySet
from sessions_app.services.forest.forks import fork_session
from sessions_app.services.registry import sessions
from sessions_app.services.registry.agents import get_or_create_agent
from sessions_app.services.spend.spending import record_usage
from sessions_app.services.spend.usage import Tokens

MAX_NAME = 500
MAX_WORD = 200


class Registry(ManagerBuilder):
    """Ids are those of the API. Unknown ones are refused, but by ``get_session``."""

    def __init__(self, agent: str | Agent = Agent.DEFAULT) -> None:
        super().__init__(agent)
        self._sessions: dict[str, Session] = {}

    def create_session(
        self,
        name: str,
        *,
        parent_session_id: str | None = None,
        model: str | None = None,
        source: str | None = None,
    ) -> SessionInfo:
        """
        Make a session, with an id of its own.

        :raises NotFound: if there is no such parent
        :raises Invalid: if one of the texts is none, or too long
        """
        check_line(name, "name", MAX_NAME)
        check_line(model or "", "model", MAX_WORD)
        check_line(source or "", "source", MAX_WORD)
        parent = self._row(parent_session_id) if parent_session_id else None
        row = sessions.make_session(
            agent=self._agent(),
            name=name,
            parent_session=parent,
            model=model or "",
            source=source or "",
        )
        return self._info(row)

    def get(self, session_id: str) -> SessionInfo | None:
        row = self._rows().filter(key=session_id).first()
        return info_of(row) if row else None

    def list(self) -> list[SessionInfo]:
        """Return all sessions, the one that was changed last first."""
        return [info_of(row) for row in self._rows().order_by("-updated_at", "-id")]

    def rename(self, session_id: str, name: str) -> None:
        """
        :raises Invalid: if it is no text, or too long
        """
        check_line(name, "name", MAX_NAME)
        sessions.update_session(session=self._row(session_id), name=name)

    def delete(self, session_id: str) -> None:
        """Delete a session with all that is in it; forks of it stay whole."""
        sessions.delete_session(session=self._row(session_id))
        self._sessions.pop(session_id, None)

    def get_session(self, session_id: str) -> Session:
        """Return the session of an id, always the same object; it is made at first use."""
        found = self._sessions.get(session_id)
        if found is None:
            history = (
                [BlockPlan(self.history_label, provider=HISTORY)]
                if self.history_label
                else []
            )
            session = Session()
            session.plan = replace(
                self.plan,
                session_id=session_id,
                blocks=[*self.plan.blocks, *history],
            )
            found = self._sessions.setdefault(session_id, session)
        return found

    def fork(
        self, session_id: str, at_message_id: str | None = None, new_name: str = ""
    ) -> SessionInfo:
        """
        Return a new session that goes on from a message of another, by default its head.

        :raises NotFound: if there is no such message
        """
        check_line(new_name, "new_name", MAX_NAME)
        row = fork_session(
            session=self._row(session_id), at=at_message_id, name=new_name
        )
        return self._info(row)

    def compact_and_split(
        self, session_id: str, summary: str, new_name: str = ""
    ) -> SessionInfo:
        """End a session for its length, and return a new one that starts from a summary."""
        check_line(new_name, "new_name", MAX_NAME)
        row = sessions.split_session(
            session=self._row(session_id), summary=summary, name=new_name
        )
        return self._info(row)

    def add_usage(
        self,
        session_id: str,
        input_tokens: int,
        output_tokens: int,
        cost: float | Decimal | None = None,
    ) -> None:
        """
        Count what a model used, the cost in US dollars; None is unknown.

        :raises Invalid: if one of them is no such number
        """
        check_count(input_tokens, "input_tokens")
        check_count(output_tokens, "output_tokens")
        if cost is not None:
            check_dollars(cost, "cost")
        record_usage(
            session=self._row(session_id),
            tokens=Tokens(input_tokens, output_tokens),
            cost=None if cost is None else Decimal(str(cost)),
        )

    def _agent(self) -> Agent:
        agent = self.plan.agent
        return get_or_create_agent(agent) if isinstance(agent, str) else agent

    def _rows(self) -> SessionQuerySet:
        rows = Row.objects.filter(agent=self._agent()).living()
        return rows.select_related("parent_session", "agent")

    def _info(self, row: Row) -> SessionInfo:
        """Return what is stored of a session that was made just now."""
        return info_of(self._rows().get(pk=row.pk))

    def _row(self, session_id: str) -> Row:
        """
        :raises NotFound: if there is no such session
        """
        row = self._rows().filter(key=session_id).first()
        if row is None:
            raise NotFound(f"No session {session_id!r}")
        return row

    def _known(self, session_id: str) -> Session:
        """
        :raises NotFound: if there is no such session
        """
        self._row(session_id)
        return self.get_session(session_id)
