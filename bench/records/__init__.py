"""Lists of results and links to next pages, measured on labelled pages (see `command.py`)."""
