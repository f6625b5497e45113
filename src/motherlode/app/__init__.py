"""The application: command line, API and web pages, with the requests and services behind them.

The three front doors import nothing from one another, and never read tables.
"""
