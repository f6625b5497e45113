"""One module a family of tables: functions that write and read its rows in a session.

Nothing is imported from `store.queries`, and no transaction begins or ends here.
"""
