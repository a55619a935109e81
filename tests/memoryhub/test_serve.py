"""A real server, started and stopped as a user does it."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import time
from urllib.parse import urlsplit

import httpx
import pytest

from tests.server import MANAGE, environment, running_server, start_server

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory):
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="module")
def server(data_dir):
    with running_server(data_dir, fresh=True) as server:
        yield server


def children(pid):
    listed = subprocess.check_output(["ps", "-A", "-o", "pid=,ppid="], text=True)
    pairs = [map(int, line.split()) for line in listed.splitlines()]
    return [child for child, parent in pairs if parent == pid]


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A zombie waits for whoever adopted it, and holds nothing.
    state = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True
    )
    return not state.stdout.startswith("Z") and bool(state.stdout)


def wait_until(true, seconds=15):
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def job_worker_of(server):
    def find():
        command = ["ps", "-A", "-ww", "-o", "pid=,ppid=,args="]  # ww: not cut
        for line in subprocess.check_output(command, text=True).splitlines():
            if re.match(rf" *\d+ +{server.process.pid} .*run_jobs", line):
                return int(line.split()[0])
        return None

    wait_until(find)
    return find()


def serve(data_dir, *extra):
    """Run the command where it is to refuse at once."""
    return subprocess.run(
        [*MANAGE, "serve", *extra],
        env=environment(data_dir),
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_the_first_start_prints_a_login_and_a_key(server):
    assert len(server.key) > 30
    assert len(server.password) > 10
    assert server.output.count(server.password) == 1
    assert f"{server.url}/\n" in server.output
    assert "Traceback" not in server.output


def test_it_answers(server):
    response = httpx.get(f"{server.url}/api/v1/health")

    assert response.status_code == 200
    assert response.json()["status"] == "ok"


def test_a_monitor_may_ask_for_the_head_alone(server):
    for path in ("/api/v1/health", "/login"):
        response = httpx.head(server.url + path)

        assert (response.status_code, response.content) == (200, b"")


def test_the_key_opens_the_api(server):
    url = f"{server.url}/api/v1/sessions"

    assert httpx.get(url, headers=server.headers).status_code == 200
    assert httpx.get(url).status_code == 401


def test_the_password_opens_the_admin(server):
    with httpx.Client(base_url=server.url) as client:
        client.get("/admin/login/")
        form = {
            "username": "admin",
            "password": server.password,
            "csrfmiddlewaretoken": client.cookies["csrftoken"],
            "next": "/admin/",
        }
        response = client.post("/admin/login/", data=form)

        assert response.status_code == 302
        assert client.get("/admin/").status_code == 200


def test_the_start_page_has_its_style(server):
    page = httpx.get(f"{server.url}/login")

    assert page.status_code == 200
    found = re.search(r'href="(/static/css/base\.[0-9a-f]{12}\.css)"', page.text)
    assert found
    style = httpx.get(server.url + found[1], headers={"Accept-Encoding": "br"})
    assert style.status_code == 200
    assert "immutable" in style.headers["Cache-Control"]
    assert style.headers["Content-Encoding"] == "br"
    assert style.headers["Content-Type"].startswith("text/css")


def test_a_chunked_body_arrives(server):
    message = {"role": "user", "parts": [{"type": "text", "text": "Hello there"}]}
    sessions = f"{server.url}/api/v1/sessions"
    httpx.put(f"{sessions}/chunks", json={"agent": "default"}, headers=server.headers)
    body = json.dumps({"messages": [message]}).encode()
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc)

    connection.request(
        "POST",
        "/api/v1/sessions/chunks/messages",
        body=iter([body[:20], body[20:]]),
        headers=server.headers | {"Content-Type": "application/json"},
        encode_chunked=True,
    )
    response = connection.getresponse()
    answer = response.read()
    connection.close()

    assert response.status == 201, answer
    history = httpx.get(f"{sessions}/chunks/history", headers=server.headers).json()
    assert history["items"][0]["parts"] == message["parts"]


def test_a_second_server_on_the_folder_is_refused(server, data_dir):
    second = serve(data_dir, "--port=0")

    assert second.returncode == 1
    assert (
        f"(process {server.process.pid}) already works on {data_dir}" in second.stderr
    )
    assert "Traceback" not in second.stderr


def test_a_port_that_is_taken_is_said(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        refused = serve(tmp_path, f"--port={port}")

    assert refused.returncode == 1
    assert f"Port {port} is in use by another program" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_dead_worker_is_replaced(server):
    job_worker = job_worker_of(server)
    web_workers = set(children(server.process.pid)) - {job_worker}

    os.kill(job_worker, signal.SIGKILL)

    wait_until(lambda: "The job worker ended with -9" in server.output)
    assert job_worker_of(server) != job_worker
    assert web_workers <= set(children(server.process.pid))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_stops_when_asked(tmp_path, number):
    server = start_server(tmp_path)
    job_worker_of(server)
    family = children(server.process.pid)
    asked = time.monotonic()

    assert server.stop(number) == 0

    assert time.monotonic() - asked < 8
    assert len(family) >= 3
    wait_until(lambda: not any(map(is_alive, family)))
    assert "Traceback" not in server.output


def test_when_killed_it_takes_its_workers_along(tmp_path):
    server = start_server(tmp_path)
    job_worker_of(server)
    family = children(server.process.pid)

    server.stop(signal.SIGKILL)

    wait_until(lambda: not any(map(is_alive, family)))
    with pytest.raises(httpx.TransportError):
        httpx.get(server.url)


def test_a_later_start_has_nothing_to_tell_and_keeps_all_but_the_ephemeral(tmp_path):
    with running_server(tmp_path) as first:
        sessions = f"{first.url}/api/v1/sessions"
        for name, ephemeral in ("kept", False), ("passing", True):
            made = {"agent": "default", "ephemeral": ephemeral}
            httpx.put(f"{sessions}/{name}", json=made, headers=first.headers)

    with running_server(tmp_path) as second:
        assert second.key == ""
        assert second.password == ""
        listed = httpx.get(f"{second.url}/api/v1/sessions", headers=first.headers)

    assert [session["id"] for session in listed.json()["items"]] == ["kept"]
    assert "migrations" not in second.output
    assert "static files" not in second.output
