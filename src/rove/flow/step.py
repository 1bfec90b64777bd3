"""One step: taken from the journal, or carried out within its bounds, tried again where that may help, and kept."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Literal

import msgspec

from rove.errors import ConfigError, InputError, RoveError, ServiceError
from rove.events import Event
from rove.flow.flow_events import (
    FlowListener,
    StepFailed,
    StepFinished,
    StepStarted,
    StepTold,
    StepWaits,
)
from rove.flow.flow_plan import FlowNode
from rove.flow.journal import Asked, Begun, Failed, Finished, Journal, confirm_key
from rove.flow.json_values import from_json, value_json
from rove.flow.operator import FlowContext, WaitingError
from rove.tracing import stage

PAUSE_S = 0.5
YES, NO = "yes", "no"
MAY_I = "The step {name!r} ({use}) changes something that cannot be taken back. Shall it be done?"
DONE_BEFORE = "The step {name!r} ({use}) was begun before, and may have been done. Shall it be done again?"
LATE = "It took too long (seconds is {seconds:g})."
DECLINED = "A person has said no."
FAILED = "The step {key!r}: {reason}"
State = Literal["done", "failed", "blocked"]


@dataclass(frozen=True, slots=True)
class Step:
    """A step of one round, or one element of it; `key` names it in the journal."""

    node: FlowNode
    key: str
    context: FlowContext
    journal: Journal
    listener: FlowListener

    async def done(self, inputs: Mapping[str, object]) -> tuple[State, object]:
        """Do it, unless it is done already; returns how it ended, and what it gave.

        Raises:
            RoveError: it failed, and the flow says that the run then fails.
        """
        if held := self.journal.finished.get(self.key):
            self.listener(StepFinished(self.key, held.seconds, restored=True))
            return "done", from_json(held.output, self.node.operator.output)
        if self.key in self.journal.failed:
            self.listener(StepFailed(self.key, self.journal.failed[self.key]))
            return "failed", None
        self.listener(StepStarted(self.key))
        began = perf_counter()
        try:
            with stage("flow.step", step=self.node.name, operator=self.node.operator.name):
                value = await self._carried_out(inputs)
            kept = msgspec.Raw(value_json(value) if self.journal.log else b"null")
        except WaitingError as waiting:
            return await self._wait(waiting), None
        except RoveError as error:
            return await self._fail(error), None
        except Exception as error:  # noqa: BLE001 - an operator may be anybody's, and do anything
            message = f"{self.node.operator.name!r} failed: {error!r}."
            return await self._fail(ServiceError(message, cure="Correct the operator.", retryable=False)), None
        seconds = round(perf_counter() - began, 4)
        await self.journal.keep(Finished(self.key, seconds, kept))
        self.listener(StepFinished(self.key, seconds))
        return "done", value

    async def _carried_out(self, inputs: Mapping[str, object]) -> object:
        spec, operator = self.node.spec, self.node.operator
        if operator.effects == "once" and not operator.confirms:
            await self._once("")
        context = replace(self.context, listener=self._tell, ask=self._ask, once=self._once)
        left = spec.retry
        while True:
            try:
                async with asyncio.timeout(spec.seconds or None):
                    return await operator.run(context, **inputs)
            except TimeoutError as late:
                error = ServiceError(LATE.format(seconds=spec.seconds), cure="Raise seconds there.")
                if not left:
                    raise error from late
            except ServiceError as failed:
                error = failed
                if not (left and failed.retryable):
                    raise
            left -= 1
            self.listener(StepFailed(self.key, error.reason, again=True))
            await asyncio.sleep(PAUSE_S)

    async def _once(self, what: str) -> None:
        """See that a person agrees to what must not be done twice, and keep that it begins.

        Raises:
            ServiceError: they do not.
            WaitingError: nobody was asked yet.
        """
        begun, use = self.key in self.journal.begun, self.node.operator.name
        if begun or self.node.spec.confirm:
            use = f"{use}: {what}" if what else use
            question = (DONE_BEFORE if begun else MAY_I).format(name=self.node.name, use=use)
            if self._ask(question, (YES, NO), confirm_key(self.key)) == NO:
                raise ServiceError(DECLINED, cure="Run the flow anew to be asked again.", retryable=False)
        await self.journal.keep(Begun(self.key))

    def _tell(self, event: Event) -> None:
        self.listener(StepTold(self.key, event))

    def _ask(self, question: str, options: Sequence[str], key: str = "") -> str:
        key = key or self.key
        reply, asked = self.journal.replies.get(key), self.journal.asked.get(key)
        other = asked is not None and asked.question != question  # whose reply would be one to something else
        if reply is None or other or (options and reply not in options):
            raise WaitingError(question, options, key)
        return reply

    async def _wait(self, waiting: WaitingError) -> State:
        asked = Asked(waiting.key or self.key, waiting.question, waiting.options)
        if self.journal.asked.get(asked.key) != asked or asked.key in self.journal.replies:
            await self.journal.keep(asked)
        self.listener(StepWaits(asked.key, asked.question, asked.options))
        return "blocked"

    async def _fail(self, error: RoveError) -> State:
        self.listener(StepFailed(self.key, error.reason))
        if self.node.spec.on_error == "skip":
            await self.journal.keep(Failed(self.key, error.reason))
            return "failed"
        raise _of_step(error, FAILED.format(key=self.key, reason=error.reason)) from error


def _of_step(error: RoveError, message: str) -> RoveError:
    match error:
        case ServiceError():
            return ServiceError(message, cure=error.cure, retryable=error.retryable)
        case InputError():
            return InputError(message, cure=error.cure, outcome=error.outcome)
        case _:
            return ConfigError(message, cure=error.cure)


def key_of(name: str, number: int, place: int | None) -> str:
    """Name a step in the journal.

    >>> key_of("found", 0, None), key_of("found", 2, 0)
    ('found', 'found@2#0')
    """
    return name + (f"@{number}" if number else "") + ("" if place is None else f"#{place}")


def failed_step(reason: str) -> str:
    """Return the key of the step for which a run has failed, "" where it failed for another reason.

    >>> failed_step(FAILED.format(key="found@2", reason="It took too long.")), failed_step("It took too long.")
    ('found@2', '')
    """
    found = re.match(FAILED.format(key="KEY", reason="").replace("KEY", r"([\w@#]+)"), reason)
    return found[1] if found else ""
