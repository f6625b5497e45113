"""The event loop of a crawl."""

import resource
import subprocess
import sys

WORK = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (256, {hard}))
from motherlode.fetch.event_loop import run
async def limits(): return resource.getrlimit(resource.RLIMIT_NOFILE)
print(run(limits())[0])
"""


def limit_within(hard: int) -> int:
    told = subprocess.run(
        [sys.executable, "-c", WORK.format(hard=hard)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return int(told.stdout)


def test_a_crawl_may_open_as_many_files_as_it_takes() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    most = 16_384 if hard == resource.RLIM_INFINITY else min(16_384, hard)
    assert limit_within(hard) == most
    assert limit_within(300) == 300
