"""
Background jobs: functions that a worker calls later, and tries again when they fail.

A job may run twice (its worker may be killed after the work and before the note of
it), so a job function must be harmless when it is called again.
"""

from __future__ import annotations

import importlib
import logging
import pkgutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.apps import apps
from django.db import IntegrityError, OperationalError, connection, transaction
from django.utils.module_loading import module_has_submodule
from django.utils.timezone import now

from sessions_app.errors import Failed, MemoryHubError
from sessions_app.models import Job

logger = logging.getLogger(__name__)

JobFunction = Callable[..., Any]
F = TypeVar("F", bound=JobFunction)

# What a worker has died of is due again after this. One that lives renews its lease.
LEASE = timedelta(minutes=1)
BEAT = 15.0  # seconds
FIRST_RETRY = timedelta(seconds=10)
LAST_RETRY = timedelta(hours=1)
ERROR_LENGTH = 1000

_jobs: dict[str, JobFunction] = {}
_periodic: dict[JobFunction, float] = {}


def job(function: F) -> F:
    """Register a function that jobs may name. It takes only keyword arguments."""
    if _jobs.setdefault(function.__name__, function) is not function:
        raise ValueError(f"Two jobs are called {function.__name__}")
    return function


def periodic(seconds: float) -> Callable[[F], F]:
    """
    Have each worker call a function every so many seconds, and first when it starts.

    No row says so, and two workers both call it: it must be harmless when called
    twice, and at the same time.
    """

    def register(function: F) -> F:
        _periodic[function] = seconds
        return function

    return register


def discover() -> None:
    """Import every service of every app, so that all their jobs are registered."""
    for app in apps.get_app_configs():
        if app.module and module_has_submodule(app.module, "services"):
            services = importlib.import_module(f"{app.name}.services")
            for module in pkgutil.walk_packages(
                services.__path__, f"{app.name}.services."
            ):
                importlib.import_module(module.name)


def registered() -> list[str]:
    """Return the names of all jobs, by the alphabet."""
    discover()
    return sorted(_jobs)


def enqueue(
    function: str | JobFunction,
    *,
    dedupe_key: str | None = None,
    run_after: datetime | None = None,
    **kwargs: Any,
) -> Job | None:
    """
    Ask for ``function(**kwargs)`` to be called soon, or after ``run_after``.

    Part of the caller's transaction: where that is rolled back, there is no job.
    The arguments are kept as JSON: ids, rather than texts that a user wrote.

    :returns: None where an unfinished job has the same ``dedupe_key``.
    """
    name = function if isinstance(function, str) else function.__name__
    at = now()
    new = Job(
        name=name,
        kwargs=kwargs,
        dedupe_key=dedupe_key,
        run_after=run_after or at,
        created_at=at,
    )
    if dedupe_key is None:
        new.save(force_insert=True)
        return new
    if Job.objects.unfinished().filter(dedupe_key=dedupe_key).exists():
        return None
    try:
        # A savepoint: the caller's transaction goes on where another was faster.
        with transaction.atomic():
            new.save(force_insert=True)
    except IntegrityError:
        return None
    return new


def run_next(at: datetime | None = None) -> Job | None:
    """Run the next due job; return it, or None where nothing is due."""
    at = at or now()
    taken = Job.objects.claim(at, LEASE)
    if taken is None:
        return None
    if taken.attempts > taken.max_attempts:
        # Each attempt ended with its worker; it is not to take more of them along.
        _note(taken, error=taken.error or "The worker was killed", finished_at=at)
        return taken

    try:
        with _leased(taken):
            _jobs[taken.name](**taken.kwargs)
    except MemoryHubError as error:
        logger.warning("Job %s failed: %s", taken, error)
        _note_failure(taken, error)
    except Exception as error:
        # One bad job must not stop the others: note it, and let the worker go on.
        logger.exception("Job %s failed", taken)
        _note_failure(taken, error)
    else:
        _note(taken, error="", finished_at=now())
    return taken


@contextmanager
def _leased(running: Job) -> Iterator[None]:
    """Keep the lease of a job for as long as it runs, from a thread beside it."""
    ended = threading.Event()

    def renew() -> None:
        try:
            while not ended.wait(BEAT):
                try:
                    with transaction.atomic():
                        held = Job.objects.held(running)
                        held.update(leased_until=now() + LEASE)
                except OperationalError as error:
                    logger.warning("Job %s could not be kept: %s", running, error)
        finally:
            connection.close()

    thread = threading.Thread(target=renew, name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _note_failure(failed: Job, error: Exception) -> None:
    at = now()
    if failed.attempts >= failed.max_attempts:
        _note(failed, error=_one_line(error), finished_at=at)
        return
    wait = FIRST_RETRY * 2 ** min(failed.attempts, 20)
    if isinstance(error, Failed):
        wait = max(wait, timedelta(seconds=error.retry_after))
    _note(failed, error=_one_line(error), run_after=at + min(wait, LAST_RETRY))


def _note(job: Job, **changes: Any) -> None:
    """Write down how an attempt ended, unless its lease ran out and another has it."""
    changes["leased_until"] = None
    for name, value in changes.items():
        setattr(job, name, value)
    with transaction.atomic():
        Job.objects.held(job).update(**changes)


def _one_line(error: Exception) -> str:
    """Say what went wrong in one line that every database can store."""
    said = str(error) if isinstance(error, MemoryHubError) else repr(error)
    text = "".join(c if c.isprintable() else " " for c in said)
    return " ".join(text.split())[:ERROR_LENGTH]


@dataclass
class Rounds:
    """When this process is to call each periodic function again."""

    due: dict[JobFunction, float] = field(default_factory=dict)

    def run_due(self) -> None:
        """Call those that are due; one that fails is called again at its next time."""
        for function, seconds in _periodic.items():
            if time.monotonic() < self.due.get(function, 0):
                continue
            try:
                function()
            except Exception:
                logger.exception("Periodic job %s failed", function.__name__)
            self.due[function] = time.monotonic() + seconds
