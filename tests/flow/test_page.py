"""The flow in docs/how-to/flows.md is one that runs."""

from __future__ import annotations

import re
from pathlib import Path

from flow.flow_samples import QUESTIONS, opened
from rove.flow import checked, resume, run
from rove.flow.definition import flow_of

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "flows.md"


async def test_the_flow_of_the_page_runs_on_both_branches(tmp_path: Path) -> None:
    text = next(block for block in re.findall(r"```text\n(.*?)```", PAGE.read_text("utf-8"), re.S) if "name =" in block)
    flow = flow_of(text, "mine.toml")
    assert checked(flow)[1] == []
    async with await opened(tmp_path, answer={"max_distance": 1.9}) as kb:
        done = await run(kb, flow, {"question": QUESTIONS["en"]})
        assert "approved by the head of unit" in str(done.output["text"])
        assert len(done.output["sources"]) > 1  # pyright: ignore[reportArgumentType]
    async with await opened(tmp_path, answer={"max_distance": 0.01}) as kb:
        waiting = await run(kb, flow, {"question": QUESTIONS["en"]})
        assert [one.key for one in waiting.waiting] == ["none"]
        done = await resume(kb, waiting.run_id, {"none": "Nothing."})
        assert done.output == {"text": "Nothing.", "sources": None}
