"""What has to be installed for some formats to be read, and what is said where it is not."""

from typing import Final

GHOSTSCRIPT: Final = "needs Ghostscript"
EXTRA: Final = "needs the extra 'formats'"

_ADVICE: Final = {
    GHOSTSCRIPT: (
        "PostScript documents are kept without their text, because no program here reads them: "
        "install "
        "Ghostscript (apt install ghostscript)."
    ),
    EXTRA: (
        "DOC, PPT and XLS documents are kept without their text, because no library here reads "
        "them: install "
        "undoc (pip install 'motherlode[formats]')."
    ),
}


def advice(unreadable: str) -> str:
    """What to install for documents that are unreadable for this reason; empty: nothing
    would help.
    """
    return _ADVICE.get(unreadable, "")
