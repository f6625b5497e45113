"""`about.toml`: plans go round, and what is wrong in the file is said in one sentence."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from motherlode.lab.description import FILE, Description, WebPlan, read_description, write_plan
from motherlode.records import BadInputError

PLANS = st.builds(
    lambda seed, hosts, more, misbehaving: WebPlan(
        seed, max(20, 3 * hosts) + more, hosts, misbehaving
    ),
    st.integers(0, 2**63 - 1),
    st.integers(4, 10**8),
    st.integers(0, 9 * 10**9),
    st.floats(0, 1),
)
WRONG = {
    "an unknown key": "[generated]\nsed = 1",
    "a key with a line break": '[generated]\n"a\\nb" = 1',
    "a text for a number": '[generated]\nseed = "1"',
    "a fraction": "[generated]\npages = 3000.5",
    "a truth": "[generated]\nhosts = true",
    "not a number": "[generated]\nmisbehaving = nan",
    "more than all": "[generated]\nmisbehaving = 1.5",
    "a negative seed": "[generated]\nseed = -1",
    "too large a seed": "[generated]\nseed = 9223372036854775808",
    "too few pages": "[generated]\npages = 19\nhosts = 4",
    "too few hosts": "[generated]\nhosts = 3",
    "fewer than three pages a host": "[generated]\npages = 29\nhosts = 10",
    "no table": "generated = 1",
    "a wrong habit": "[misbehaviour]\na = 1",
    "a wrong name": "name = 1",
    "broken TOML": "[generated\nseed = 1",
    "the same key twice": "name = 'a'\nname = 'b'",
    "TOML too deep": "x = " + "[" * 5000,
}


@given(plan=PLANS)
def test_a_plan_is_read_back_as_it_was_written(
    plan: WebPlan, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("web") / "new"
    write_plan(folder, plan)
    assert read_description(folder) == Description(generated=plan)


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_file_is_refused_in_one_sentence_that_names_it(name: str, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(WRONG[name])
    with pytest.raises(BadInputError) as refused:
        read_description(tmp_path)
    said = str(refused.value)
    assert said.startswith(str(tmp_path / FILE))
    assert said.endswith(".")
    assert "\n" not in said


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"name = '\xff'")
    with pytest.raises(BadInputError, match="cannot be read"):
        read_description(tmp_path)
    (tmp_path / "folder" / FILE).mkdir(parents=True)
    with pytest.raises(BadInputError, match="cannot be read"):
        read_description(tmp_path / "folder")


def test_a_web_may_say_nothing_of_itself_or_more_than_is_known(tmp_path: Path) -> None:
    assert read_description(tmp_path) == Description()
    (tmp_path / FILE).write_bytes(b"\xef\xbb\xbfname = 'Owls'\r\nplanned = 3\r\n[generated]\r\n")
    assert read_description(tmp_path) == Description(name="Owls", generated=WebPlan())


def test_a_directory_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    write_plan(tmp_path / "web", WebPlan())
    with pytest.raises(BadInputError, match="is not empty"):
        write_plan(tmp_path / "web", WebPlan(seed=2))
    assert read_description(tmp_path / "web").generated == WebPlan()


def test_a_plan_cannot_be_written_where_a_file_is(tmp_path: Path) -> None:
    (tmp_path / "web").write_text("")
    with pytest.raises(BadInputError, match="cannot be written"):
        write_plan(tmp_path / "web", WebPlan())


def test_a_plan_that_could_not_be_read_back_is_not_written(tmp_path: Path) -> None:
    for plan in (
        WebPlan(seed=2**63),
        WebPlan(pages=10**11),
        WebPlan(pages=10**9 * 9, hosts=2 * 10**8),
    ):
        with pytest.raises(BadInputError, match=r"^This web cannot be made: .*\.$"):
            write_plan(tmp_path / "web", plan)
    assert not (tmp_path / "web").exists()


def test_the_first_pattern_that_fits_a_host_tells_its_habit() -> None:
    description = Description(misbehaviour={"www.*": "stall", "*.test": "reset"})
    assert [description.habit_of(host) for host in ("www.a.test", "a.test", "a.org")] == [
        "stall",
        "reset",
        "",
    ]
