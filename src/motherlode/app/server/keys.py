"""What only this server can make, and what a visitor shows who has been here or knows the token."""

import hashlib
import hmac
import secrets

WEEK = 7 * 86_400.0


class Keys:
    """The server's secret, and what is made of it.

    With a token the secret comes from it, so that people stay logged in when the server is started again.
    """

    def __init__(self, token: str = "") -> None:
        self._token = token.encode()
        self._secret = (
            hashlib.sha256(b"lode serve\0" + self._token).digest() if token else secrets.token_bytes(32)
        )
        self.form = self._made("form")  # in every form; another site cannot read it

    @property
    def needs_login(self) -> bool:
        return bool(self._token)

    def is_token(self, said: str) -> bool:
        return self.needs_login and hmac.compare_digest(said.encode(errors="replace"), self._token)

    def is_form(self, said: str) -> bool:
        return hmac.compare_digest(said.encode(errors="replace"), self.form.encode())

    def session(self, now: float) -> str:
        """What a browser keeps after a login; it says until when it holds."""
        until = str(int(now + WEEK))
        return f"{until}.{self._made(f'session {until}')}"

    def is_session(self, said: str, now: float) -> bool:
        until, _, made = said.partition(".")
        if not until.isascii() or not until.isdigit() or len(until) > 12 or int(until) < now:  # noqa: PLR2004
            return False
        expected = self._made(f"session {until}")
        return hmac.compare_digest(made.encode(errors="replace"), expected.encode())

    def _made(self, purpose: str) -> str:
        return hmac.new(self._secret, purpose.encode(), hashlib.sha256).hexdigest()
