"""What the admin calls itself. Its link to the site is "/", below Django's prefix."""

from __future__ import annotations

from django.contrib import admin

admin.site.site_header = "MemoryHub"
admin.site.site_title = "MemoryHub admin"
admin.site.index_title = "Look at the data, and mend it"
admin.site.site_url = "/"
