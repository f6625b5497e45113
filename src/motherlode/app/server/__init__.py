"""What the API and the web pages stand on: settings, access control, errors, events, search pool.

`application` puts API, pages and server together; nothing else here imports `app.api` or `app.web`.
"""
