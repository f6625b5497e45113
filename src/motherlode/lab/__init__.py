"""Experiments on webs whose truth is known: recorded or generated, served, replayed, measured.

No other room but `app` imports from here, and nothing here reaches the real Web.
"""
