"""Collection crawls by tunnelling (Bergmark, Lagoze and Sbityakov, 2002): policies, models, paths.

The formulas are in `learning.tunnel`, and the collections that users see in `training.collections`.
"""
