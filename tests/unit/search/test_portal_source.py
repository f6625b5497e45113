"""Another portal's index as a search source."""

import shutil
from pathlib import Path

from motherlode.portal import Portal
from motherlode.search.indexer import update_index
from support.search_services import SearchService, asked
from support.training_webs import planted


def test_a_portal_is_searched_by_its_index(finished_birds: Path, tmp_path: Path) -> None:
    path = shutil.copytree(finished_birds / "birds", tmp_path / "birds")
    with Portal.reading(path) as portal:
        update_index(portal)
    service = SearchService({})
    answer = asked(f"portal:{path}", service, query="owls AND: (hunting", wanted=3)
    assert answer.problems == ()
    assert len(answer.hits) == 3
    assert all(hit.url.startswith("http://") and hit.title and hit.snippet for hit in answer.hits)
    assert service.requests == []
    assert asked(f"portal:{path}", service, query="zyzzyva").hits == ()


def test_a_portal_without_an_index_is_said_with_the_remedy(tmp_path: Path) -> None:
    path = planted(tmp_path / "p", {"owls": ["http://a.test/"]})
    (problem,) = asked(f"portal:{path}", SearchService({})).problems
    assert f"'lode index {path}' makes one" in problem


def test_what_is_no_portal_is_said(tmp_path: Path) -> None:
    (problem,) = asked(f"portal:{tmp_path / 'x'}", SearchService({})).problems
    assert "cannot be searched" in problem
    assert "does not exist" in problem
