from __future__ import annotations

from django.contrib import admin
from django.urls import include, path
from django.urls.resolvers import RoutePattern

from memoryhub.api import api
from memoryhub.routes import Routes

routes, app_name, namespace = api.urls
urlpatterns = [
    Routes(RoutePattern("api/v1/"), routes, None, app_name, namespace),
    path("admin/", admin.site.urls),
    path("", include("memoryhub.dash.urls")),
]

handler400 = "memoryhub.dash.errors.bad_request"
handler403 = "memoryhub.dash.errors.forbidden"
handler404 = "memoryhub.dash.errors.not_found"
handler500 = "memoryhub.dash.errors.broken"
