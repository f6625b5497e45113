"""From a directory to the web in it."""

from pathlib import Path

from motherlode.lab.description import FILE, Description, read_description
from motherlode.lab.misbehaviour.habits import parse_habit
from motherlode.lab.recorded.warc import files_of
from motherlode.lab.web import LabWeb
from motherlode.records import BadInputError


def open_web(directory: Path) -> LabWeb:
    """A recorded or a generated web, whichever the directory holds."""
    try:
        if not directory.is_dir():
            what = (
                f"{directory} is a file"
                if directory.exists()
                else f"There is no directory {directory}"
            )
            raise BadInputError(f"{what}; name a directory that holds a web.")
    except OSError as error:
        raise BadInputError(f"{directory} cannot be a web: {error.strerror or error}.") from error
    description = read_description(directory)
    web = _web_without_portals(directory, description)
    if description.portals is None:
        return web
    from motherlode.lab.portals.portal_web import PortalWeb  # noqa: PLC0415 - it loads templates

    return PortalWeb(web, description.portals, directory)


def _web_without_portals(directory: Path, description: Description) -> LabWeb:
    for habit in description.misbehaviour.values():
        parse_habit(habit)  # better now than when the host is first asked
    if description.generated is not None:
        from motherlode.lab.generated.web import GeneratedWeb  # noqa: PLC0415 - it loads the lexicon's rooms

        return GeneratedWeb(description.generated, description)
    if not files_of(directory):
        raise BadInputError(
            f"{directory} is not a web: it has neither WARC files nor a plan in {FILE}."
        )
    from motherlode.lab.recorded import RecordedWeb  # noqa: PLC0415 - whichever of the two is wanted

    return RecordedWeb(directory)
