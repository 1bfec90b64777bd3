"""Flows as one caller runs them: each step within what the caller may see; runs that are kept belong to who began them.

A run is resumed with the flow as it was when it began, as long as the server still offers one of that name.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import cast

from rove.errors import InputError
from rove.flow import Flow, FlowRun, checked, forget, resume, run
from rove.flow.flow_events import FlowListener
from rove.flow.journal import RunInfo, infos, run_info
from rove.flow.so_far import RunSoFar, so_far
from rove.records import Answer, Filter, Hit
from rove.serve.caller_view import CallerView
from rove.serve.flows.step_values import documents_in
from rove.serve.problems import AbsentError
from rove.store.flow_log import FlowLog

RUN_ID = re.compile(r"[0-9a-f]{10}")
CHANGED = "The documents changed while the run was kept."


@dataclass(frozen=True, slots=True)
class CallerFlows:
    """The runs of flows that a caller may begin, see and go on with in one space.

    Raises:
        DeniedError: the caller has not the right.
        AbsentError: there is no run of that id that is the caller's.
    """

    view: CallerView

    async def run(
        self, flow: Flow, given: Mapping[str, object], *, where: Filter | None, listener: FlowListener, keep: bool
    ) -> FlowRun:
        """Run a flow that changes nothing. See `rove.flow.run` and `CallerView.ask_database`."""
        self._check_needs(flow)
        within = self.view.where(where)
        done = await run(
            self.view.kb, flow, given, where=within, listener=listener, keep=keep, owner=self._mark() if keep else ""
        )
        for hit in _hits_of_run(done):
            self.view.check_seen([hit])
        return done

    async def resume(
        self, run_id: str, offered: Mapping[str, Flow], replies: Mapping[str, str], *, listener: FlowListener
    ) -> FlowRun:
        """Go on with a run of the caller's, within what it was begun with; `offered`: what the server runs now."""
        info = await self.check(run_id, offered)
        self._check_needs(offered[info.flow])
        done = await resume(self.view.kb, run_id, replies, listener=listener)
        await self._check_there(_hits_of_run(done))
        return done

    async def check(self, run_id: str, offered: Collection[str]) -> RunInfo:
        """Return a run of the caller's whose flow is offered."""
        info = await self._own(run_id)
        if info.flow not in offered:
            message = f"The flow {info.flow!r} is no longer served."
            raise AbsentError(message, cure="Ask whoever runs the server.")
        return info

    async def listed(self, first: int, most: int) -> list[RunInfo]:
        """The caller's runs, the latest first: so many from place `first` on; see `_owns`."""
        self.view.require("read")
        return await asyncio.to_thread(lambda: list(islice(filter(self._owns, infos(self._log)), first, first + most)))

    async def so_far(self, run_id: str) -> tuple[RunSoFar, str]:
        """Return a run of the caller's as it stands, and why what its steps gave may not be told, "" where it may."""
        await self._own(run_id)
        found = await so_far(self.view.kb, run_id)
        given = [*(step.value for step in found.steps), *found.output.values()]
        hidden = self.view.caller.labels is not None and not await self._all_there(set(documents_in(given)))
        return found, CHANGED if hidden else ""

    async def forget(self, run_id: str) -> None:
        """Delete a run; its bytes leave the disk."""
        await self._own(run_id)
        await forget(self.view.kb, run_id)

    # -- inside ----------------------------------------------------------------------------------------------------

    async def _own(self, run_id: str) -> RunInfo:
        self.view.require("read")
        found = await asyncio.to_thread(run_info, self._log, run_id) if RUN_ID.fullmatch(run_id) else None
        if found and self._owns(found):
            return found
        message = "There is no such run."
        raise AbsentError(message, cure="List your runs with: GET /v1/spaces/SPACE/flows/runs")

    def _owns(self, run: RunInfo) -> bool:
        """Whether a run is the caller's; an administrator has all that were begun over HTTP."""
        return bool(run.owner) and ("admin" in self.view.caller.rights or run.owner == self._mark())

    @property
    def _log(self) -> FlowLog:
        return FlowLog(self.view.kb.store.catalog.database)

    def _check_needs(self, flow: Flow) -> None:
        self.view.require("read")
        needs = {need for node in checked(flow)[0].nodes.values() for need in node.operator.needs}
        if needs & {"databases", "tools"}:
            self.view.require_no_labels()

    async def _check_there(self, hits: list[Hit]) -> None:
        """See that a caller with labels may still see what a run has kept: labels may have changed meanwhile."""
        if self.view.caller.labels is None:
            return
        self.view.check_seen(hits)
        if not await self._all_there({hit.chunk.document_id for hit in hits}):
            raise InputError(CHANGED, cure="Run the flow anew.")

    async def _all_there(self, document_ids: Collection[str]) -> bool:
        """Say whether the caller may see all of these documents now."""
        try:
            for document_id in document_ids:
                await self.view.document(document_id)
        except AbsentError:
            return False
        return True

    def _mark(self) -> str:
        """Whose run it is: of this key, with the labels that it has now."""
        labels = self.view.caller.labels
        return json.dumps([self.view.caller.owner, None if labels is None else sorted(labels)])


def _hits_of_run(done: FlowRun) -> list[Hit]:
    """The passages that come out, and those that answers rest on."""
    found: list[Hit] = []
    waiting = list(done.output.values())
    while waiting:
        one = waiting.pop()
        if isinstance(one, Answer):
            found += one.hits
        elif isinstance(one, Hit):
            found.append(one)
        elif isinstance(one, tuple | list):
            waiting += cast("Sequence[object]", one)
    return found
