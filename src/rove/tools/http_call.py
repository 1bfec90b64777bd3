"""One call to a service over HTTP, within bounds: one host, checked addresses, no redirects, no endless reply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import httpx

from rove.errors import InputError, ServiceError
from rove.foreign import read_json
from rove.load.web.address import Resolver, check_addresses, resolve
from rove.load.web.fetch import RETRIED, parse_url, public_url
from rove.settings import ToolSettings

QUOTED_CHARS = 200
"""How much of a refusal is quoted."""
READS = frozenset({"GET", "HEAD"})


@dataclass(frozen=True, slots=True)
class HttpCall:
    """A request. `path` is joined to the service's address, and can never leave it."""

    method: str
    path: str
    query: Mapping[str, str | list[str]] = field(default_factory=dict[str, "str | list[str]"])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    body: object = None


class HttpService:
    """A service at one address. Its host is looked up for every call, and the connection goes where that was checked.

    Proxies of the environment are not used, a redirect is not followed, and nothing is unpacked.
    """

    def __init__(self, base_url: str, settings: ToolSettings, table: str, resolver: Resolver = resolve) -> None:
        self.base = parse_url(base_url)
        self.settings, self.table, self.resolver = settings, table, resolver
        self.client = httpx.AsyncClient(
            trust_env=False,
            follow_redirects=False,
            timeout=settings.timeout_s,
            limits=httpx.Limits(max_keepalive_connections=0),
            headers={"Accept": "application/json, text/plain", "Accept-Encoding": "identity"},
        )

    async def close(self) -> None:
        """Close the client."""
        await self.client.aclose()

    async def call(self, call: HttpCall) -> object:
        """Send a request and return what came: of JSON its value, of other text the text.

        Raises:
            ServiceError: the service failed, redirected, or sent too much or what is no text. Retryable where a service
                says so (429, 5xx), or did not answer; a call that writes is then of an unknown outcome.
            InputError: the service refuses the request, or its host may not be asked.
        """
        url = self._url(call)
        try:
            request = await self._request(url, call)
            response = await self.client.send(request, stream=True)
            try:
                return await self._read(url, response)
            finally:
                await response.aclose()
        except httpx.TimeoutException as error:
            message = f"{public_url(url)} did not answer within {self.settings.timeout_s:g} s"
            raise self._failed(message) from error
        except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL) as error:
            message = f"{public_url(url)} could not be asked: {error or type(error).__name__}"
            raise self._failed(message) from error

    def _url(self, call: HttpCall) -> httpx.URL:
        base = str(self.base).rstrip("/")
        url = httpx.URL(f"{base}/{call.path.lstrip('/')}")
        steps = {".", ".."} & set(call.path.split("/"))  # httpx would take them
        if url.netloc != self.base.netloc or url.scheme != self.base.scheme or steps:
            message = f"The path {call.path!r} leaves {public_url(self.base)}."
            raise InputError(message, cure="Give another value.")
        return url.copy_merge_params(dict(call.query)) if call.query else url

    async def _request(self, url: httpx.URL, call: HttpCall) -> httpx.Request:
        port = url.port or (443 if url.scheme == "https" else 80)
        name = url.raw_host.decode("ascii").strip("[]")
        addresses = await self.resolver(name, port)
        if not self.settings.allow_private or not addresses:
            check_addresses(url.host, addresses)
        headers = {**call.headers, "Host": url.netloc.decode("ascii")}
        if key := self.settings.api_key.get_secret_value():
            header = self.settings.api_key_header
            headers[header] = f"Bearer {key}" if header.lower() == "authorization" else key
        return self.client.build_request(
            call.method,
            url.copy_with(host=addresses[0], userinfo=b"", fragment=None),
            headers=headers,
            json=call.body if call.body is not None else None,
            extensions={"sni_hostname": name},
        )

    async def _read(self, url: httpx.URL, response: httpx.Response) -> object:
        status = response.status_code
        if response.is_redirect:
            target = response.headers.get("location", "")[:QUOTED_CHARS]
            message = f"{public_url(url)} redirects to {target!r}, which is not followed."
            raise ServiceError(message, cure=f"Give the right address: {self.table}.base_url.", retryable=False)
        body = await self._body(url, response)
        if status >= 400:
            said = " ".join(body[: 4 * QUOTED_CHARS].decode("utf-8", "replace").split())[:QUOTED_CHARS]
            message = f"{public_url(url)} answered {status}: {said}" if said else f"{public_url(url)} answered {status}"
            if status in RETRIED:
                raise self._failed(message)
            raise InputError(f"{message}.", cure="Look at the values, and at the service's key.")
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind == "application/json" or kind.endswith("+json"):
            try:
                return read_json(body) if body else None
            except ValueError as error:
                message = f"{public_url(url)} sent JSON that is damaged: {str(error)[:QUOTED_CHARS]}."
                raise ServiceError(message, cure="Look at the service.", retryable=False) from error
        if not kind.startswith("text/") and body:
            message = f"{public_url(url)} sent {kind or 'something without a type'}, which is no text."
            raise ServiceError(message, cure="Leave this tool out with `only`.", retryable=False)
        return body.decode("utf-8", "replace")

    async def _body(self, url: httpx.URL, response: httpx.Response) -> bytes:
        most, out = self.settings.max_result_kb * 1_000, bytearray()
        async for piece in response.aiter_raw():
            out += piece
            if len(out) > most:
                message = f"{public_url(url)} sent more than {self.settings.max_result_kb} kB."
                cure = f"Ask for less, or raise {self.table}.max_result_kb."
                raise ServiceError(message, cure=cure, retryable=False)
        return bytes(out)

    def _failed(self, what: str) -> ServiceError:
        return ServiceError(f"{what}.", cure="Try again later, or look at the service.")
