"""
The Python face: the builder of seed 003 in snake_case, over the same services.

    session, manager    Session and SessionManager, as ``from memoryhub import`` gives them
    asynchronous        the same for async code
    builder             what is said of a session before its first use
    storage             where messages are: the database, memory, or a host's own object
    context             its blocks and its prompt, in the database or beside it
    compaction          having it summed up by a function of the host's
"""
