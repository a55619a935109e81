"""Buckets that break off, or never answer."""

from __future__ import annotations

import socket
import threading
import time

import pytest

from context_app.models import Block
from context_app.providers import StorageUnavailable, bucket
from context_app.providers.storage import StorageSkills

HEAD = (
    b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nETag: "x"\r\n'
    b"Last-Modified: Wed, 01 Oct 2025 00:00:00 GMT\r\nConnection: close\r\n\r\n"
)


def breaking_off(connection):
    """Say that a thousand bytes come, and send ten."""
    request = connection.recv(65536)
    connection.sendall(HEAD if request.startswith(b"HEAD") else HEAD + b"x" * 10)


def silent(connection):
    time.sleep(10)


@pytest.fixture
def endpoint(request):
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=answer, args=[connection], daemon=True).start()

    def answer(connection):
        with connection:
            request.param(connection)

    threading.Thread(target=serve, daemon=True).start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()


@pytest.fixture
def skills(endpoint, settings, monkeypatch):
    monkeypatch.setattr(bucket, "READ", 0.5)
    settings.STORAGES = {
        **settings.STORAGES,
        "skills": {
            "BACKEND": "context_app.providers.bucket.open_bucket",
            "OPTIONS": {
                "bucket_name": "skills",
                "endpoint_url": endpoint,
                "access_key": "test",
                "secret_key": "test",
                "region_name": "us-east-1",
            },
        },
    }
    return StorageSkills(Block())


both = pytest.mark.parametrize("endpoint", [breaking_off, silent], indirect=True)


@both
@pytest.mark.django_db
def test_it_is_given_up_in_time(skills):
    began = time.monotonic()

    for ask in (lambda: skills.load("a"), lambda: skills.find("a")):
        with pytest.raises(StorageUnavailable):
            ask()

    assert time.monotonic() - began < 9
