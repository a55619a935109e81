"""What models used, what it cost, and how much it may."""
