"""`lode lab`: one module per command, which share `options` and `output`.

The experiments themselves are in `lab`; a command only chooses one and prints its result.
"""

import click

from motherlode.app.cli.commands.lab.calibration import calibration
from motherlode.app.cli.commands.lab.collect import collect
from motherlode.app.cli.commands.lab.compare import compare
from motherlode.app.cli.commands.lab.expert import expert
from motherlode.app.cli.commands.lab.feedback import feedback
from motherlode.app.cli.commands.lab.learn import learn
from motherlode.app.cli.commands.lab.measure import measure
from motherlode.app.cli.commands.lab.portal import portal
from motherlode.app.cli.commands.lab.search import search
from motherlode.app.cli.commands.lab.sites import sites


@click.group("lab")
def command() -> None:
    """Compare policies on a labelled web, and measure crawls.

    WEB is a directory, as for 'lode sandbox'. Every command takes --json; compare, measure
    and sites take --plot.

    \b
    lode lab compare WEB --topic Science/Chemistry --pages 1000
    lode lab compare WEB --topic Mathematics --policies best-first,oracle --repeat 3 --plot c.png
    lode lab learn WEB --examples 2,5 --repeat 1
    lode lab portal WEB --topic Science --pages 5%,20%
    lode lab collect WEB --subjects 30 --pages 1000
    lode lab expert WEB --topic Geography/Storms
    lode lab feedback WEB --least 100 --repeat 3
    lode lab calibration WEB --least 100
    lode lab search WEB
    lode lab sites WEB --plot sites.png
    """


_COMMANDS = (
    calibration,
    collect,
    compare,
    expert,
    feedback,
    learn,
    measure,
    portal,
    search,
    sites,
)
for _command in _COMMANDS:
    command.add_command(_command)
