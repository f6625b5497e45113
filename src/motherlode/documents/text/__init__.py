"""Plain text of any format: whitespace, tokens, language, stems and counted terms.

Nothing here knows where a text came from; what compares documents belongs to `features`.
"""
