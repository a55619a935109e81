from __future__ import annotations

from django.contrib import admin
from django.urls import path

from memoryhub.api import api
from memoryhub.home import home

urlpatterns = [
    path("", home, name="home"),
    path("api/v1/", api.urls),
    path("admin/", admin.site.urls),
]
