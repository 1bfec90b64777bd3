"""What every operator promises: types that a flow can check, and results that can be kept and read back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from rove.engine import AsyncRove
from rove.flow.json_values import can_be_kept, from_json, value_json
from rove.flow.operator import OPERATORS, FlowContext, operator_of
from rove.models.fake import FakeChatModel
from rove.records import Text
from rove.testing.contract import Contract, waited
from rove.testing.samples import TEXTS

Function = Callable[..., Awaitable[object]]


async def _agree_once(what: str) -> None:
    assert what


class OperatorContract(Contract):
    """Inherit it, and give `name`, or `make`; and `given`, what it is called with."""

    registry = OPERATORS

    def make(self) -> Function:
        """Return the operator: a function."""
        return self.registered()

    async def given(self, context: FlowContext, folder: Path) -> Mapping[str, object]:
        """Return inputs that the operator gives something for; `folder` is empty."""
        raise NotImplementedError

    def same(self, value: object) -> object:
        """Return what of a result must not differ from one call to the next."""
        return value

    def settings(self, folder: Path) -> Mapping[str, Any]:
        """Return settings of the base; `folder` is there already."""
        del folder
        return {}

    def context(self, kb: AsyncRove) -> FlowContext:
        """Return what the operator works with; who is asked takes the first option, and agrees."""
        return FlowContext(kb, ask=lambda question, options: options[0] if options else question, once=_agree_once)

    def test_a_flow_can_check_it(self) -> None:
        """It is typed, says what it does, and what it gives can be read back."""
        operator = operator_of(self.make())
        assert operator.about
        assert operator.about.endswith(".")
        assert can_be_kept(operator.output)

    @waited
    async def test_what_it_gives_is_kept_and_read_back_and_the_same_again(self, tmp_path: Path) -> None:
        """To the last digit; what must not be done twice is done once."""
        operator = operator_of(self.make())
        chat = FakeChatModel() if "chat" in operator.needs else None
        settings = self.settings(tmp_path)
        async with AsyncRove.open(tmp_path / "kb", embedder={"name": "fake"}, chat=chat, **settings) as kb:
            await kb.add(*(Text(text, id=name) for name, text in TEXTS.items()))
            context = self.context(kb)
            (tmp_path / "given").mkdir()
            inputs = await self.given(context, tmp_path / "given")
            missing = [name for name, one in operator.inputs.items() if one.required and name not in inputs]
            assert not missing
            found = await operator.run(context, **inputs)
            assert found is not None
            kept = value_json(found)
            assert value_json(from_json(kept, operator.output)) == kept
            if operator.effects == "none":
                again = await operator.run(context, **inputs)
                assert value_json(self.same(again)) == value_json(self.same(found))
