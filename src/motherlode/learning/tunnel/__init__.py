"""The formulas of collection synthesis by tunnelling (Bergmark, Lagoze and Sbityakov, ECDL 2002).

One formula per module; nothing here knows of crawls, pages or the store.
"""
