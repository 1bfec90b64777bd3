"""A server that nobody may sign in to yet: it says so to whoever calls, and how the first is let in, until then."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from functools import cache

import uvicorn
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from rove.errors import RoveError
from rove.markup import join_markup, tag
from rove.serve.admission.middleware import SECURITY_HEADERS
from rove.serve.pages.web_page import FOLDER
from rove.serve.problems import MEDIA_TYPE, TYPE, UnopenedError, openai_error, problem_of
from rove.serve.server import check_address, config_of
from rove.settings import Settings

LOOK_S = 1.0
STATUS = "awaiting-key"
DETAIL = "This server has no person and no key yet, and lets nobody in before."
CURE = "On the server: rove serve person NAME --role administrator; for a program: rove serve key NAME --right read."
PERSON = "rove serve person NAME --role administrator"
COMMANDS = {
    "rove": PERSON,
    "Docker Compose": f"docker compose exec rove {PERSON}",
    "Docker": f"docker exec CONTAINER {PERSON}",
    "Kubernetes": f"kubectl exec deploy/rove -- {PERSON}",
}
"""What lets in the first administrator, by where the server runs: it prints a link."""
HEADERS = {**SECURITY_HEADERS, "Retry-After": "5", "Connection": "close"}
LANGUAGES = ("en", "de", "hu", "zh", "ja")
log = logging.getLogger("rove.serve")


async def opened(read: Callable[[], Settings], check: Callable[[Settings], None]) -> bool:
    """Answer every request with 503 as long as `check` raises `UnopenedError`; False where it was told to end instead.

    `read` reads the settings, each second; what else is wrong with them meanwhile is logged, and waited out. Nothing is
    opened, and no reply says anything of what will be served.

    Raises:
        RoveError: what else is wrong at the start, or with the address.
    """
    settings = read()
    try:
        check(settings)
    except UnopenedError:
        check_address(settings.serve)
    else:
        return True
    log.warning("it waits for its first key", extra={"reason": DETAIL, "commands": COMMANDS})
    server = uvicorn.Server(config_of(_answer_while_unopened, settings.serve, bases=0, lifespan="off"))
    looking = asyncio.create_task(_stop_server_once_open(lambda: check(read()), server))
    await server.serve()
    looking.cancel()
    (found,) = await asyncio.gather(looking, return_exceptions=True)
    return found is True


async def _stop_server_once_open(look: Callable[[], None], server: uvicorn.Server) -> bool:
    """End the server once somebody may come in; then it is True."""
    told = ""
    while True:
        await asyncio.sleep(LOOK_S)
        try:
            await asyncio.to_thread(look)
        except UnopenedError:
            continue
        except (RoveError, OSError, ValueError) as error:  # what is half written, or has another mistake by now
            if str(error) != told:
                log.error("settings not read", extra={"reason": str(error)})  # noqa: TRY400 - no stack
            told = str(error)
            continue
        log.info("somebody may come in")
        server.should_exit = True
        return True


async def _answer_while_unopened(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a request: as a page to browsers, else as a problem."""
    if scope["type"] != "http":
        await send({"type": "websocket.close", "code": 1008})
        return
    headers = Headers(scope=scope)
    if scope["path"] == "/health":
        told = json.dumps({"status": STATUS, "cure": CURE})
        response = Response(told, 503, HEADERS, "application/json")
    elif "text/html" in headers.get("accept", ""):
        page = _no_key_page_html(_choose_page_language(headers.get("accept-language", "")))
        response = Response(page, 503, {**HEADERS, "Refresh": "5"}, "text/html")
    else:
        response = Response(_no_key_problem_json(), 503, HEADERS, MEDIA_TYPE)
    await response(scope, receive, send)


def _no_key_problem_json() -> str:
    """The problem, with the member `error` that OpenAI's clients read, and all commands."""
    problem = problem_of(UnopenedError(DETAIL, cure=CURE))
    told = problem.model_dump(exclude_defaults=True)
    return json.dumps({**told, "type": TYPE + STATUS, "commands": COMMANDS, "error": openai_error(problem)})


@cache
def _no_key_page_html(language: str) -> bytes:
    """The same for people."""
    title = json.loads((FOLDER / "lang" / f"{language}.json").read_text("utf-8"))[f"problem.{STATUS}"]
    said = json.loads((FOLDER / "lang" / "sentences.json").read_text("utf-8"))[DETAIL]
    ways = [join_markup([tag("dt", name), tag("dd", tag("code", command))]) for name, command in COMMANDS.items()]
    page = tag(
        "html",
        tag("head", tag("meta", charset="utf-8"), tag("title", f"Rove: {title}")),
        tag("body", tag("h1", title), tag("p", said.get(language, DETAIL)), tag("dl", join_markup(ways))),
        lang=language,
    )
    return f"<!doctype html>{page}".encode()


def _choose_page_language(accepted: str) -> str:
    """The first language of an Accept-Language header that the page has.

    >>> _choose_page_language("fr-CH, de;q=0.9, en;q=0.8"), _choose_page_language("")
    ('de', 'en')
    """
    named = (one.strip()[:2].lower() for one in accepted.split(","))
    return next((one for one in named if one in LANGUAGES), "en")
