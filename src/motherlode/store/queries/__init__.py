"""Questions that span several tables, for training, search, export and explanations.

These modules only read: whatever writes a row belongs to `store.tables`.
"""
