"""One frozen record per job, whose fields carry type, bounds, default and help text once.

Click options, API bodies, form fields and job command lines are derived from these records, so
nothing here knows of click, FastAPI or templates.
"""
