"""The two figures of the paper from a path report, side by side (SPEC T5)."""

from pathlib import Path

from motherlode.lab.trials.plots import Panel, plot_panels
from motherlode.policies.tunnel.paths import PathReport


def plot_paths(report: PathReport, target: Path) -> None:
    """Plot which duds lead to nuggets, and the mean correlation by distance."""
    history = {
        f"parent {words}": [
            (row.grandparent, row.share) for row in report.history if row.parent == kind
        ]
        for kind, words in (("low", "up to 0.25"), ("high", "above 0.25"))
    }
    distances = [(float(row.distance), row.mean) for row in report.distances]
    panels = (
        Panel(
            "Nuggets behind duds",
            "correlation of the grandparent",
            "share of nuggets",
            {name: points for name, points in history.items() if points},
        ),
        Panel(
            "Correlation by distance",
            "distance from the last nugget",
            "mean correlation",
            {"all pages": distances} if distances else {},
        ),
    )
    plot_panels(panels, target, title="Paths between nuggets")
