"""Secrets of the server: the token, form tokens and login sessions."""

import hashlib
import hmac
import secrets

SESSION_SECONDS = 7 * 86_400.0
_MAX_EXPIRY_DIGITS = 12


class Keys:
    """The server's secret, and the form token and sessions derived from it.

    With a token, the secret is derived from it, so that users stay logged in across restarts.
    """

    def __init__(self, token: str = "") -> None:
        self._token = token.encode()
        self._secret = (
            hashlib.sha256(b"lode serve\0" + self._token).digest()
            if token
            else secrets.token_bytes(32)
        )
        self.form_token = self._digest("form")  # in every form; another site cannot read it

    @property
    def needs_login(self) -> bool:
        return bool(self._token)

    def is_token(self, text: str) -> bool:
        return self.needs_login and hmac.compare_digest(text.encode(errors="replace"), self._token)

    def is_form_token(self, text: str) -> bool:
        return hmac.compare_digest(text.encode(errors="replace"), self.form_token.encode())

    def new_session(self, now: float) -> str:
        """Return the value of a login cookie, which holds its time of expiry."""
        expires = str(int(now + SESSION_SECONDS))
        return f"{expires}.{self._digest(f'session {expires}')}"

    def is_session(self, text: str, now: float) -> bool:
        expires, _, digest = text.partition(".")
        if not expires.isascii() or not expires.isdigit() or len(expires) > _MAX_EXPIRY_DIGITS:
            return False
        if int(expires) < now:
            return False
        expected = self._digest(f"session {expires}")
        return hmac.compare_digest(digest.encode(errors="replace"), expected.encode())

    def _digest(self, purpose: str) -> str:
        return hmac.new(self._secret, purpose.encode(), hashlib.sha256).hexdigest()
