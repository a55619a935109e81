from __future__ import annotations

from datetime import datetime, timedelta

from django.db import models, transaction
from django.db.models import F, Q
from django.utils.timezone import now

from sessions_app.models.fields import TimeField

# How many due jobs a worker looks at in one claim, so that a few workers that look at
# the same time each find one of their own.
CANDIDATES = 10


class JobQuerySet(models.QuerySet["Job"]):
    def unfinished(self) -> JobQuerySet:
        return self.filter(finished_at=None)

    def due(self, at: datetime) -> JobQuerySet:
        """Whose time has come, and which nobody holds: a lease that ran out counts."""
        free = Q(leased_until=None) | Q(leased_until__lte=at)
        return (
            self.unfinished()
            .filter(free, run_after__lte=at)
            .order_by("run_after", "id")
        )

    def held(self, job: Job) -> JobQuerySet:
        """That job, unless another worker has taken it since, or it is finished."""
        return self.unfinished().filter(id=job.id, attempts=job.attempts)

    def claim(self, at: datetime, lease: timedelta) -> Job | None:
        """
        Take the next due job until ``at + lease``, so that no other worker can.

        The update is conditional, and counts its rows: of two workers that read
        the same job, one changes a row and the other none. Needs no row locks, so
        it is the same on SQLite and PostgreSQL.
        """
        for job in self.due(at)[:CANDIDATES]:
            with transaction.atomic():
                taken = self.held(job).update(
                    attempts=F("attempts") + 1, leased_until=at + lease
                )
            if taken:
                job.attempts += 1
                job.leased_until = at + lease
                return job
        return None


JobManager = models.Manager.from_queryset(JobQuerySet)


class Job(models.Model):
    """
    A call of a registered function, to be made by a worker.

    A worker that is killed leaves its lease behind; when that has run out, the job
    is due again. ``attempts`` counts the claims, and so tells them apart.
    """

    name = models.CharField(max_length=100)
    kwargs = models.JSONField(default=dict)
    dedupe_key = models.CharField(max_length=200, null=True)  # noqa: DJ001 (NULL: no key)
    run_after = TimeField(default=now)
    attempts = models.PositiveIntegerField(default=0)
    max_attempts = models.PositiveIntegerField(default=5)
    leased_until = TimeField(null=True)
    error = models.TextField(default="")
    finished_at = TimeField(null=True)
    created_at = TimeField(default=now)

    objects = JobManager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["dedupe_key"],
                condition=Q(finished_at=None),
                name="one_unfinished_job_of_a_key",
            )
        ]
        indexes = [
            models.Index(
                fields=["run_after", "id"],
                condition=Q(finished_at=None),
                name="job_due",
            ),
            models.Index(fields=["finished_at"], name="job_finished"),
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.id}"
