"""The parts that the API and the web pages share: settings, access control, errors, events and
caches.

Nothing here imports `app.api` or `app.web`; `app.application` puts them together.
"""
