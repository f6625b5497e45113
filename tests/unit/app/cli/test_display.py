"""A crawl as it is shown: live, in lines, on narrow terminals, with hostile names."""

from io import StringIO
from time import time

import pytest
from msgspec.structs import replace
from rich.console import Console

from motherlode.app.cli.display import (
    Display,
    PipeSafeConsole,
    end_reason,
    failures,
    line,
    time_left,
)
from motherlode.crawl.progress import UNLIMITED_PAGES, Idle, Limits, Progress
from motherlode.policies.kind import topic_queues
from motherlode.records import ROOT, QueueId, RunEnd, Topic, TopicId
from motherlode.topics import TopicTree

BIRDS, OWLS = TopicId(2), TopicId(3)
TREE = TopicTree(
    [
        Topic(ROOT, None, ""),
        Topic(BIRDS, ROOT, "birds"),
        Topic(OWLS, BIRDS, "ow[red]ls\x1b[2J\u202e"),
    ]
)
FAR = Progress(
    pages=500,
    failed=3,
    hosts=40,
    seconds=10.0,
    relevant=250,
    waiting=1_200,
    under_way=8,
    topics={BIRDS: 200, OWLS: 50},
    queues={QueueId(BIRDS): 1_000, QueueId(OWLS): 200, QueueId(7): 30, QueueId(8): 4},
    queue_names={**topic_queues(TREE), QueueId(7): "level 7"},
    errors={"not there": 2, "stalled": 1},
    phase="harvesting",
    retrainings=4,
)
LIMITS = Limits(1_000)


def shown(progress: Progress, width: int = 100, height: int = 30, tree: TopicTree = TREE) -> str:
    out = StringIO()
    console = Console(
        file=out,
        force_terminal=True,
        width=width,
        height=height,
        color_system=None,
        legacy_windows=False,
    )
    with Display(tree, LIMITS, quiet=False, console=console) as display:
        display.say("Crawling ...")
        display.update(progress)
    return out.getvalue()


class Gone(StringIO):
    """A pipe whose reader has seen enough, after one line."""

    def write(self, text: str) -> int:
        if "\n" in self.getvalue():
            raise BrokenPipeError
        return super().write(text)


@pytest.mark.parametrize("live", [True, False])
def test_a_crawl_goes_on_though_nobody_listens(*, live: bool) -> None:
    out = Gone()
    console = PipeSafeConsole(file=out, force_terminal=live, width=80, color_system=None)
    with Display(TREE, LIMITS, quiet=False, console=console) as display:
        display.say("Crawling ...")
        for seconds in range(3, 30, 3):
            display.update(replace(FAR, seconds=float(seconds)))
        display.say("More ...")
    assert "More" not in out.getvalue()


def told(*reports: Progress, limits: Limits = LIMITS) -> list[str]:
    out = StringIO()
    with Display(
        TREE, limits, quiet=False, console=Console(file=out, width=40, soft_wrap=True)
    ) as display:
        for progress in reports:
            display.update(progress)
    return out.getvalue().splitlines()


def test_a_terminal_shows_everything_at_a_glance() -> None:
    text = shown(FAR)
    for part in (
        "harvesting, 0:10: 500 pages, 50 pages/s, about 0:10 left",
        "on a topic 250 (harvest rate 0.50)",
        "40 hosts, 8 under way, 1,200 waiting",
        "4 retrainings",
        "errors 3: not there 2, stalled 1",
    ):
        assert part in text
    rows = [row.split() for row in text.splitlines()]
    assert ["birds", "200", "1,000"] in rows
    assert ["level", "7", "0", "30"] in rows  # a queue of no topic, as its policy calls it
    assert ["on", "none", "0", "4"] in rows


def test_names_steer_neither_the_terminal_nor_its_colours() -> None:
    text = shown(FAR)
    assert "birds/ow[red]ls\ufffd[2J\ufffd" in text
    assert "\x1b[2J" not in text


@pytest.mark.parametrize("width", [1, 2, 5, 10, 20, 40])
@pytest.mark.parametrize("height", [1, 3, 10])
def test_a_narrow_terminal_is_not_overrun(width: int, height: int) -> None:
    idle = Idle(time() + 60, "3 wait for hosts that rest")
    with_idle = Progress(
        **{name: getattr(FAR, name) for name in FAR.__struct_fields__} | {"idle": idle}
    )
    assert shown(with_idle, width, height)


def test_of_many_topics_the_fullest_are_shown() -> None:
    many = [Topic(TopicId(n), ROOT, f"topic{n}") for n in range(2, 102)]
    tree = TopicTree([Topic(ROOT, None, ""), *many])
    text = shown(
        Progress(pages=9, seconds=1.0, topics={t.id: t.id for t in many}), height=20, tree=tree
    )
    assert "topic101 " in text
    assert "topic50 " not in text
    assert "and 91 topics more" in text


def test_why_nothing_can_be_fetched_is_shown_until_it_can() -> None:
    assert "Nothing can be fetched before" in shown(Progress(idle=Idle(time() + 90, "2 wait")))
    assert "Nothing" not in shown(Progress(idle=Idle(time() + 0.5, "2 wait")))


