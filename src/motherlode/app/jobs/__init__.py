"""Long work that the server starts as `lode` processes: job records, the queue, crawl control.

Nothing here answers requests; `app.server`, `app.api` and `app.web` do.
"""
