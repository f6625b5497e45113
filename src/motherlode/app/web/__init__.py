"""The web pages: made on the server, with forms that work without scripts.

Views ask services and start jobs; they never read tables.
"""
