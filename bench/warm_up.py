"""Read the warm-up pages on import, as our fork server does before its first fork."""

from motherlode.documents.analysis import Manner, analyse
from motherlode.workers.document_reader import WARM_UP_PAGES

for page in WARM_UP_PAGES:
    analyse(page, Manner())
