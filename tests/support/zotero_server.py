"""A small Zotero for tests, by the published shapes of its API; it runs on loopback in a thread."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

SERVER_ID = "6LpvURP2E933"
KEY = "k" * 24


class FakeZotero:
    """What the server holds and what it was asked. `remembers` is what its user has clicked."""

    def __init__(self) -> None:
        self.collections: list[dict[str, Any]] = []
        self.items: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.url = ""
        self.is_enabled = True
        self.is_writable = True
        self.is_allowed = True
        self.remembers = True
        self.refused_title = ""

    def add_collection(self, key: str, name: str, parent: str = "") -> None:
        data = {"key": key, "version": 1, "name": name, "parentCollection": parent or False}
        self.collections.append({"key": key, "version": 1, "data": data})

    def add_item(self, key: str, **data: Any) -> None:
        self.items.append({"key": key, "version": 1, "data": {"key": key, "version": 1, **data}})

    def titles(self) -> list[str]:
        return [item["data"]["title"] for item in self.items if "title" in item["data"]]

    def get(self, path: str, query: dict[str, list[str]]) -> tuple[int, Any, dict[str, str]]:
        """Return status, JSON and headers of a page of objects."""
        if not self.is_enabled:
            return 403, "Local API is not enabled", {}
        headers = {"Zotero-Server-ID": SERVER_ID} if self.is_writable else {}
        if path == "/api/":
            return 200, {}, headers
        kind = path.rpartition("/")[2]
        if path != f"/api/users/0/{kind}" or kind not in ("items", "collections"):
            return 404, "Not found", headers
        values = self.items if kind == "items" else self.collections
        start, limit = int(query["start"][0]), int(query["limit"][0])
        return 200, values[start : start + limit], headers | {"Total-Results": str(len(values))}

    def post(self, path: str, headers: Any, body: Any) -> tuple[int, Any]:
        if headers["Zotero-Server-ID"] != SERVER_ID:
            return 428, "Zotero-Server-ID not provided"
        if path == "/api/local/authorize":
            return self._authorize(body)
        if headers["Zotero-API-Key"] != KEY:
            return 401, "Unauthorized"
        return 200, self._write(path.rpartition("/")[2], body)

    def _authorize(self, body: Any) -> tuple[int, Any]:
        if not self.is_allowed:
            return 403, {"denied": True}
        assert body["appName"] == "Motherlode"
        return 200, {"key": KEY, "remember": self.remembers}

    def _write(self, kind: str, values: list[dict[str, Any]]) -> Any:
        assert 0 < len(values) <= 50
        successful: dict[str, Any] = {}
        failed: dict[str, Any] = {}
        for number, data in enumerate(values):
            if self.refused_title and data.get("title") == self.refused_title:
                failed[str(number)] = {"code": 400, "message": "That is no title"}
                continue
            key = f"NEW{len(self.items) + len(self.collections):05}"
            entry = {"key": key, "version": 2, "data": {"key": key, **data}}
            (self.items if kind == "items" else self.collections).append(entry)
            successful[str(number)] = entry
        keys = {number: entry["key"] for number, entry in successful.items()}
        return {"successful": successful, "success": keys, "unchanged": {}, "failed": failed}


@contextmanager
def zotero_server() -> Iterator[FakeZotero]:
    """A Zotero for as long as the block lasts."""
    zotero = FakeZotero()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            zotero.paths.append(self.path)
            parts = urlsplit(self.path)
            status, value, headers = zotero.get(parts.path, parse_qs(parts.query))
            self._answer(status, value, headers)

        def do_POST(self) -> None:
            zotero.paths.append(self.path)
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            assert self.headers["Content-Type"] == "application/json"
            self._answer(*zotero.post(self.path, self.headers, body), {})

        def _answer(self, status: int, value: Any, headers: dict[str, str]) -> None:
            body = json.dumps(value).encode()
            self.send_response(status)
            for name, text in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, text)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        zotero.url = f"http://127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        try:
            yield zotero
        finally:
            server.shutdown()
