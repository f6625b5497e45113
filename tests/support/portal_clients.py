"""A plain client for portals: forms as a browser would send them, cookies, redirects. It knows nothing of ours."""

import re
from collections.abc import Mapping
from http.client import HTTPConnection
from typing import NamedTuple
from urllib.parse import urlencode, urljoin, urlsplit

import turbohtml

from support.sandbox_clients import LOOPBACK, PATIENCE

BOUNDARY = "----a-boundary-that-no-value-has"
SKIPPED = {"submit", "reset", "image", "button"}


class WebForm(NamedTuple):
    """A form as it stands on a page."""

    page: str
    action: str
    method: str
    enctype: str
    fields: dict[str, str]  # every named control with its default


class WebPage(NamedTuple):
    """What came back in the end."""

    url: str
    status: int
    headers: dict[str, str]
    body: bytes
    encoding: str

    @property
    def text(self) -> str:
        return self.body.decode(self.encoding)

    @property
    def tree(self) -> turbohtml.Document:
        return turbohtml.parse(self.text)

    def forms(self) -> list[WebForm]:
        return [self._form(element) for element in self.tree.find_all("form")]

    def links(self, selector: str) -> list[str]:
        """The addresses of the links that a CSS selector names."""
        return [urljoin(self.url, attribute(link, "href")) for link in self.tree.select(selector)]

    def link_with_text(self, *texts: str) -> str | None:
        """The address of the first link whose text or label has one of the texts."""
        for link in self.tree.find_all("a"):
            label = f"{link.text} {attribute(link, 'aria-label')}"
            if any(text in label for text in texts):
                return urljoin(self.url, attribute(link, "href"))
        return None

    def _form(self, element: turbohtml.Element) -> WebForm:
        fields: dict[str, str] = {}
        for control in element.select("input, select, textarea, button"):
            name, kind = attribute(control, "name"), attribute(control, "type")
            if not name or kind in SKIPPED:
                continue
            if kind in ("radio", "checkbox") and "checked" not in control.attrs:
                fields.setdefault(name, "")
            else:
                fields[name] = attribute(control, "value")
        return WebForm(
            self.url,
            urljoin(self.url, attribute(element, "action") or self.url),
            (attribute(element, "method") or "get").upper(),
            attribute(element, "enctype") or "application/x-www-form-urlencoded",
            fields,
        )


def attribute(element: turbohtml.Element, name: str) -> str:
    """The value of an attribute; empty if there is none."""
    value = element.attrs.get(name)
    return value if isinstance(value, str) else ""


class PortalClient:
    """Asks the hosts of a sandbox on a port, and keeps their cookies."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.cookies: dict[str, str] = {}

    def get(self, url: str) -> WebPage:
        return self._ask("GET", url)

    def post(self, url: str, body: bytes, content_type: str) -> WebPage:
        return self._ask("POST", url, body, content_type)

    def submit(self, form: WebForm, values: Mapping[str, str], encoding: str = "utf-8") -> WebPage:
        """Send a form with its defaults, but these values."""
        fields = {name: text for name, text in {**form.fields, **values}.items() if text}
        if form.method == "GET":
            return self.get(f"{form.action}?{urlencode(fields, encoding=encoding)}")
        if form.enctype == "multipart/form-data":
            content_type = f"multipart/form-data; boundary={BOUNDARY}"
            return self.post(form.action, multipart(fields), content_type)
        return self.post(form.action, urlencode(fields, encoding=encoding).encode(), form.enctype)

    def _ask(
        self, method: str, url: str, body: bytes | None = None, content_type: str = ""
    ) -> WebPage:
        parts = urlsplit(url)
        headers = {"Host": parts.netloc}
        if content_type:
            headers["Content-Type"] = content_type
        if parts.netloc in self.cookies:
            headers["Cookie"] = self.cookies[parts.netloc]
        connection = HTTPConnection(LOOPBACK, self._port, timeout=PATIENCE)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        try:
            connection.request(method, target, body, headers)
            response = connection.getresponse()
            page = _page(url, response.status, dict(response.getheaders()), response.read())
        finally:
            connection.close()
        if cookie := page.headers.get("Set-Cookie"):
            self.cookies[parts.netloc] = cookie.partition(";")[0]
        if 300 <= page.status < 400:
            return self._ask("GET", urljoin(url, page.headers["Location"]))
        return page


def multipart(fields: Mapping[str, str]) -> bytes:
    """The body of a form in parts."""
    parts = (
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n'
        for name, text in fields.items()
    )
    return ("".join(parts) + f"--{BOUNDARY}--\r\n").encode()


def _page(url: str, status: int, headers: dict[str, str], body: bytes) -> WebPage:
    """The encoding is the header's, else the page's own."""
    declared = re.search(r"charset=([\w-]+)", headers.get("Content-Type", ""))
    inside = re.search(rb"(?i)charset=\"?([\w-]+)", body[:1000])
    own = inside[1].decode() if inside else "utf-8"
    return WebPage(url, status, headers, body, declared[1] if declared else own)
