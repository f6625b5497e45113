"""Collection synthesis by tunnelling (Bergmark, Lagoze and Sbityakov, ECDL 2002), and ours after it.

Here are the policies, their centroids, path records and reports; the formulas are in
`learning.tunnel`. The collections that users see and curate are in `training.collections`.
"""
