"""The parts that API and web pages share: settings, access control, errors, events, caches.

Nothing here imports `app.api` or `app.web`; `app.application` puts them together.
"""
