"""
What holds for every address, asked of the resolver, so that a new one is looked at too.

A GET writes nothing; a viewer writes nothing; only an admin gets at keys and people.
"""

from __future__ import annotations

from collections.abc import Iterator
from http.cookies import SimpleCookie
from typing import Any

import pytest
from django.apps import apps
from django.db import transaction
from django.test import Client
from django.utils.http import urlencode

from tests.addresses import address, routes
from tests.everything import Places, add_everything

pytestmark = pytest.mark.django_db

ROUTES = sorted(routes())
METHODS = ("GET", "POST", "PUT")
# What is theirs who are not logged in, and what everybody may do for themselves.
OPEN = {"login", "logout", "preferences"}
OWN = OPEN | {"password"}
ADMINS = ("keys", "people", "webhooks", "system/backups", "agents/<int:pk>/delete")
# Logins and what is shown once; nothing that anybody put there.
PASSING = {"django_session", "auth_user.last_login", "axes_accesslog"}
# What only an admin changes.
PROTECTED = (
    "sessions_app_apikey", "sessions_app_webhook", "auth_user", "auth_user_groups",
)  # fmt: skip
# A form with what most acts ask for: refused, it has to be for who sends it.
FORM = {
    "do": "delete", "act": "delete", "sure": "delete", "decision": "approve",
    "name": "probe", "session": "1", "msg": "m1", "message": "m1", "mode": "subtree",
    "label": "fresh", "text": "new", "text-0": "new", "content": "new", "key": "probe",
    "summary": "new", "how": "own", "from": "m1", "to": "m2", "version": "1",
    "model": "fresh", "input": "1", "output": "1", "match": "exact",
    "convention": "disjoint", "limit": "5", "period": "day", "covers": "all",
    "url": "https://example.org/fresh", "events": "budget.warning", "role": "admin",
    "username": "fresh", "scope": "admin", "life": "never", "kind": "writable",
    "expected": "9", "description": "new", "agent": "probe", "tag": "fresh",
}  # fmt: skip


@pytest.fixture
def places(settings: Any, tmp_path: Any) -> Places:
    settings.BACKUPS_DIR = tmp_path / "backups"
    return add_everything()


def kept() -> dict[str, list[tuple[Any, ...]]]:
    """Return all rows of all tables, but for what a login itself leaves."""
    return {
        model._meta.db_table: list(
            model._base_manager.order_by("pk").values_list(
                *(
                    field.attname
                    for field in model._meta.concrete_fields
                    if f"{model._meta.db_table}.{field.attname}" not in PASSING
                )
            )
        )
        for model in apps.get_models(include_auto_created=True)
        if model._meta.db_table not in PASSING and model._meta.managed
    }


def ask(client: Client, places: Places, route: str) -> Iterator[tuple[str, Any]]:
    """Send all there is to an address, and give each answer; nothing stays written."""
    cookies = client.cookies.output(header="", sep=";")
    for method in METHODS:
        for form in ({}, FORM):
            query = urlencode(form)
            with transaction.atomic():
                response: Any = client.generic(
                    method,
                    address(route, places),
                    "" if method == "GET" else query,
                    content_type="application/x-www-form-urlencoded",
                    QUERY_STRING=query,
                )
                what = f"{method} {route}?{query}: {response.status_code}"
                yield what, response
                transaction.set_rollback(True)
            # Its own close would end the test's connection too.
            for close in response._resource_closers:
                close()
            client.cookies = SimpleCookie(cookies)


def test_a_stranger_is_led_to_the_login(client: Client, places: Places):
    before = kept()
    for route in ROUTES:
        for what, response in ask(client, places, route):
            assert response.status_code < 500, what
            if route not in OPEN:
                assert response.status_code in (302, 405), what
            if route not in OPEN and response.status_code == 302:
                assert response["Location"].startswith("/login?next="), what
        assert kept() == before, route


def test_a_viewer_writes_nothing(viewer: Client, places: Places):
    before = kept()
    for route in ROUTES:
        for what, response in ask(viewer, places, route):
            assert response.status_code < 500, what
            if response.status_code < 400:
                assert kept() == before, what
            if route.startswith(ADMINS):
                assert response.status_code in (403, 405), what


def test_an_operator_gets_nothing_of_an_admins(operator: Client, places: Places):
    before = kept()
    for route in ROUTES:
        for what, response in ask(operator, places, route):
            assert response.status_code < 500, what
            if route.startswith(ADMINS):
                assert response.status_code in (403, 405), what
            if response.status_code in (302, 303):
                after = kept()
                assert {name: after[name] for name in PROTECTED} == {
                    name: before[name] for name in PROTECTED
                }, what


def test_to_look_writes_nothing_and_no_form_fails(manager: Client, places: Places):
    before = kept()
    for route in ROUTES:
        for what, response in ask(manager, places, route):
            assert response.status_code < 500, what
            if what.startswith("GET") and response.status_code < 400:
                assert kept() == before, what
