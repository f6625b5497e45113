"""Which host may be asked when: slots per host, crawl delays, and the limiter that waits for them.

Nothing is requested here, and nothing is known of topics or policies.
"""
