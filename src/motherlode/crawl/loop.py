"""The crawl: the life of a page from the frontier to the database, the same for every policy.

1. The scheduler takes the best entry whose host may be requested now, and leases it in memory
   (`crawl.scheduler`, `frontier`).
2. The fetcher returns a response, or a failure whose kind decides about retries (`stages.fetch`).
3. A worker process turns the response into a document: text, terms, links (`stages.read`).
4. The policy judges the document (`stages.decide`, `crawl.decisions`).
5. The policy steers: which links to follow, into which queue, at which rank.
6. The writer commits the page, its links, its judgement and the changes of the frontier in one
   transaction, and the lease ends (`stages.write`).
7. When it is due, retraining learns from the store in a separate process (`crawl.retraining`).
8. The crawl ends when a limit is reached, nothing waits, the policy has enough, or the user
   stops it (`crawl.termination`).
9. Search, export and explain read committed pages at any time.

Kill the process anywhere, and nothing is lost; take the database away for a while, and the crawl
waits for it.
"""

from motherlode.crawl.context import CrawlContext
from motherlode.crawl.progress import Limits, Progress
from motherlode.crawl.supervisor import Supervisor
from motherlode.fetch import Web
from motherlode.policies.policy import Policy
from motherlode.portal import Portal
from motherlode.workers.cpu_priority import batch_scheduling
from motherlode.workers.gc_settings import rare_gc


async def crawl(
    portal: Portal, web: Web, policy: Policy, limits: Limits, context: CrawlContext | None = None
) -> Progress:
    """Crawl until a reason to end (see above, step 8), and return the final progress."""
    with rare_gc(), batch_scheduling():
        return await Supervisor(portal, web, policy, limits, context or CrawlContext()).run()
