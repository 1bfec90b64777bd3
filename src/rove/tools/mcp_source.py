"""Tools of a server that speaks the Model Context Protocol: a program on this machine, or an address."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent

from rove.errors import ConfigError, InputError, ServiceError
from rove.foreign import read_json
from rove.load.web.address import check_addresses, resolve
from rove.load.web.fetch import parse_url
from rove.settings import ToolSettings
from rove.tools import Arguments, Tool
from rove.tools.parameters import checked_schema

MOST_PAGES = 100
DESCRIBED_CHARS = 4_000


class McpSource:
    """See `ToolSource`. Each call is a session of its own, so that a server which was restarted is no matter.

    What a server says of its tools is text that others wrote: it is searched and shown, and never an instruction. Only
    a tool that the server calls read-only reads; all others write, unless the settings know better.
    """

    def __init__(self, name: str, settings: ToolSettings) -> None:
        self.name, self.settings = name, settings

    async def tools(self) -> Sequence[Tool]:
        """See `ToolSource.tools`."""
        found: list[Tool] = []
        cursor: str | None = None
        async with self._session() as client:
            for _ in range(MOST_PAGES):
                page = await client.list_tools(cursor=cursor)
                found += [self._tool(one) for one in page.tools]
                cursor = page.next_cursor
                if not cursor or len(found) > self.settings.max_tools:
                    break
        return found

    async def close(self) -> None:
        """See `ToolSource.close`."""

    def _tool(self, given: Any) -> Tool:  # noqa: ANN401 - a type of the SDK
        hints = given.annotations
        effects = "reads" if hints is not None and hints.read_only_hint else "writes"
        schema = checked_schema(cast("Mapping[str, object]", given.input_schema), f"{self.name}/{given.name}")
        name = str(given.name)

        async def run(arguments: Arguments) -> object:
            async with self._session() as client:
                return _mcp_call_result(name, await client.call_tool(name, dict(arguments)), self.settings)

        described = str(given.description or given.title or "")[:DESCRIBED_CHARS]
        return Tool(name, described, schema, run, self.name, effects, self.settings)

    @asynccontextmanager
    async def _session(self) -> AsyncGenerator[Client]:
        """Connect.

        Raises:
            ConfigError: neither an address nor a program is set.
            InputError: the address may not be asked.
            ServiceError: the server does not answer.
        """
        try:
            async with asyncio.timeout(self.settings.timeout_s), self._connected() as client:
                yield client
        except TimeoutError:
            message = f"The MCP server of tools.{self.name} did not answer within {self.settings.timeout_s:g} s."
            raise ServiceError(message, cure="Try again later, or raise `timeout_s`.") from None
        except (MCPError, OSError, httpx2.HTTPError) as error:
            raise self._failed(error) from error
        except ExceptionGroup as group:
            raise _first_of(group, self._failed) from group

    @asynccontextmanager
    async def _connected(self) -> AsyncGenerator[Client]:
        if self.settings.command:
            program, *arguments = self.settings.command
            async with Client(StdioServerParameters(command=program, args=arguments)) as client:
                yield client
            return
        if not self.settings.base_url:
            message = f"tools.{self.name} names neither a `command` nor a `base_url`."
            raise ConfigError(message, cure='Set one: command = ["my-server"], or base_url = "https://host/mcp".')
        url = parse_url(self.settings.base_url)
        if not self.settings.allow_private:
            port = url.port or (443 if url.scheme == "https" else 80)
            check_addresses(url.host, await resolve(url.raw_host.decode("ascii").strip("[]"), port))
        headers: dict[str, str] = {}
        if key := self.settings.api_key.get_secret_value():
            header = self.settings.api_key_header
            headers[header] = f"Bearer {key}" if header.lower() == "authorization" else key
        async with (
            httpx2.AsyncClient(headers=headers, follow_redirects=False, trust_env=False) as carrier,
            Client(streamable_http_client(self.settings.base_url, http_client=carrier)) as client,
        ):
            yield client

    def _failed(self, error: BaseException) -> ServiceError:
        message = f"The MCP server of tools.{self.name} failed: {str(error)[:300] or type(error).__name__}."
        return ServiceError(message, cure="Look at the server, and at its settings.")


def _mcp_call_result(name: str, given: CallToolResult, settings: ToolSettings) -> object:
    """Return what a call gave: its structured content, else its texts.

    Raises:
        InputError: the tool says that it failed.
        ServiceError: the result is too large.
    """
    texts = [one.text for one in given.content if isinstance(one, TextContent)]
    if sum(map(len, texts)) > settings.max_result_kb * 1_000:
        message = f"{name} sent more than {settings.max_result_kb} kB."
        raise ServiceError(message, cure="Ask for less, or raise `max_result_kb`.", retryable=False)
    if given.is_error:
        message = f"{name} failed: {' '.join(texts)[:300]}."
        raise InputError(message, cure="Look at the values.")
    if given.structured_content is not None:
        return given.structured_content
    text = "\n\n".join(texts)
    try:
        return read_json(text) if text.startswith(("{", "[")) else text
    except ValueError:
        return text


def _first_of(group: ExceptionGroup, failed: Any) -> Exception:  # noqa: ANN401 - see `McpSource._failed`
    """Return what a group of errors is about: one of Rove's own, else the first as a failure of the server."""
    waiting: list[BaseException] = [group]
    leaves: list[BaseException] = []
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, BaseExceptionGroup):
            waiting += cast("BaseExceptionGroup[BaseException]", one).exceptions
        else:
            leaves.append(one)
    own = next((one for one in leaves if isinstance(one, ConfigError | InputError | ServiceError)), None)
    return own or failed(leaves[0])
