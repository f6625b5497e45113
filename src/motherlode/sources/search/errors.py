"""The error of a search source."""

from motherlode.records import LodeError


class SourceError(LodeError):
    """A search source that cannot answer, in one sentence; others may go on without it.

    `status` is the HTTP status of its refusal, 0 if there was none.
    """

    def __init__(self, source: str, problem: str, status: int = 0) -> None:
        super().__init__(f"The search source {source} {problem.rstrip('.')}.")
        self.status = status
