"""What was done to messages, and putting it back."""
