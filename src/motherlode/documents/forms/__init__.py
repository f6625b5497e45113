"""Forms of HTML pages: their fields with labels, their purpose, and what a browser would send.

Nothing here fetches anything.
"""

from motherlode.documents.forms.reader import read_forms
from motherlode.documents.forms.submission import Submission, submission_of
from motherlode.records import Form, FormField, FormOption, FormPurpose

__all__ = [
    "Form",
    "FormField",
    "FormOption",
    "FormPurpose",
    "Submission",
    "read_forms",
    "submission_of",
]
