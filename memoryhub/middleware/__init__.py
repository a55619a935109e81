"""
Where requests to the API and requests for pages part, and what each of them meets.

The API has no login session, no CSRF token and no messages: its keys are in a header.
So it goes a way of its own, without the middleware of pages.
"""
