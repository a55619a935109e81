"""
The whole API does what it says of itself, for requests made up from its description.

To look for more: st run http://127.0.0.1:8000/api/v1/openapi.json -H "Authorization: ..."
"""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.config import SchemathesisConfig

from memoryhub.wsgi import application
from tests.api import BASE

# What is well-formed may still name what is not there, and a message may be called
# "delete" as a bulk endpoint is.
UNCHECKED = ("positive_data_acceptance", "allow_header_conformance", "use_after_free")
CONFIG = SchemathesisConfig.from_dict(
    {
        # A NUL is text in JSON Schema, and refused here.
        "generation": {
            "allow-x00": False,
            "deterministic": True,
            "with-security-parameters": False,
        },
        "checks": {
            **{name: {"enabled": False} for name in UNCHECKED},
            "negative_data_rejection": {
                "expected-statuses": [401, 403, 404, 405, 409, 413, 422]
            },
        },
    }
)
schema = schemathesis.openapi.from_wsgi(
    f"{BASE}/openapi.json", application, config=CONFIG
)

# What is there, so that requests get past "not found".
THERE = {"id": "trip", "mid": "b", "agent": "support"}


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@schema.parametrize()
@settings(max_examples=6, suppress_health_check=list(HealthCheck))
def test_an_answer_is_as_described(case, admin_api):
    # An example may have deleted it.
    admin_api.post("/agents", {"name": "support"})
    admin_api.put("/sessions/trip", {"agent": "support"})
    messages = [{"id": uid, "role": "user", "content": uid} for uid in "abc"]
    admin_api.post("/sessions/trip/messages", {"messages": messages})
    case.path_parameters |= {
        name: value for name, value in THERE.items() if name in case.path_parameters
    }

    if case.query and "agent" in case.query:
        case.query["agent"] = "support"

    key = admin_api.client.defaults["HTTP_AUTHORIZATION"]
    case.call_and_validate(headers={"Authorization": key})
