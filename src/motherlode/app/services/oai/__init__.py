"""OAI-PMH 2.0: the collections of a served portal, for harvesters of digital libraries (SPEC T6).

`protocol` reads requests, `repository` has the records, and `responses` writes the XML.
"""
