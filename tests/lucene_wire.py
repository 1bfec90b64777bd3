"""Elasticsearch on the wire: the requests that the adapter sends, answered on loopback by a double.

It follows the public REST documentation: aliases, bulk writes with an answer for each document, what is seen only after
a refresh, points in time, errors in the server's words. It is no server: see `lucene_shard`. What passes here is tested
on the wire only: Maven has no whole node of Elasticsearch. OpenSearch is its real node: see `opensearch_server`.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import ssl
import time
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import RLock, Thread
from typing import Any, ClassVar
from urllib.parse import parse_qsl, urlsplit

import opensearch_server
from lucene_shard import Json, Mapping, Refused, Searcher, View, bad, only

REAL = {"elasticsearch": "ROVE_TEST_ELASTICSEARCH", "opensearch": "ROVE_TEST_OPENSEARCH"}
"""The address of a real node, by engine; with _USER, _PASSWORD, _API_KEY, _CA what is needed to be let in."""
PARAMETERS = {
    "_search": {"search_type", "allow_partial_search_results"}, "_bulk": {"require_alias"}, "_pit": {"keep_alive"},
    "_forcemerge": {"max_num_segments", "only_expunge_deletes"}, "_flush": {"force", "wait_if_ongoing"},
}  # fmt: skip
SEARCH = ["query", "size", "sort", "search_after", "pit", "_source", "docvalue_fields", "aggs", "track_total_hits"]


@dataclass
class Index:
    mapping: Mapping
    versions: list[Json] = field(default_factory=list)
    alive: list[bool] = field(default_factory=list)
    place: dict[str, int] = field(default_factory=dict)
    view: View | None = None

    def put(self, name: str, source: Json | None) -> str:
        """Write a document, or delete it; what was there stays until a merge, and is seen until a refresh."""
        there = self.place.pop(name, None)
        if there is not None:
            self.alive[there] = False
        if source is None:
            return "not_found" if there is None else "deleted"
        self.place[name] = len(self.versions)
        self.versions.append({"_id": name, **source})
        self.alive.append(True)
        return "created" if there is None else "updated"

    def refresh(self) -> None:
        self.view = View(self.mapping, list(self.versions), list(self.alive))

    def merge(self) -> None:
        self.versions = [one for one, alive in zip(self.versions, self.alive, strict=True) if alive]
        self.alive = [True] * len(self.versions)
        self.place = {one["_id"]: n for n, one in enumerate(self.versions)}


class Wire:
    """One node. `faults`: asked before each request; what one returns is the answer, an exception closes the line."""

    product = "elasticsearch"

    def __init__(self, version: str = "8.19.0") -> None:
        self.version, self.password = version, ""
        self.retaining = 0  # how many merges keep what is deleted: a real shard does for up to 30 s
        self.indices: dict[str, Index] = {}
        self.aliases: dict[str, str] = {}
        self.views: dict[str, View] = {}
        self.faults: list[Callable[[str, str], tuple[int, Json] | None]] = []
        self.refuse: Callable[[Json], tuple[int, str] | None] = lambda source: None
        self.asked: list[tuple[str, str, bytes]] = []
        self.lock = RLock()
        self._server: ThreadingHTTPServer | None = None
        self.port = 0
        self.tls: ssl.SSLContext | None = None

    @property
    def url(self) -> str:
        return f"{'https' if self.tls else 'http'}://localhost:{self.port}"

    def start(self) -> None:
        """Listen; again on the same port, if it did before."""
        wire = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # one packet for head and body: two would wait for each other
            disable_nagle_algorithm = True

            def handle_any(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                wire.answer(self, body)

            do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = handle_any

            def log_message(self, format: str, *args: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            lines: ClassVar[list[Any]] = []

            def process_request(self, request: Any, client_address: Any) -> None:
                self.lines.append(request)
                super().process_request(request, client_address)

            def handle_error(self, request: Any, client_address: Any) -> None:
                pass

        self._server = Server(("localhost", self.port), Handler)
        self.port = self._server.server_address[1]
        if self.tls:
            self._server.socket = self.tls.wrap_socket(self._server.socket, server_side=True)
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def stop(self) -> None:
        """Be gone, with all that is connected."""
        if self._server:
            self._server.shutdown()
            self._server.server_close()
            for line in self._server.lines:
                with suppress(OSError):
                    line.shutdown(socket.SHUT_RDWR)
            self._server = None

    def answer(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        parts = urlsplit(handler.path)
        self.asked.append((handler.command, handler.path, body))
        try:
            fault = next((one for ask in self.faults if (one := ask(handler.command, parts.path))), None)
            status, reply = fault or self._answered(handler, parts.path, dict(parse_qsl(parts.query)), body)
        except ConnectionResetError:
            handler.close_connection = True
            handler.connection.close()
            return
        except Refused as error:
            cause = {"type": error.kind, "reason": error.reason}
            status, reply = error.status, {"error": {"root_cause": [cause], **cause}, "status": error.status}
        sent = json.dumps(reply).encode()
        handler.send_response(status)
        handler.send_header("content-type", "application/json; charset=UTF-8")
        if self.product == "elasticsearch":
            handler.send_header("X-elastic-product", "Elasticsearch")
        handler.send_header("content-length", str(len(sent)))
        handler.end_headers()
        handler.wfile.write(sent)

    def _answered(self, handler: Any, path: str, params: dict[str, str], body: bytes) -> tuple[int, Json]:
        if self.password:
            allowed = {f"Basic {b64encode(f'rove:{self.password}'.encode()).decode()}", f"ApiKey {self.password}"}
            if handler.headers.get("authorization") not in allowed | {f"Bearer {self.password}"}:
                raise Refused(401, "security_exception", "unable to authenticate user [rove] for REST request")
        return self.reply(handler, path, params, body)

    def reply(self, handler: Any, path: str, params: dict[str, str], body: bytes) -> tuple[int, Json]:
        """Answer one who is let in."""
        kind = handler.headers.get("content-type", "")
        if body and kind not in {"application/json", "application/x-ndjson"}:
            raise Refused(406, "media_type_header_exception", f"Invalid media-type value on headers [{kind}]")
        name, _, verb = path.strip("/").partition("/")
        if name.startswith("_"):
            name, verb = "", path.strip("/")
        last = verb.rpartition("/")[2]
        if unknown := set(params) - PARAMETERS.get(last, set()):
            reason = f"request [{path}] contains unrecognized parameter: [{min(unknown)}]"
            raise bad("illegal_argument_exception", reason)
        with self.lock:
            return 200, self._routed(handler.command, name, verb, params, body)

    def _routed(  # noqa: C901 - a table of what can be asked
        self, method: str, name: str, verb: str, params: dict[str, str], body: bytes
    ) -> Json:
        if verb == "_bulk":
            return self._bulk(params, body)
        asked: Json = json.loads(body) if body else {}
        match method, verb:
            case "GET", "" if not name:
                return {"name": "wire", "version": {"number": self.version}}
            case "PUT", "":
                return self._make(name, asked)
            case "DELETE", "":
                self._index(name, by_alias=False)
                del self.indices[name]
                self.aliases = {alias: one for alias, one in self.aliases.items() if one != name}
                return {"acknowledged": True}
            case "GET", "_mapping":
                real, index = self._index(name)
                return {real: {"mappings": index.mapping.mappings}}
            case "POST", "_count":
                only(asked, "query")
                return {"count": int(self._searcher(name).passing(asked["query"]).sum()), "_shards": {"failed": 0}}
            case "POST", "_search":
                return self._search(name, asked)
            case "GET", "_stats/docs":
                return {"_all": {"total": {"docs": {"deleted": self._index(name)[1].alive.count(False)}}}}
            case "POST", "_refresh" | "_flush" | "_forcemerge":
                index = self._index(name)[1]
                if verb == "_forcemerge" and "max_num_segments" in params:
                    self.retaining -= 1
                    if self.retaining < 0:
                        index.merge()
                if verb != "_flush":
                    index.refresh()
                return {"_shards": {"total": 1, "successful": 1, "failed": 0}}
            case _:
                return self._point_in_time(method, name, verb, params, asked)

    def _point_in_time(self, method: str, name: str, verb: str, params: dict[str, str], asked: Json) -> Json:
        if verb != "_pit":
            raise bad("illegal_argument_exception", f"no handler found for uri [/{name}/{verb}] and method [{method}]")
        if method == "POST":
            if "keep_alive" not in params:
                raise bad("action_request_validation_exception", "[keep_alive] is not specified")
            view = f"view{len(self.views)}"
            self.views[view] = self._searcher(name).view
            return {"id": view}
        if self.views.pop(asked["id"], None) is None:
            raise Refused(404, "search_context_missing_exception", f"No search context found for id [{asked['id']}]")
        return {"succeeded": True, "num_freed": 1}

    def _make(self, name: str, asked: Json) -> Json:
        only(asked, "settings", "mappings", "aliases")
        if name in self.indices:
            raise bad("resource_already_exists_exception", f"index [{name}/uuid] already exists")
        if clash := set(asked["aliases"]) & (set(self.indices) | {name}):
            raise bad("invalid_alias_name_exception", f"Invalid alias name [{min(clash)}]: an index exists with it")
        self.indices[name] = Index(Mapping(asked))
        self.indices[name].refresh()
        self.aliases |= dict.fromkeys(asked["aliases"], name)
        return {"acknowledged": True, "index": name}

    def _index(self, name: str, *, by_alias: bool = True) -> tuple[str, Index]:
        real = self.aliases.get(name, name) if by_alias else name
        if real not in self.indices:
            raise Refused(404, "index_not_found_exception", f"no such index [{name}]")
        return real, self.indices[real]

    def _searcher(self, name: str, view: View | None = None) -> Searcher:
        found = view or self._index(name)[1].view
        assert found
        return Searcher(found)

    def _search(self, name: str, asked: Json) -> Json:
        only(asked, *SEARCH)
        view = None
        if pit := asked.get("pit"):
            if name:
                raise bad("action_request_validation_exception", "[indices] cannot be used with point in time")
            view = self.views.get(pit["id"])
            if view is None:
                raise Refused(404, "search_context_missing_exception", f"No search context found for id [{pit['id']}]")
        searcher = self._searcher(name, view)
        reply: Json = {"took": 1, "timed_out": False, "_shards": {"total": 1, "successful": 1, "failed": 0}}
        reply["hits"] = {"max_score": None, "hits": searcher.hits(asked)}
        if "aggs" in asked:
            reply["aggregations"] = searcher.aggregations(asked)
        return {**reply, "pit_id": pit["id"]} if pit else reply

    def _bulk(self, params: dict[str, str], body: bytes) -> Json:
        lines = [json.loads(line) for line in body.decode().split("\n")[:-1]]
        items: list[Json] = []
        while lines:
            ((action, meta),) = lines.pop(0).items()
            source = lines.pop(0) if action == "index" else None
            items.append({action: self._written(meta["_index"], params, meta["_id"], source)})
        return {"took": 1, "errors": any("error" in one[next(iter(one))] for one in items), "items": items}

    def _writable(self, name: str, params: dict[str, str], source: Json | None) -> Index:
        if params.get("require_alias") == "true" and name not in self.aliases:
            reason = f"no such index [{name}] and [require_alias] request flag is [true] and [{name}] is not an alias"
            raise Refused(404, "index_not_found_exception", reason)
        index = self._index(name)[1]
        if source is not None:
            if refused := self.refuse(source):
                raise Refused(refused[0], refused[1], "refused by the test")
            index.mapping.check(source)
        return index

    def _written(self, name: str, params: dict[str, str], document: str, source: Json | None) -> Json:
        try:
            index = self._writable(name, params, source)
        except Refused as error:
            return {"_id": document, "status": error.status, "error": {"type": error.kind, "reason": error.reason}}
        result = index.put(document, source)
        return {"_id": document, "result": result, "status": {"created": 201, "not_found": 404}.get(result, 200)}

    # -- what tests look at and do, whatever the adapter knows -----------------------------------------------------

    def held(self, name: str = "rove_one") -> list[str]:
        """The ids of the chunks that an index holds."""
        index = self.indices[f"{name}-1"]
        return sorted(one["chunk_id"] for one, alive in zip(index.versions, index.alive, strict=True) if alive)

    def unmerged(self) -> int:
        """How many documents are deleted and not yet gone from the files."""
        return self.indices["rove_one-1"].alive.count(False)

    def mappings(self) -> Json:
        """The mappings of the index."""
        return self.indices["rove_one-1"].mapping.mappings

    def open_views(self) -> int:
        """How many points in time are open."""
        return len(self.views)

    def harm(self, harm: str) -> None:
        """Do what somebody may do who has the right to."""
        index = self.indices["rove_one-1"]
        if harm == "index":
            self.indices.clear()
            self.aliases.clear()
        elif harm == "alias":
            self.aliases.clear()
        elif harm == "documents":
            index.put(next(iter(index.place)), None)
        elif harm == "strange":
            index.put("x", {"chunk_id": "x", "terms": "", "facts": [], "vector": [], "length": 0})
            index.versions[-1]["vector"] = None
        else:
            index.mapping.mappings["_meta"] = {}
        if harm in {"documents", "strange"}:
            index.refresh()


@contextmanager
def running() -> Iterator[Wire]:
    """Run a node for the length of the block."""
    wire = Wire()
    wire.start()
    try:
        yield wire
    finally:
        wire.stop()


@cache
def address(version: str) -> str:
    """The address of a node that runs until the tests end, for the processes that they start too."""
    name = f"ROVE_WIRE_{version.replace('.', '_')}"
    if name not in os.environ:
        wire = Wire(version)
        wire.start()
        os.environ[name] = wire.url
    return os.environ[name]


def store(product: str, folder: Path, version: str = "", **server: object) -> dict[str, object]:
    """The settings `store` for the index that belongs to a folder: with a version on the wire, else on a real node."""
    name = f"rove_test_{hashlib.sha256(str(folder).encode()).hexdigest()[:16]}"
    real = REAL[product]
    if not version and product == "opensearch" and real not in os.environ:
        os.environ[real] = opensearch_server.started().url  # for the processes that the tests start too
    asked = {"user": "USER", "password": "PASSWORD", "api_key": "API_KEY", "ca_file": "CA"}
    reached = (
        {"url": server.get("url") or address(version)}
        if version
        else {"url": os.environ[real], **{key: os.environ.get(f"{real}_{end}", "") for key, end in asked.items()}}
    )
    return {"index": product, "resident_chunks": 0, "server": {"name": name, **reached, **server}}


def wait(seconds: float) -> None:
    """Let a reply come late."""
    time.sleep(seconds)
