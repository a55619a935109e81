#!/usr/bin/env python
"""Run MemoryHub's commands: ``python manage.py serve`` starts the server."""

from __future__ import annotations

import os
import sys

from memoryhub.command_line import run

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryhub.settings")
    run(sys.argv)
