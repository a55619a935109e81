"""The pages of agents, API keys and people."""
