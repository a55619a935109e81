from __future__ import annotations

from context_app.models import Block
from sessions_app.admin.filters import RowFilter


class BlockFilter(RowFilter):
    title = "block"
    parameter_name = "block"
    model = Block
