"""From bytes to what a page says: text, terms, links. `analysing` is the way in.

Nothing is imported here: the configuration knows `options`, and must not load parsers for that.
"""
