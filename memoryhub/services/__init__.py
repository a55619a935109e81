"""What concerns the server as a whole: its database, its backups, its health."""
