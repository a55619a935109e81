"""How things look: figures, diffs, JSON, Markdown, icons, charts."""
