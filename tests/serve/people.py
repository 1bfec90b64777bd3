"""People of a town for tests: let in by an administrator, with a password, and a browser's client that signs in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from serve.conftest import Town

PASSWORD = "a walk along the river"
HERE = {"sec-fetch-site": "same-origin"}
"""What a browser sends with a request of the page's."""


def browser(town: Town) -> httpx.AsyncClient:
    """A browser with a page of the server's, in which nobody has signed in."""
    return town.client("", **HERE)


async def invited(client: httpx.AsyncClient, name: str, **person: Any) -> str:
    """Let somebody in; returns the token of the invitation."""
    reply = await client.post("/v1/people", json={"name": name, **person})
    assert reply.status_code == 201, reply.text
    return reply.json()["invitation"]["token"]


async def let_in(town: Town, name: str, password: str = PASSWORD, **person: Any) -> None:
    """Let somebody in who has chosen a password."""
    async with town.client("root") as root, browser(town) as page:
        token = await invited(root, name, **person)
        reply = await page.post("/v1/session/invitation", json={"token": token, "password": password})
        assert reply.status_code == 200, reply.text


async def sign_in(page: httpx.AsyncClient, name: str, password: str = PASSWORD) -> httpx.Response:
    return await page.post("/v1/session", json={"name": name, "password": password})


@asynccontextmanager
async def signed_in(town: Town, name: str, password: str = PASSWORD) -> AsyncIterator[httpx.AsyncClient]:
    """A browser in which somebody has signed in."""
    async with browser(town) as page:
        reply = await sign_in(page, name, password)
        assert reply.status_code == 200, reply.text
        yield page
