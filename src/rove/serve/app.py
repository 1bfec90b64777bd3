"""The ASGI app: middleware, routes, error replies, and what starts and ends with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.metadata import version

from fastapi import APIRouter, FastAPI
from starlette.middleware.cors import CORSMiddleware

from rove.serve.administration import care_routes, server_routes, settings_routes, space_routes, status_routes
from rove.serve.admission.keyring import Keyring, follow
from rove.serve.admission.middleware import AdmissionMiddleware
from rove.serve.context import ServerContext
from rove.serve.conversations import routes as conversations
from rove.serve.documents import routes as documents
from rove.serve.documents import table_routes
from rove.serve.evaluations import routes as evaluations
from rove.serve.flows import editing_routes
from rove.serve.flows import routes as flows
from rove.serve.mcp.lazy_endpoint import LazyMcpEndpoint
from rove.serve.openai import embeddings, responses
from rove.serve.openai import routes as openai
from rove.serve.pages import routes as pictures
from rove.serve.pages.web_page import ROUTES
from rove.serve.people import key_routes, openid_routes, people_routes, session_routes
from rove.serve.problems import MEDIA_TYPE, Problem, handle_problems
from rove.serve.questions import routes as answers
from rove.serve.reading import routes as reading
from rove.serve.reviews import routes as reviews
from rove.serve.spaces import Spaces
from rove.serve.tools import routes as tools
from rove.serve.walks import routes as walks
from rove.tracing import watched

ROUTERS = (
    server_routes.router, space_routes.router, documents.router, table_routes.router, reading.router, pictures.router,
    answers.router, conversations.router, walks.router, flows.router, editing_routes.router, tools.router,
    evaluations.router, reviews.router,
    session_routes.router, openid_routes.router, people_routes.router, key_routes.router,
    care_routes.router, settings_routes.router, status_routes.router, openai.router, responses.router,
    embeddings.router,
)  # fmt: skip
"""Every family of routes. The web page, `rove.serve.pages.web_page`, stands beside them."""
API = APIRouter(
    responses={"default": {"model": Problem, "description": "A problem (RFC 9457)", "content": {MEDIA_TYPE: {}}}}
)
"""All of them as one, for every app of the process: what FastAPI works out of their signatures takes .2 s."""
for family in ROUTERS:
    API.include_router(family)


def create_app(spaces: Spaces, keyring: Keyring | None = None) -> FastAPI:
    """Make the app that serves these spaces, to the keys of the settings or, as they change, of a keyring.

    It opens nothing, and closes the spaces when it ends.
    """
    made = ServerContext.of(spaces, keyring)
    mcp = LazyMcpEndpoint(made)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None]:
        async with AsyncExitStack() as stack:
            stack.enter_context(watched(made.journal.note_stage))
            stack.push_async_callback(spaces.close)
            await spaces.start()
            await stack.enter_async_context(mcp.running())
            following_people = asyncio.create_task(made.people.follow())
            stack.callback(following_people.cancel)
            if keyring:
                following = asyncio.create_task(follow(keyring, made.callers, made.open_requests, spaces.admit))
                stack.callback(following.cancel)
            yield
            made.closing.set()

    app = FastAPI(
        title="Rove",
        version=version("rove"),
        summary="Answers from your own documents, every sentence cited to an exact span.",
        lifespan=lifespan,
        docs_url=None,  # these pages load their scripts from elsewhere
        redoc_url=None,
    )
    app.state.server_context = made
    app.router.routes.extend([*API.routes, *ROUTES])
    app.add_route("/mcp", mcp, include_in_schema=False)  # pyright: ignore[reportArgumentType] - an ASGI app
    handle_problems(app)
    app.add_middleware(
        AdmissionMiddleware,
        settings=spaces.settings,
        journal=made.journal,
        callers=made.callers,
        sessions=made.people.sessions,
        open_requests=made.open_requests,
        tally=spaces.tally,
    )
    if spaces.settings.origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=spaces.settings.origins,
            allow_methods=["GET", "POST", "PATCH", "DELETE"],
            allow_headers=["Authorization", "Content-Type"],
        )
    return app
