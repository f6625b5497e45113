"""Canonical URLs, their keys, hosts and registrable domains.

Pure functions only: nothing here asks the network or the store.
"""

from motherlode.urls.canonical_form import Address, UrlError, address, canonical
from motherlode.urls.keys import url_key
from motherlode.urls.rules import UrlRules
from motherlode.urls.sites import display_host, host_of, registrable_domain

__all__ = [
    "Address",
    "UrlError",
    "UrlRules",
    "address",
    "canonical",
    "display_host",
    "host_of",
    "registrable_domain",
    "url_key",
]
