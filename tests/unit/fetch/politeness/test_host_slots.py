"""Whose turn it is, against a model that looks at everything every time."""

from hypothesis import given
from hypothesis import strategies as st

from motherlode.fetch.options import PolitenessOptions
from motherlode.fetch.politeness.host_slots import Turns

options = st.builds(
    PolitenessOptions, host_connections=st.integers(1, 2), domain_connections=st.integers(1, 3)
)
HOSTS = {"a.x": "x", "b.x": "x", "c.y": "y"}

actions = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sampled_from(sorted(HOSTS)), st.integers(0, 9)),
        st.tuples(st.just("take"), st.none(), st.integers(0, 3)),
        st.tuples(st.just("done"), st.integers(0, 9), st.integers(-1, 3)),
        st.tuples(st.just("hold"), st.sampled_from(sorted(HOSTS)), st.integers(0, 4)),
    ),
    max_size=60,
)


class Model:
    """Everything that waits in one list."""

    def __init__(self, options: PolitenessOptions) -> None:
        self.options = options
        self.waiting: list[tuple[int, int, str]] = []  # rank, number, host
        self.under_way: list[str] = []
        self.not_before = dict.fromkeys(HOSTS, 0.0)
        self.spaced = dict.fromkeys(HOSTS, 0.0)
        self.pace: dict[str, int] = {}

    def allowed(self, host: str, now: float) -> bool:
        domain = sum(HOSTS[other] == HOSTS[host] for other in self.under_way)
        most = self.options.host_connections if host in self.pace else 1
        free = self.under_way.count(host) < most and domain < self.options.domain_connections
        return free and max(self.not_before[host], self.spaced[host]) <= now

    def give(self, entry: tuple[int, int, str], now: float) -> None:
        host = entry[2]
        assert self.allowed(host, now)
        self.waiting.remove(entry)
        self.under_way.append(host)
        if host in self.pace:
            self.spaced[host] = now + self.pace[host]

    def done(self, place: int, now: float, rest: int | None) -> str:
        host = self.under_way.pop(place % len(self.under_way))
        if rest is not None:
            self.pace[host] = rest
            self.not_before[host] = max(self.not_before[host], now + rest)
        elif host not in self.under_way:
            self.spaced[host] = 0.0
        return host

    def forget(self, now: float) -> None:
        """Whoever has rested and has nothing to do is a stranger again."""
        busy = {*self.under_way, *(host for _, _, host in self.waiting)}
        for host in HOSTS.keys() - busy:
            if max(self.not_before[host], self.spaced[host]) <= now:
                self.pace.pop(host, None)

    def best(self, now: float) -> int | None:
        """The best rank among those who may be asked."""
        return max(
            (rank for rank, _, host in self.waiting if self.allowed(host, now)), default=None
        )


@given(options, actions)
def test_the_best_entry_that_may_be_asked_is_taken_and_no_other(
    options: PolitenessOptions,
    actions: list[tuple[str, object, int]],
) -> None:
    turns: Turns[tuple[int, int, str]] = Turns(options)
    model, now = Model(options), 0.0
    for number, (what, which, figure) in enumerate(actions):
        if what == "add":
            entry = (figure, number, str(which))
            model.waiting.append(entry)
            turns.add(entry, figure, str(which), HOSTS[str(which)])
        elif what == "take":
            now += figure
            model.forget(now)
            taken = turns.take(now)
            assert (taken and taken[0]) == model.best(now)
            if taken:
                model.give(taken, now)
        elif what == "done" and model.under_way:
            rest = None if figure < 0 else figure  # None: it was not asked
            turns.done(model.done(int(str(which)), now, rest), now, rest)
        elif what == "hold" and any(host == which for _, _, host in model.waiting):
            model.not_before[str(which)] = max(model.not_before[str(which)], now + figure)
            turns.hold(str(which), now + figure)
        assert len(turns) == len(model.waiting)


def test_hosts_of_one_domain_share_its_connections() -> None:
    turns: Turns[int] = Turns(PolitenessOptions(host_connections=2, domain_connections=3))
    for number in range(8):
        turns.add(number, 0.0, f"h{number % 4}.x", "x")
    assert [turns.take(0.0) is not None for _ in range(4)] == [True, True, True, False]


def test_two_connections_are_no_reason_to_ask_twice_in_one_rest() -> None:
    """The second is for hosts that take long to answer."""
    turns: Turns[int] = Turns(PolitenessOptions(host_connections=2))
    for number in range(5):
        turns.add(number, 0.0, "a.test", "a.test")
    assert (turns.take(0.0), turns.take(0.5)) == (
        0,
        None,
    )  # nobody knows yet how long it wants to rest
    turns.done("a.test", 1.0, 5.0)
    assert (turns.take(5.0), turns.take(6.0)) == (None, 1)
    assert (turns.take(10.0), turns.take(11.0), turns.take(20.0)) == (None, 2, None)


def test_whoever_was_not_asked_needs_no_rest() -> None:
    turns: Turns[int] = Turns(PolitenessOptions(host_connections=2))
    for number in range(3):
        turns.add(number, 0.0, "a.test", "a.test")
    turns.take(0.0)
    turns.done("a.test", 0.0, 5.0)
    assert turns.take(5.0) == 1
    turns.done("a.test", 5.0, None)
    assert turns.take(5.0) == 2


def test_everything_is_given_out_in_the_end() -> None:
    turns: Turns[int] = Turns(PolitenessOptions(delay=1.0))
    for number in range(300):
        turns.add(number, float(number % 7), f"h{number % 20}.test", f"d{number % 5}.test")
    given_out: list[int] = []
    busy: list[str] = []
    now = 0.0
    while len(given_out) < 300:
        while (entry := turns.take(now)) is not None:
            given_out.append(entry)
            busy.append(f"h{entry % 20}.test")
        for host in busy:
            turns.done(host, now, 1.0)
        busy = []
        now = turns.next_at() or now + 1
    assert sorted(given_out) == list(range(300))
    assert now <= 15.0  # fifteen entries a host, a second between


def test_hosts_that_have_rested_and_have_nothing_to_do_are_forgotten() -> None:
    turns: Turns[int] = Turns(PolitenessOptions())
    for number in range(1000):
        turns.add(number, 0.0, f"h{number}.test", f"h{number}.test")
        assert turns.take(float(number)) == number
        turns.done(f"h{number}.test", float(number), 10.0)
        assert len(turns._hosts) <= 11
    assert turns.take(2000.0) is None
    assert len(turns._hosts) == len(turns._domains) == len(turns._resting) == 0


def test_what_waits_can_be_had_back() -> None:
    turns: Turns[int] = Turns(PolitenessOptions())
    for number in range(5):
        turns.add(number, 0.0, "a.test", "a.test")
    turns.take(0.0)
    assert sorted(turns.drain()) == [1, 2, 3, 4]
    assert (len(turns), turns.take(9.0)) == (0, None)
