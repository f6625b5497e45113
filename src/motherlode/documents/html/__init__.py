"""HTML pages: their text, links and forms, hidden elements, and a copy that is safe to show.

Other formats belong to `formats`, and the language and terms of a text to `text`.
"""
