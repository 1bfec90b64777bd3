"""The index in Elasticsearch, an extra: written for 8.15 to 8.19 and 9, by their REST documentation.

The client is elastic-transport, which carries Elastic's own clients. These ask for the media types of one major version
of the server; plain JSON is understood by each.
"""

from __future__ import annotations

import logging
from base64 import b64encode
from typing import cast
from urllib.parse import urlsplit

from elastic_transport import ConnectionTimeout, NodeConfig, TlsError, Transport, TransportError

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

PRODUCT = "x-elastic-product"
"""The header by which Elasticsearch says that it is one."""
SCRIPT = "Math.max(0.0, cosineSimilarity(params.vector, 'vector') + 1.0)"

logging.getLogger("elastic_transport").addHandler(logging.NullHandler())  # what fails is raised, and said once


class ElasticClient(Client):
    """See `Client`."""

    def __init__(self, settings: IndexServerSettings) -> None:
        self.url = server_address(settings)
        url = urlsplit(self.url)
        port = url.port or (443 if url.scheme == "https" else 80)
        node = NodeConfig(
            url.scheme,
            url.hostname or "",
            port,
            url.path,
            headers=_authorization_header(settings),
            verify_certs=settings.verify,
            ssl_context=trusted(settings) if url.scheme == "https" else None,
            ssl_show_warn=False,
        )
        self._transport = Transport([node], max_retries=0, retry_on_status=(), meta_header=False)

    def send(self, call: Call) -> Json:
        """See `Client.send`."""
        try:
            meta, body = self._transport.perform_request(
                call.method, call.target, body=call.payload, headers=call.headers, request_timeout=call.wait_s
            )
        except ConnectionTimeout as error:
            raise CallError(UNREACHED, "timeout", f"no reply within {call.wait_s:g} s") from error
        except TlsError as error:
            raise CallError(UNTRUSTED, "tls", error.message) from error
        except TransportError as error:
            raise CallError(UNREACHED, type(error).__name__, error.message) from error
        if not 200 <= meta.status < 300:  # noqa: PLR2004 - HTTP's statuses of success
            raise failure_of(meta.status, body)
        if meta.headers.get(PRODUCT) != "Elasticsearch" or not isinstance(body, dict):
            message = f"What answers at {self.url} is no Elasticsearch."
            raise ConfigError(message, cure='Check store.server.url; for OpenSearch set store.index to "opensearch".')
        return cast("Json", body)

    def close(self) -> None:
        """See `Client.close`."""
        self._transport.close()


class ElasticsearchIndex(LuceneIndex):
    """See `Index`. Vectors are compared in 8 bits, and the best of them as they are.

    Those that are looked at as they are: at least `store.refine`, and four for each hit that is asked for.
    """

    engine = "Elasticsearch"
    most_dimensions = 4_096
    exact_script = SCRIPT

    def client(self) -> Client:
        """See `LuceneIndex.client`."""
        return ElasticClient(self.server)

    def vector_field(self) -> Json:
        """See `LuceneIndex.vector_field`."""
        graph = {"type": "int8_hnsw", "m": 16, "ef_construction": 100}
        return {
            "type": "dense_vector", "dims": self.dimension, "index": True, "similarity": "cosine",
            "index_options": graph,
        }  # fmt: skip

    def nearest(self, vector: Vector, candidates: int, where: Query | None) -> Query:
        """See `LuceneIndex.nearest`. A query of kNN finds the candidates, the script scores them anew."""
        near: Json = {
            "field": "vector",
            "query_vector": vector.tolist(),
            "k": candidates,
            "num_candidates": candidates,
            **({"filter": where} if where else {}),
        }
        return self.exactly({"knn": near}, vector)

    async def open_view(self) -> str:
        """See `LuceneIndex.open_view`."""
        return (await self.calls.call("POST", f"/{self.alias}/_pit", params={"keep_alive": VIEW_LASTS}))["id"]

    async def close_view(self, view: str) -> None:
        """See `LuceneIndex.close_view`."""
        await self.calls.found("DELETE", "/_pit", {"id": view})


def _authorization_header(settings: IndexServerSettings) -> dict[str, str]:
    """The header that says who asks."""
    key, password = settings.api_key.get_secret_value(), settings.password.get_secret_value()
    if key:
        return {"authorization": f"ApiKey {key}"}
    if settings.user:
        return {"authorization": f"Basic {b64encode(f'{settings.user}:{password}'.encode()).decode()}"}
    return {}
