"""The operator's pages over blocks, prompts and what the model sees."""
