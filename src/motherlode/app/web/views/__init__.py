"""The views of the web application, one module each: their addresses, and the values for templates.

A view asks a service; it reads no table and imports nothing of `cli` or `api`.
"""
