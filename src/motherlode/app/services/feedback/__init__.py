"""Opinions of users about pages: feedback on archetypes, and relevance marks.

Retraining with it is a job, and is started elsewhere.
"""
