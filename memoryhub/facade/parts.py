"""What a session consists of once it is in use."""

from __future__ import annotations

import threading
from typing import NamedTuple

from memoryhub.facade.builder import Plan, SessionBuilder
from memoryhub.facade.changes import Change
from memoryhub.facade.compactor import Compactor
from memoryhub.facade.context.base import Context
from memoryhub.facade.context.hosted import HostedContext
from memoryhub.facade.context.stored import StoredContext
from memoryhub.facade.settling import Settled, settle
from memoryhub.facade.storage import SessionProvider
from memoryhub.facade.storage.memory import MemorySessionProvider
from memoryhub.facade.storage.orm import AgentSessionProvider


class Parts(NamedTuple):
    storage: SessionProvider
    context: Context
    compactor: Compactor


class InUse(SessionBuilder):
    """A session that makes its parts when the first of them is asked for."""

    _made: Parts | None = None
    _making = threading.RLock()

    @property
    def _parts(self) -> Parts:
        if self._made is None:
            with self._making:
                if self._made is None:
                    self._made = self._make(self.plan)
        return self._made

    def _make(self, plan: Plan) -> Parts:
        storage = storage_of(plan)
        context = (
            StoredContext(plan, storage)
            if isinstance(storage, AgentSessionProvider)
            else HostedContext(plan, storage)
        )
        context.prepare()
        plan.started = True
        return Parts(storage, context, Compactor(plan, storage, context.renew))

    def _tell(self, change: Change) -> None:
        if self.plan.listener is not None:
            settle(self.plan.listener(change))


def storage_of(plan: Plan) -> SessionProvider:
    if plan.storage is None:
        return AgentSessionProvider(plan.agent, plan.session_id)
    if isinstance(plan.storage, AgentSessionProvider | MemorySessionProvider):
        return plan.storage
    settled: SessionProvider = Settled(plan.storage)
    return settled
