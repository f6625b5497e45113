"""The bibliographic metadata that a page or a PDF states about itself, as a library object.

Nothing here fetches: what is read is the body of a document.
"""
