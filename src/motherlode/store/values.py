"""Text and numbers that both databases take, whatever a page brought."""

_WRAP = 1 << 64
_SIGN = 1 << 63


def storable(text: str) -> str:
    """The text with what no database keeps, NUL and lone surrogates, as U+FFFD."""
    if not text.isascii():
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\x00", "\ufffd") if "\x00" in text else text


def all_storable(texts: list[str]) -> list[str]:
    """The same of many texts, such as the anchors of pages, which seldom need it."""
    try:
        is_needed = b"\x00" in "".join(texts).encode()
    except UnicodeEncodeError:  # half a character
        is_needed = True
    return list(map(storable, texts)) if is_needed else texts


def signed(number: int) -> int:
    """A 64-bit fingerprint as the signed integer with the same bits."""
    number %= _WRAP
    return number - _WRAP if number >= _SIGN else number
