"""What is registered: sessions and their lists, agents, keys, people."""
