"""
What a transcript shows of messages: pure of requests and of the database.

``rows`` makes rows of messages; ``parts`` reads what is in one, ``tools`` the calls
and their results, ``inputs`` what a call was asked to do.
"""
