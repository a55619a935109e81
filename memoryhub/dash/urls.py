from __future__ import annotations

from django.contrib.auth.views import LogoutView
from django.urls import include, path

from memoryhub.dash.login import login
from memoryhub.dash.overview import overview
from memoryhub.dash.preferences import preferences
from memoryhub.dash.system import backup, system

urlpatterns = [
    path("", overview, name="overview"),
    path("login", login, name="login"),
    path("logout", LogoutView.as_view(), name="logout"),
    path("preferences", preferences, name="preferences"),
    path("system", system, name="system"),
    path("system/backups/<str:name>", backup, name="backup"),
    path("", include("sessions_app.dash.urls")),
    path("", include("context_app.dash.urls")),
]
