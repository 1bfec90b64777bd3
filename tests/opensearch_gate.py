"""A gate before the real node of OpenSearch: it lets through, or does what a healthy node cannot be made to do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any
from urllib.parse import quote, urlencode

import opensearch_server
from lucene_shard import Json
from lucene_wire import Wire

INDEX = "/rove_one-1"


class Gate(Wire):
    """Passwords, TLS, delays, a line that breaks and refusals are the gate's; all else is the node's own answer."""

    product = "opensearch"

    def __init__(self) -> None:
        super().__init__()
        self.node = opensearch_server.started()

    def reply(self, handler: Any, path: str, params: dict[str, str], body: bytes) -> tuple[int, Json]:
        """See `Wire.reply`."""
        target = f"{path}?{urlencode(params)}" if params else path
        kind = handler.headers.get("content-type", "")
        if path.endswith("_bulk"):
            return self._bulk_in_part(target, kind, body)
        return self._passed(handler.command, target, kind, body)

    def _passed(self, method: str, target: str, kind: str, body: bytes) -> tuple[int, Json]:
        line = HTTPConnection("localhost", self.node.port, timeout=120)
        try:
            line.request(method, target, body or None, {"content-type": kind} if body else {})
            reply = line.getresponse()
            return reply.status, json.loads(reply.read() or b"{}")
        except OSError as error:
            raise ConnectionResetError from error
        finally:
            line.close()

    def _bulk_in_part(self, target: str, kind: str, body: bytes) -> tuple[int, Json]:
        """What `refuse` refuses is not let through; the node answers for the rest."""
        lines, let, answers = body.split(b"\n")[:-1], list[bytes](), list[Json | None]()
        while lines:
            action = lines.pop(0)
            source = lines.pop(0) if b'{"index"' in action else None
            refused = self.refuse(json.loads(source)) if source else None
            if refused:
                status, words = refused
                answers.append({"index": {"status": status, "error": {"type": words, "reason": "refused by the test"}}})
            else:
                let += [action] if source is None else [action, source]
                answers.append(None)
        if not let:
            return 200, {"errors": True, "items": answers}
        status, reply = self._passed("POST", target, kind, b"\n".join([*let, b""]))
        own = iter(reply.get("items", []))
        return status, {**reply, "items": [one or next(own, {}) for one in answers]}

    def held(self, name: str = "rove_one") -> list[str]:
        """See `Wire.held`."""
        asked = {"size": 10_000, "query": {"match_all": {}}, "_source": False, "docvalue_fields": ["chunk_id"]}
        self.node.ask("POST", f"/{name}-1/_refresh")
        found: Any = self.node.ask("POST", f"/{name}-1/_search", asked)
        return sorted(hit["fields"]["chunk_id"][0] for hit in found["hits"]["hits"])

    def unmerged(self) -> int:
        """See `Wire.unmerged`."""
        stats: Any = self.node.ask("GET", f"{INDEX}/_stats/docs")
        return stats["_all"]["primaries"]["docs"]["deleted"]

    def mappings(self) -> Json:
        """See `Wire.mappings`."""
        found: Any = self.node.ask("GET", f"{INDEX}/_mapping")
        return found["rove_one-1"]["mappings"]

    def open_views(self) -> int:
        """See `Wire.open_views`."""
        found: Any = self.node.ask("GET", "/_nodes/stats/indices/search")
        return sum(node["indices"]["search"]["point_in_time_current"] for node in found["nodes"].values())

    def harm(self, harm: str) -> None:
        """See `Wire.harm`."""
        if harm == "index":
            self.node.ask("DELETE", INDEX)
        elif harm == "alias":
            self.node.ask("DELETE", f"{INDEX}/_alias/rove_one")
        elif harm == "documents":
            found: Any = self.node.ask("POST", f"{INDEX}/_search", {"size": 1})
            self.node.ask("DELETE", f"{INDEX}/_doc/{quote(found['hits']['hits'][0]['_id'], safe='')}?refresh=true")
        elif harm == "strange":
            self.node.ask("PUT", f"{INDEX}/_doc/x?refresh=true", {"chunk_id": "x", "terms": "", "length": 0})
        else:
            self.node.ask("PUT", f"{INDEX}/_mapping", {"_meta": {}})

    def clear(self) -> None:
        """Leave nothing of the tests on the node."""
        found: Any = self.node.ask("GET", "/_alias")
        for name in found:
            if name.startswith("rove_one"):
                self.node.ask("DELETE", f"/{name}")


@contextmanager
def running() -> Iterator[Gate]:
    """Run one for the length of the block, before a node that has nothing of these tests."""
    gate = Gate()
    gate.clear()
    gate.start()
    try:
        yield gate
    finally:
        gate.stop()
