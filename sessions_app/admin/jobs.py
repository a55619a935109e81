from __future__ import annotations

from collections.abc import Mapping, Sequence

from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.timezone import now

from sessions_app.admin.columns import block
from sessions_app.admin.confirming import Removal, foresee_cascade
from sessions_app.admin.filters import ConditionFilter
from sessions_app.admin.pages import RemovingAdmin
from sessions_app.errors import Conflict
from sessions_app.models import Job
from sessions_app.services.jobs.rerunning import run_again


class StateFilter(ConditionFilter):
    title = "state"
    parameter_name = "state"

    def conditions(self) -> Mapping[str, Q]:
        running = Q(finished_at=None, leased_until__gt=now())
        return {
            "waiting": Q(finished_at=None) & ~running,
            "running": running,
            "done": Q(finished_at__isnull=False, error=""),
            "failed": Q(finished_at__isnull=False) & ~Q(error=""),
        }


@admin.register(Job)
class JobAdmin(RemovingAdmin[Job]):
    list_display = (
        "id",
        "name",
        "state",
        "attempts",
        "run_after",
        "finished_at",
        "error_line",
    )
    list_filter = (StateFilter, ("created_at", admin.DateFieldListFilter))
    search_fields = ("name", "dedupe_key", "error")
    ordering = ("-id",)
    actions = ("run_again", "delete_selected")
    fields = (
        "name", "kwargs", "state", "dedupe_key", "attempts", "max_attempts", "run_after",
        "leased_until", "finished_at", "error_text", "created_at",
    )  # fmt: skip
    readonly_fields = ("state", "error_text")

    @admin.display
    def state(self, job: Job) -> str:
        if job.finished_at:
            return "failed" if job.error else "done"
        return "running" if job.leased_until and job.leased_until > now() else "waiting"

    @admin.display(description="error")
    def error_line(self, job: Job) -> str:
        return job.error[:100]

    @admin.display(description="error")
    def error_text(self, job: Job) -> str:
        return block(job.error) if job.error else "-"

    def has_run_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("sessions_app.change_job")

    @admin.action(permissions=["run"], description="Run selected jobs again, now")
    def run_again(self, request: HttpRequest, queryset: QuerySet[Job]) -> None:
        for job in queryset:
            try:
                run_again(job)
            except Conflict as refusal:
                self.message_user(request, refusal.message, messages.ERROR)
            else:
                self.message_user(request, f"Job {job} will be run.", messages.SUCCESS)

    def removal(self) -> Removal[Job]:
        return Removal(foresee_cascade, delete)


def delete(chosen: Sequence[Job]) -> None:
    Job.objects.filter(pk__in=[job.pk for job in chosen]).delete()
