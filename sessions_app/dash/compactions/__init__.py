"""The compactions of a session, and what an operator does to them."""
