"""Lists of results in pages: their records, the link to the next page, and empty answers.

What asks for such pages, and where their forms lead, belongs to `sources`.
"""

from motherlode.documents.result_lists.best_group import Place
from motherlode.documents.result_lists.density import DensityOptions, densest_links
from motherlode.documents.result_lists.empty_answers import says_nothing_found
from motherlode.documents.result_lists.next_page import find_next_page
from motherlode.documents.result_lists.reader import ResultList, ResultRecord, read_result_list

__all__ = [
    "DensityOptions",
    "Place",
    "ResultList",
    "ResultRecord",
    "densest_links",
    "find_next_page",
    "read_result_list",
    "says_nothing_found",
]
