"""The example of docs/budgets.md checks what we sign."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest

from sessions_app.services.webhooks.posting import sign

DOCS = Path(__file__).resolve().parents[2] / "docs" / "budgets.md"
SECRET = "whsec_x"
BODY = '{"event": "budget.warning", "ü": 1}'


@pytest.fixture
def is_genuine() -> Any:
    (example,) = re.findall("```python\n(.*?)```", DOCS.read_text(), re.S)
    names: dict[str, Any] = {}
    exec(example, names)  # noqa: S102 (our own)
    return names["is_genuine"]


def test_a_signature_of_ours_is_genuine(is_genuine):
    signature = sign(SECRET, int(time.time()), BODY)

    assert is_genuine(SECRET, signature, BODY.encode())


@pytest.mark.parametrize(
    ("secret", "late", "body"),
    [("whsec_y", 0, BODY), (SECRET, 0, BODY + " "), (SECRET, 600, BODY)],
)
def test_another_is_not(is_genuine, secret, late, body):
    signature = sign(SECRET, int(time.time()) - late, BODY)

    assert not is_genuine(secret, signature, body.encode())
