"""A question that is too long is refused by every route, and says by how much."""

from __future__ import annotations

import pytest

from rove.errors import MAX_QUESTION_CHARS
from serve.conftest import Town

LONG = "boiler spring " * 26_000


@pytest.mark.parametrize("path", ["search", "ask", "walks"])
async def test_a_server_says_so(town: Town, path: str) -> None:
    async with town.client("anna") as client:
        refused = await client.post(f"/v1/spaces/hr/{path}", json={"question": LONG})
        within = await client.post(f"/v1/spaces/hr/{path}", json={"question": LONG[: MAX_QUESTION_CHARS - 1]})
    assert refused.status_code in {413, 422}
    assert within.status_code == 413
    assert "characters" in within.json()["detail"]


async def test_openai_routes_say_so(town: Town) -> None:
    asked = {"model": "hr", "messages": [{"role": "user", "content": LONG}]}
    async with town.client("anna") as client:
        refused = await client.post("/v1/chat/completions", json=asked)
    assert refused.status_code in {400, 413, 422}
    assert "characters" in refused.text
