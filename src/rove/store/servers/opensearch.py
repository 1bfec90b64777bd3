"""The index in OpenSearch, an extra: written for 2.9 and later and for 3, by their REST documentation."""

from __future__ import annotations

import logging
from typing import Any, cast
from urllib.parse import urlsplit

from opensearchpy import OpenSearch
from opensearchpy.exceptions import ConnectionError as NotReached
from opensearchpy.exceptions import ConnectionTimeout, SerializationError, SSLError, TransportError

from rove.errors import ConfigError
from rove.settings import IndexServerSettings
from rove.store import Vector
from rove.store.servers.lucene import VIEW_LASTS, LuceneIndex
from rove.store.servers.lucene_calls import (
    UNREACHED,
    UNTRUSTED,
    Call,
    CallError,
    Client,
    Json,
    failure_of,
    server_address,
    trusted,
)
from rove.store.servers.lucene_filters import Query

SCRIPT = "Math.max(0.0, cosineSimilarity(params.vector, doc['vector']) + 1.0)"
WITHOUT_FACTOR = 3
"""The version from which on BM25 is Lucene's own, whose scores lack the factor k1 + 1."""

logging.getLogger("opensearch").addHandler(logging.NullHandler())  # what fails is raised, and said once


class OpenSearchClient(Client):
    """See `Client`."""

    def __init__(self, settings: IndexServerSettings) -> None:
        self.url = server_address(settings)
        key, password = settings.api_key.get_secret_value(), settings.password.get_secret_value()
        granted: dict[str, Any] = {}
        if key:
            granted["headers"] = {"authorization": f"Bearer {key}"}
        elif settings.user:
            granted["http_auth"] = (settings.user, password)
        if urlsplit(self.url).scheme == "https":
            unchecked = {"verify_certs": False, "ssl_show_warn": False}
            granted |= {"ssl_context": trusted(settings)} if settings.verify else unchecked
        self._client = OpenSearch(self.url, max_retries=0, retry_on_status=(), **granted)

    def send(self, call: Call) -> Json:
        """See `Client.send`."""
        try:
            body: object = self._client.transport.perform_request(
                call.method, call.target, body=call.payload, headers=call.headers, timeout=call.wait_s
            )
        except ConnectionTimeout as error:
            raise CallError(UNREACHED, "timeout", f"no reply within {call.wait_s:g} s") from error
        except SSLError as error:
            raise CallError(UNTRUSTED, "tls", error.error) from error
        except NotReached as error:
            raise CallError(UNREACHED, "ConnectionError", error.error) from error
        except TransportError as error:
            raise failure_of(int(error.status_code), error.info or error.error) from error
        except SerializationError as error:
            raise self._other() from error
        if not isinstance(body, dict):
            raise self._other()
        return cast("Json", body)

    def _other(self) -> ConfigError:
        return ConfigError(f"What answers at {self.url} is no OpenSearch.", cure="Check store.server.url.")

    def close(self) -> None:
        """See `Client.close`."""
        self._client.close()


class OpenSearchIndex(LuceneIndex):
    """See `Index`. Needs the k-NN plug-in, which every distribution but the minimal one has; its engine is "lucene"."""

    engine = "OpenSearch"
    most_dimensions = 16_000
    exact_script = SCRIPT
    index_settings = {"knn": True}

    def client(self) -> Client:
        """See `LuceneIndex.client`. `store.server.api_key` is sent as a bearer token."""
        return OpenSearchClient(self.server)

    def vector_field(self) -> Json:
        """See `LuceneIndex.vector_field`."""
        graph = {"m": 16, "ef_construction": 100}
        method = {"name": "hnsw", "engine": "lucene", "space_type": "cosinesimil", "parameters": graph}
        return {"type": "knn_vector", "dimension": self.dimension, "method": method}

    def nearest(self, vector: Vector, candidates: int, where: Query | None) -> Query:
        """See `LuceneIndex.nearest`."""
        near: Json = {"vector": vector.tolist(), "k": candidates, **({"filter": where} if where else {})}
        return {"knn": {"vector": near}}

    def nearest_cosine(self, score: float) -> float:
        """See `LuceneIndex.nearest_cosine`: the engine's score is (1 + cosine) / 2."""
        return 2 * score - 1

    async def word_factor(self) -> float:
        """See `LuceneIndex.word_factor`."""
        number: str = (await self.calls.call("GET", "/"))["version"]["number"]
        return self.settings.k1 + 1 if int(number.split(".")[0]) >= WITHOUT_FACTOR else 1.0

    async def open_view(self) -> str:
        """See `LuceneIndex.open_view`."""
        path = f"/{self.alias}/_search/point_in_time"
        return (await self.calls.call("POST", path, params={"keep_alive": VIEW_LASTS}))["pit_id"]

    async def close_view(self, view: str) -> None:
        """See `LuceneIndex.close_view`."""
        await self.calls.found("DELETE", "/_search/point_in_time", {"pit_id": [view]})
