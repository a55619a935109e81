"""
A session's blocks, its prompt and its tools.

    base      what is the same wherever the messages are
    stored    of a session in the database
    hosted    of a session over a host's own storage: nothing of it is in the database
"""
