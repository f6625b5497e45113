"""`lode lab`: how good is a crawl? Policies side by side on a web whose truth is known; measures of a run.

One module a command; `options` and `output` are what they share.
"""

import click

from motherlode.app.cli.commands.lab.compare import compare
from motherlode.app.cli.commands.lab.expert import expert
from motherlode.app.cli.commands.lab.learn import learn
from motherlode.app.cli.commands.lab.measure import measure
from motherlode.app.cli.commands.lab.portal import portal
from motherlode.app.cli.commands.lab.search import search


@click.group("lab")
def command() -> None:
    """Compare policies on a web whose truth is known, and measure what a crawl was worth.

    WEB is a directory, as for 'lode sandbox'. Every command takes --json; compare and measure take --plot.

    \b
    lode lab compare WEB --topic Science/Chemistry --pages 1000
    lode lab compare WEB --topic Mathematics --policies best-first,oracle --repeat 3 --plot curves.png
    lode lab learn WEB --examples 2,5 --repeat 1
    lode lab portal WEB --topic Science --pages 5%,20%
    lode lab expert WEB --topic Geography/Storms
    lode lab search WEB
    """


for _one in (compare, expert, learn, measure, portal, search):
    command.add_command(_one)
