from __future__ import annotations

import re
from urllib.parse import urljoin

import pytest
from django.contrib.auth.models import User
from django.urls import set_script_prefix

from sessions_app.models import Session
from tests.admin_pages import change_page, delete_page, page_of

PASSWORD = "correct horse battery"
LINKED = re.compile(r'<(?:link|script|img)[^>]*?(?:href|src)="([^"]+)"')


def log_in(client, password):
    sent = {"username": "olga", "password": password}
    return client.post("/admin/login/?next=/admin/", sent)


@pytest.fixture
def olga(db):
    return User.objects.create_superuser("olga", password=PASSWORD)


def test_it_has_our_name_and_leads_back(admin_client):
    content = admin_client.get("/admin/").content.decode()

    assert '<div id="site-name"><a href="/admin/">MemoryHub</a></div>' in content
    assert "Look at the data, and mend it" in content
    assert '<a href="/">View site</a>' in content


def test_its_links_keep_the_prefix(admin_client, trip, settings):
    settings.FORCE_SCRIPT_NAME = "/hub"
    set_script_prefix("/hub/")
    try:
        index = admin_client.get("/admin/").content.decode()
        page = admin_client.get(f"/admin/sessions_app/session/{trip.pk}/change/")
    finally:
        set_script_prefix("/")

    assert '<a href="/hub">View site</a>' in index
    assert 'href="/hub/admin/sessions_app/message/?session=' in page.content.decode()
    assert 'href="/admin/' not in index + page.content.decode()


@pytest.mark.parametrize(
    "page", ["index", "login", "changelist", "add", "change", "delete"]
)
def test_what_a_page_links_to_is_there(admin_client, client, trip, page):
    addresses = {
        "index": "/admin/",
        "login": "/admin/login/",
        "changelist": page_of(Session, "changelist"),
        "add": page_of(Session, "add"),
        "change": change_page(trip),
        "delete": delete_page(trip),
    }
    asking = client if page == "login" else admin_client
    address = addresses[page]
    content = asking.get(address).content.decode()

    found = {urljoin(address, link) for link in LINKED.findall(content)}

    assert "/static/css/admin.css" in found
    for link in found:
        response = asking.get(link)
        assert response.getvalue()
        assert response.status_code == 200, link


def test_one_logs_in(client, olga):
    response = log_in(client, PASSWORD)

    assert response["Location"] == "/admin/"
    assert client.get("/admin/").status_code == 200


def test_after_some_wrong_passwords_even_the_right_one_has_to_wait(
    client, olga, settings
):
    settings.AXES_FAILURE_LIMIT = 3

    for _ in range(2):
        assert log_in(client, "wrong").status_code == 200
    assert log_in(client, "wrong").status_code == 429

    assert log_in(client, PASSWORD).status_code == 429
    assert client.get("/admin/").status_code == 302


def test_ten_wrong_passwords_are_the_limit(settings):
    assert settings.AXES_FAILURE_LIMIT == 10
    assert settings.AXES_LOCKOUT_PARAMETERS == [["username", "ip_address"]]


def test_logging_in_starts_the_count_again(client, olga, settings):
    settings.AXES_FAILURE_LIMIT = 3

    for _ in range(2):
        log_in(client, "wrong")
    log_in(client, PASSWORD)
    client.logout()
    for _ in range(2):
        log_in(client, "wrong")

    assert log_in(client, PASSWORD).status_code == 302
