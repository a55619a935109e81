"""What the API's description says of many endpoints: how they refuse, and what they take."""

from __future__ import annotations

from ninja.openapi.schema import OpenAPISchema

REFUSALS = {
    "401": "No valid key: `unauthenticated`",
    "402": "A hard budget is used up: `budget_exceeded`. Usage that was sent is recorded",
    "403": "A key of a narrower scope: `forbidden`",
    "404": "Not there, or another agent's: `not_found`",
    "409": "Does not fit the present state: a code that says why",
    "413": "Too large: `too_large`",
    "422": "Not to be carried out as it stands: `invalid`, or the rule's own code",
    "429": "More requests than the server's limit: `rate_limited`. Try again after "
    "`Retry-After` seconds",
    "502": "Another server that this needs did not do its part: a code that says which",
    "503": "Others are writing: `busy`. Try again after `Retry-After` seconds",
}

ERROR = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "code": {"type": "string"},
                "message": {"type": "string"},
                "details": {"type": "object"},
            },
            "required": ["code", "message", "details"],
        }
    },
    "required": ["error"],
}


IDEMPOTENCY_KEY = {
    "in": "header",
    "name": "Idempotency-Key",
    "description": "The same key and body are carried out once, and answered the same",
    "schema": {"type": "string", "minLength": 1, "maxLength": 200},
    "required": False,
}

AGENT = {
    "in": "query",
    "name": "agent",
    "description": "Whose session it is, where a key is for all agents and several have "
    "one of that id",
    "schema": {"type": "string"},
    "required": False,
}


def describe_parameters(schema: OpenAPISchema) -> None:
    """Add to the operations what they take without naming it."""
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            parameters = operation["parameters"]
            if method == "post":
                parameters.append(IDEMPOTENCY_KEY)
            named = {each["name"] for each in parameters}
            if "/sessions/{id}" in path and "agent" not in named:
                parameters.append(AGENT)


def describe_refusals(schema: OpenAPISchema) -> None:
    """Add to each operation what any of them may answer."""
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    schema["components"]["schemas"]["Error"] = ERROR
    schema["components"]["responses"] = {
        status: {"description": description, "content": content}
        for status, description in REFUSALS.items()
    }
    refusals = {
        status: {"$ref": f"#/components/responses/{status}"} for status in REFUSALS
    }
    for operations in schema["paths"].values():
        for operation in operations.values():
            operation["responses"] |= refusals
