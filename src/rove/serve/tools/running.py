"""Finding and running tools over the wire: within bounds, tokens counted, and no secret in what is told."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import reduce
from os.path import commonprefix
from urllib.parse import unquote

from rove.models.usage import metered
from rove.records.metadata import clean
from rove.records.tool import ToolMatch
from rove.serve.caller_view import CallerView
from rove.serve.context import ServerContext
from rove.serve.questions.asking import check_question
from rove.serve.redaction import public_cure
from rove.serve.tools.schema import Hide, ToolOut, ToolRunIn, ToolRunOut, ToolsOut
from rove.settings import ToolSettings

HIDDEN = "[hidden]"
PASSWORD = re.compile(r"://[^:/@\s]*:([^@\s]+)@")
SERVICE = re.compile(r"\bhttps?://[^\s/'\"]+")
"""Where a service listens, which callers are not told."""
SHORTEST, HEAD = 4, 8
"""A shorter secret would be found in any text; so much of one is enough to hide it."""


async def listed(server: ServerContext, view: CallerView, request: str | None, cursor: int, limit: int) -> ToolsOut:
    """List tools from `cursor` on, or find those that fit a request. Raises as `CallerView.tools` does."""
    if request is not None:
        check_question(request, server)
    tools, failed = await view.tools()
    hide = hiding(view.kb.settings.tools)
    if request is None:
        end = cursor + limit
        told = [ToolOut.of(tool, hide) for tool in tools[cursor:end]]
        return ToolsOut(tools=told, failed=failed, next_cursor=end if end < len(tools) else None)
    by_name = {tool.name: tool for tool in tools}
    found: list[ToolMatch] = await view.find_tools(request, limit)
    matched = [ToolOut.of(by_name[one.tool], hide, one) for one in found if one.tool in by_name]
    return ToolsOut(tools=matched, failed=failed)


async def ran(server: ServerContext, view: CallerView, wanted: ToolRunIn) -> ToolRunOut:
    """Plan and run a tool. Raises as `CallerView.run_tool` and `check_question` do."""
    for text in (wanted.request, *(turn.question for turn in wanted.history)):
        check_question(text, server)
    with metered() as meter:
        run = await view.run_tool(
            wanted.request,
            tool=wanted.tool,
            arguments=wanted.arguments,
            history=wanted.turns,
            profile=wanted.profile,
            dry_run=wanted.dry_run,
            confirm=wanted.confirm,
        )
    server.journal.note_usage(meter.usage)
    return ToolRunOut.of(run, hiding(view.kb.settings.tools), _without_places)


def hiding(sources: Mapping[str, ToolSettings]) -> Hide:
    """Return what takes the secrets of sources out of a text, even where a service has sent them back, or half of one.

    >>> hide = hiding({"a": ToolSettings(kind="openapi", api_key="s3cret-of-it")})
    >>> hide("Bearer s3cret-of-it is wrong"), hide("Bearer s3cret-of")
    ('Bearer [hidden] is wrong', 'Bearer [hidden]')
    """
    secrets: set[str] = set()
    for settings in sources.values():
        passwords = PASSWORD.findall(f"{settings.database.get_secret_value()} {settings.base_url}")
        secrets |= {settings.api_key.get_secret_value(), *passwords, *map(unquote, passwords)}
    wanted = sorted((one for one in secrets if len(one) >= SHORTEST), key=len, reverse=True)
    return lambda text: reduce(_without, wanted, clean(text))


def _without(text: str, secret: str) -> str:
    """Hide each place where a secret stands, or begins: a message may be cut in the middle of it."""
    head, pieces, done = secret[:HEAD], list[str](), 0
    while (found := text.find(head, done)) >= 0:
        pieces += [text[done:found], HIDDEN]
        done = found + len(commonprefix((secret, text[found : found + len(secret)])))
    return "".join((*pieces, text[done:]))


def _without_places(note: str) -> str:
    """Say why a tool failed without where its service listens, and without folders of the server.

    >>> _without_places("http://10.0.0.7:8080/load answered 500. Run: rove tools list")
    'the service/load answered 500. Run: GET /v1/spaces/SPACE/tools'
    """
    return public_cure(SERVICE.sub("the service", note)) if note else ""
