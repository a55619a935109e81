"""What all pages share, and those that look at everything: overview, login, system."""
