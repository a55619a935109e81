"""What every page knows: who looks at it, how, and where in the top bar it stands."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from memoryhub.dash.attention import count_attention
from sessions_app.dash.access import Role, role_of

THEMES = ("system", "light", "dark")


def dashboard(request: HttpRequest) -> dict[str, Any]:
    """
    Return the theme, the role (``may_act``, ``may_manage``) and the current entry.

    Nothing is looked up before a template asks for it.
    """
    theme = request.COOKIES.get("theme", "system")
    user = getattr(request, "user", None)
    role = role_of(user) if user is not None else Role.NONE
    return {
        "theme": theme if theme in THEMES else "system",
        "keys_on": request.COOKIES.get("keys") != "off",
        "nav": getattr(request, "nav", ""),
        "role": role.name.lower(),
        "may_see": role >= Role.VIEWER,
        "may_act": role >= Role.OPERATOR,
        "may_manage": role >= Role.ADMIN,
        "attention": count_attention,  # a template calls it
        "request_id": getattr(request, "id", ""),
    }
