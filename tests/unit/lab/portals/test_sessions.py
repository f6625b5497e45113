"""Sessions of portals: tokens are used once and by their owner, and only so many are kept."""

from motherlode.lab.portals.sessions import COOKIE, MAX_KEPT, Sessions


def test_a_token_is_good_once_and_for_its_session_alone() -> None:
    sessions = Sessions("a.test")
    ann, bob = sessions.start(), sessions.start()
    assert ann != bob
    token = sessions.issue_token(ann)
    assert sessions.redeem(token, ann)
    assert not sessions.redeem(token, ann)
    assert not sessions.redeem(sessions.issue_token(ann), bob)
    assert not sessions.redeem("", "")


def test_the_oldest_tokens_and_queries_are_forgotten() -> None:
    sessions = Sessions("a.test")
    session = sessions.start()
    tokens = [sessions.issue_token(session) for _ in range(MAX_KEPT + 1)]
    names = [sessions.keep_query(session, {"q": str(n)}) for n in range(MAX_KEPT + 1)]
    assert not sessions.redeem(tokens[0], session)
    assert sessions.redeem(tokens[1], session)
    assert sessions.query(names[0], session) is None
    assert sessions.query(names[1], session) == {"q": "1"}
    assert sessions.query(names[1], sessions.start()) is None


def test_the_session_is_read_from_the_cookies() -> None:
    sessions = Sessions("a.test")
    session = sessions.start()
    assert sessions.session_of(f"a=b; {COOKIE}={session}; c=d") == session
    for cookies in ("", f"x{COOKIE}={session}", f"{COOKIE}=", f"{COOKIE}={session}00"):
        assert sessions.session_of(cookies) == ""
