"""The operator's pages over sessions, messages, spend and jobs."""
