from __future__ import annotations

import pytest
from django.contrib import admin

from sessions_app.models import (
    ApiKey,
    Compaction,
    IdempotencyRecord,
    Job,
    Message,
    SearchDocument,
    Usage,
)
from tests.admin_pages import OURS, change_page, delete_page, page_of

REGISTERED = sorted(admin.site._registry, key=lambda model: model._meta.label)
each_model = pytest.mark.parametrize("model", REGISTERED, ids=lambda m: m.__name__)
each_of_ours = pytest.mark.parametrize("model", OURS, ids=lambda m: m.__name__)


@pytest.fixture(autouse=True)
def _everything(everything):
    return everything


@each_of_ours
def test_every_model_is_registered(model):
    assert model in admin.site._registry


@each_model
@pytest.mark.parametrize("query", ["", "?q=trip", "?q=1", "?q=%22", "?q=%F0%9F%8E%89"])
def test_lists_and_searches(admin_client, model, query):
    response = admin_client.get(page_of(model, "changelist") + query)

    assert response.status_code == 200


@each_of_ours
def test_every_list_finds_its_rows(admin_client, model):
    response = admin_client.get(page_of(model, "changelist"))

    assert response.context["cl"].result_count == model.objects.count() > 0


@each_model
def test_every_filter_works(admin_client, model):
    address = page_of(model, "changelist")
    changelist = admin_client.get(address).context["cl"]

    choices = [
        choice["query_string"]
        for each in changelist.filter_specs
        for choice in each.choices(changelist)
    ]

    for choice in choices:
        assert admin_client.get(address + choice).status_code == 200


@each_model
def test_every_column_sorts(admin_client, model):
    address = page_of(model, "changelist")
    columns = admin_client.get(address).context["cl"].list_display

    for number in range(1, len(columns) + 1):
        assert admin_client.get(f"{address}?o=-{number}").status_code == 200


@each_of_ours
def test_every_row_has_a_page(admin_client, viewer, model):
    for row in model.objects.all():
        assert admin_client.get(change_page(row)).status_code == 200
        assert viewer.get(change_page(row)).status_code == 200


@each_model
def test_the_page_for_a_new_row_opens_where_one_may_make_one(admin_client, rf, model):
    response = admin_client.get(page_of(model, "add"))

    request = rf.get("/")
    request.user = response.wsgi_request.user
    allowed = admin.site._registry[model].has_add_permission(request)
    assert response.status_code == (200 if allowed else 403)


@pytest.mark.parametrize("model", [Compaction, Message, Job, Usage, SearchDocument])
def test_what_services_make_is_not_made_here(admin_client, model):
    assert admin_client.get(page_of(model, "add")).status_code == 403


@pytest.mark.parametrize("model", [Usage, SearchDocument, IdempotencyRecord])
def test_history_is_not_changed(admin_client, model):
    row = model.objects.first()

    assert admin_client.post(change_page(row), {}).status_code == 403
    assert admin_client.post(delete_page(row), {"post": "yes"}).status_code == 403


@each_of_ours
def test_a_viewer_changes_nothing(viewer, model):
    row = model.objects.first()
    count = model.objects.count()
    chosen = {"_selected_action": row.pk, "post": "yes"}

    assert viewer.get(page_of(model, "changelist")).status_code == 200
    assert viewer.get(page_of(model, "add")).status_code == 403
    assert viewer.post(page_of(model, "add"), {}).status_code == 403
    assert viewer.post(change_page(row), {}).status_code == 403
    assert viewer.post(delete_page(row), {"post": "yes"}).status_code == 403
    for action in ("delete_selected", "delete_below", "revoke", "run_again"):
        viewer.post(page_of(model, "changelist"), {**chosen, "action": action})
    assert model.objects.count() == count
    assert not ApiKey.objects.exclude(revoked_at=None).exists()


@each_model
def test_who_is_not_logged_in_sees_nothing(client, model):
    response = client.get(page_of(model, "changelist"))

    assert response.status_code == 302
    assert response["Location"].startswith("/admin/login/")


@each_of_ours
@pytest.mark.parametrize("wrong", ["?session=x", "?agent=9999", "?session=%C2%B2"])
def test_a_wrong_address_is_no_failure(admin_client, model, wrong):
    response = admin_client.get(page_of(model, "changelist") + wrong)

    assert response.status_code in (200, 302)
