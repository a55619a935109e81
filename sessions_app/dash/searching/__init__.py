"""The page that searches."""
