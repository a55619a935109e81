"""Compacting a session by the host's function, or by the server's summarizer."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memoryhub.facade.builder import Plan
from memoryhub.facade.compaction import CompactionResult, count_tokens
from memoryhub.facade.settling import settle
from memoryhub.facade.storage import CompactionInfo, SessionProvider, Stored
from memoryhub.facade.storage.orm import AgentSessionProvider, info_of
from sessions_app.errors import Invalid, NotFound
from sessions_app.messages import RESERVED_PREFIX
from sessions_app.services.compaction import compacting
from sessions_app.services.compaction.automatic import waits
from sessions_app.services.compaction.outcomes import context_tokens, note_failure
from sessions_app.services.compaction.overlays import BadRange, StalePlan

logger = logging.getLogger(__name__)


@dataclass
class Compactor:
    """``done`` is called after each compaction."""

    plan: Plan
    storage: SessionProvider
    done: Callable[[], None]
    lock: threading.Lock = field(default_factory=threading.Lock)
    # The tokens at which the last attempt came to nothing.
    tried: int | None = None

    def compact(self, leaf_id: str | None = None) -> CompactionInfo | None:
        """
        Have the path to a leaf summed up; None where there is nothing to do.

        :raises Invalid: if there is nobody to do it
        :raises BadRange: if the function returns messages that are not on the path
        :raises StalePlan: if the path was changed while the function was at it
        """
        with self.lock:
            made = (
                self._by_function(leaf_id)
                if self.plan.compact
                else self._by_server(leaf_id)
            )
        if made is not None:
            self.tried = None
            self.done()
        return made

    def compact_if_due(self) -> bool:
        """
        Compact what an append has made too long, and return whether that was done.

        Whatever goes wrong does no harm to the append, which is done. One thread does
        it at a time, and after an attempt in vain not before there is somewhat more.
        """
        if self.plan.compact is None or not self.plan.threshold or self.lock.locked():
            return False
        try:
            tokens = self.context_tokens()
            threshold = self.plan.threshold
            if tokens <= threshold or waits(self.tried, tokens, threshold):
                return False
            self.tried = tokens
            if self.compact() is not None:
                # What is too long still is not compacted again after each append.
                left = self.context_tokens()
                self.tried = left if left > threshold else None
                return True
            logger.warning("Of %s tokens there was nothing to compact", tokens)
        except Exception as error:
            self._tell(error)
        return False

    def context_tokens(self) -> int:
        """Return what the history takes in a model's context."""
        counter = self.plan.token_counter
        if isinstance(self.storage, AgentSessionProvider) and counter is None:
            return context_tokens(self.storage.row)
        return count_tokens(self.storage.get_history(), counter)

    def _by_function(self, leaf_id: str | None) -> CompactionInfo | None:
        assert self.plan.compact  # noqa: S101 (the caller has looked)
        history = self.storage.get_history(leaf_id)
        counter = self.plan.token_counter
        options = {} if counter is None else {"token_counter": counter}
        result: CompactionResult | None = settle(self.plan.compact(history, **options))
        if result is None:
            return None
        if not (
            isinstance(result, Mapping)
            and result.keys() >= CompactionResult.__required_keys__
        ):
            raise Invalid(
                "The function of on_compaction must return from_message_id, "
                "to_message_id and summary, or None"
            )
        ends = (result["from_message_id"], result["to_message_id"])
        seen = {message["id"] for message in history}
        for uid in ends:
            if uid not in seen:
                raise BadRange(
                    f"The function returned {uid!r}, which it was not given", id=uid
                )
        leaf = self._covered(history[-1]["id"])[1]
        if _comparable(self.storage.get_history(leaf)) != _comparable(history):
            raise StalePlan("The session was changed while it was summed up")
        first, last = self._covered(ends[0])[0], self._covered(ends[1])[1]
        return self.storage.add_compaction(result["summary"], first, last)

    def _by_server(self, leaf_id: str | None) -> CompactionInfo | None:
        if leaf_id or not isinstance(self.storage, AgentSessionProvider):
            raise Invalid(
                "No compaction function registered. Call on_compaction() first."
            )
        made = compacting.compact(session=self.storage.row, created_by="python")
        return None if made is None else info_of(made)

    def _covered(self, uid: str) -> tuple[str, str]:
        """Return the ends of what an id of a history stands for."""
        if uid.startswith(RESERVED_PREFIX):
            for each in self.storage.get_compactions():
                if RESERVED_PREFIX + each["id"] == uid:
                    return each["from_message_id"], each["to_message_id"]
        return uid, uid

    def _tell(self, error: Exception) -> None:
        if isinstance(self.storage, AgentSessionProvider):
            # It may be gone by now.
            with contextlib.suppress(NotFound):
                note_failure(self.storage.row, str(error) or type(error).__name__)
        if self.plan.on_error is None:
            logger.warning("A compaction failed", exc_info=error)
            return
        try:
            settle(self.plan.on_error(error))
        except Exception:
            # Whoever handles an error may fail as well; the append is done.
            logger.exception("A handler of compaction errors failed")


def _comparable(history: Sequence[Stored]) -> list[Any]:
    """A host's own storage may make summaries anew each time, with the time of reading."""
    return [
        message["id"] if message["id"].startswith(RESERVED_PREFIX) else message
        for message in history
    ]
