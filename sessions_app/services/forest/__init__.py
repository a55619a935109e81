"""The message forest: trees, paths of them, and how sessions share them."""
