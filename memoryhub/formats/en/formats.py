"""How Django's own pages write a moment: short, to the second, and sorted as text."""

from __future__ import annotations

DATETIME_FORMAT = "Y-m-d H:i:s"
