"""Crawls by levels of distance to the topic, after FOCUS (Babaria and others, 2007).

The formulas are in `learning.ordinal`.
"""