# --- lines ----------------------------------------------------------------------------------------------


def test_elsewhere_there_is_a_line_now_and_then_and_one_at_the_end() -> None:
    seconds = [n / 4 for n in range(40)]
    reports = [Progress(pages=n, seconds=at) for n, at in enumerate(seconds)]
    lines = told(*reports, Progress(pages=40, seconds=9.8, end="done"))
    assert len(lines) == 5
    assert "40 pages" in lines[-1]


def test_elsewhere_it_is_said_once_until_when_and_why_nothing_happens() -> None:
    idle = Idle(time() + 100, "2 wait for hosts that rest")
    reports = [Progress(seconds=float(at), idle=idle) for at in range(0, 30, 3)]
    said = [one for one in told(*reports) if "Nothing can be fetched" in one]
    assert len(said) == 1
    assert said[0].endswith("(in 1:40): 2 wait for hosts that rest.")


def test_what_waits_after_errors_says_which() -> None:
    idle = Idle(time() + 100, "2 wait for another attempt")
    errors = {"connection refused": 2, "timed out": 9}
    said = told(Progress(seconds=3.0, idle=idle, errors=errors))[0]
    assert said.endswith(
        "2 wait for another attempt; errors so far: timed out 9, connection refused 2."
    )


def test_quiet_is_quiet() -> None:
    out = StringIO()
    with Display(
        TREE, LIMITS, quiet=True, console=Console(file=out, force_terminal=True)
    ) as display:
        display.say("Something")
        display.update(FAR)
    assert out.getvalue() == ""


def test_a_line_has_the_figures() -> None:
    assert line(FAR, LIMITS) == (
        "harvesting: 500 pages from 40 hosts, 50 pages/s, 250 on a topic (0.50), 8 under way, 1,200 waiting, "
        "2 not there (404), 1 failed, 4 retrainings, 0:10 left"
    )


@pytest.mark.parametrize(
    ("limits", "left"),
    [
        (Limits(1_000), 10.0),
        (Limits(1_000, seconds=15.0), 5.0),
        (Limits(UNLIMITED_PAGES, seconds=3_600.0), 3_590.0),
        (Limits(UNLIMITED_PAGES), None),
        (Limits(100), 0.0),
    ],
)
def test_the_time_left_is_that_of_the_limit_that_is_reached_first(
    limits: Limits, left: float | None
) -> None:
    assert time_left(FAR, limits) == left


@pytest.mark.parametrize(
    ("failed", "errors", "expected"),
    [
        (0, {}, "0 failed"),
        (3, {}, "3 failed"),
        (4_004, {"not there": 4_004}, "4,004 not there (404), 0 failed"),
        (5, {"not there": 2, "timed out": 9}, "2 not there (404), 3 failed"),
        (1, {"not there": 2}, "1 not there (404), 0 failed"),  # the other is not given up yet
    ],
)
def test_urls_that_lead_to_no_page_are_told_from_failures(
    failed: int, errors: dict[str, int], expected: str
) -> None:
    assert failures(Progress(failed=failed, errors=errors)) == expected


@pytest.mark.parametrize("quiet", [False, True])
def test_what_is_to_be_installed_is_said_once(
    quiet: bool,  # noqa: FBT001 - a parameter
    capsys: pytest.CaptureFixture[str],
) -> None:
    out, words = StringIO(), ("Install a.", "Install b.")
    far = [Progress(seconds=0.1 * number, advice=words[:number]) for number in range(4)]
    console = Console(file=out, width=40, soft_wrap=True)
    with Display(TREE, LIMITS, quiet=quiet, console=console) as display:
        for progress in [*far, replace(far[-1], end="done")]:
            display.update(progress)
    said = capsys.readouterr().err if quiet else out.getvalue()
    assert [line for line in said.splitlines() if "Install" in line] == ["Install a.", "Install b."]
    assert (out.getvalue() == "") is quiet


def test_at_the_end_nobody_waits_any_more() -> None:
    idle = Idle(time() + 100, "1 waits for another attempt")
    assert not any(
        "Nothing can be fetched" in said for said in told(Progress(idle=idle, end="page limit"))
    )


def test_why_nothing_happens_is_told_in_full_on_a_narrow_terminal() -> None:
    out = StringIO()
    outlet = PipeSafeConsole(
        file=out, force_terminal=True, width=60, height=30, color_system=None, soft_wrap=True
    )
    why = "3 wait for hosts that rest, 1 waits for another attempt"
    with Display(TREE, LIMITS, quiet=False, console=outlet) as display:
        display.update(Progress(idle=Idle(time() + 90, why)))
    assert "attempt." in out.getvalue()  # its last word


def test_a_crawl_for_sites_ends_for_reasons_of_its_own() -> None:
    enough = Progress(end=RunEnd.ENOUGH, waiting=3, summary="9 sites examined")
    assert end_reason(enough).startswith("enough relevant sites are found")
    done = replace(enough, end=RunEnd.DONE, waiting=0)
    assert end_reason(done) == "no site is left to examine"
    assert end_reason(replace(done, summary="")) == "all URLs that were found are fetched"
