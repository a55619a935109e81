"""Sending a signed body to an address of somebody else's choice."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import socket
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any

from sessions_app.addresses import is_refused

# Seconds for all of it: to find the host, to connect, to send, and to be answered.
TIMEOUT = 10.0
LONGEST_REASON = 300


class Unreachable(Exception):
    """No answer came back; the message says why, in one line."""


def sign(secret: str, moment: int, body: str) -> str:
    """Return the signature of a body that is sent at a moment, in Unix seconds."""
    signed = f"{moment}.{body}".encode()
    digest = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return f"t={moment},v1={digest}"


def post(url: str, body: str, headers: Mapping[str, str]) -> int:
    """
    Send a body, and return the status of the answer, which is not read any further.

    Redirects are not followed, and no proxy is used. The host is called by the address
    that was found allowed, so that a name cannot stand for another one meanwhile.

    :raises Unreachable: if there is no answer in time, or the address is refused
    """
    import httpx2  # noqa: PLC0415 (lazy: only those who have webhooks pay for it)

    try:
        return asyncio.run(_post(httpx2, url, body.encode(), dict(headers)))
    except (TimeoutError, httpx2.TimeoutException):
        raise Unreachable(f"No answer within {TIMEOUT:g} seconds") from None
    except socket.gaierror as exc:
        raise Unreachable("The host is not known") from exc
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError, UnicodeError) as exc:
        reason = " ".join(str(exc).split()) or type(exc).__name__
        raise Unreachable(reason[:LONGEST_REASON]) from exc


async def _post(httpx2: Any, url: str, body: bytes, headers: dict[str, str]) -> int:
    target = httpx2.URL(url)
    host = target.raw_host.decode("ascii").strip("[]")
    headers["Host"] = target.netloc.decode("ascii")
    # A transport of our own knows SSL_CERT_FILE, and no proxy.
    transport = httpx2.AsyncHTTPTransport()
    async with (
        asyncio.timeout(TIMEOUT),
        httpx2.AsyncClient(
            timeout=TIMEOUT, transport=transport, trust_env=False
        ) as client,
    ):
        addresses = await _addresses(host, target.port or target.scheme)
        for number, address in enumerate(addresses, 1):
            try:
                async with client.stream(
                    "POST",
                    target.copy_with(host=address),
                    content=body,
                    headers=headers,
                    extensions={"sni_hostname": host},
                ) as answer:
                    status: int = answer.status_code
                    return status
            except httpx2.ConnectError:
                if number == len(addresses):
                    raise
    raise Unreachable("The host has no address")


async def _addresses(host: str, port: int | str) -> list[str]:
    """
    :raises Unreachable: if one of the host's addresses is refused
    """
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))
    if any(is_refused(ip_address(each.partition("%")[0])) for each in addresses):
        raise Unreachable("The host has a link-local address, which is refused")
    return addresses
