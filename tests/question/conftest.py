"""A small base of rules in five languages, and what the steps of understanding work with."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from rove import AsyncRove, Text
from rove.models import ChatModel
from rove.question.understand import Understander
from rove.settings import QuestionSettings
from scripted_chat import Understanding

TEXTS = {
    "remote": ("Remote work", "Remote work is approved by the head of the unit. The committee meets on Mondays."),
    "parking": ("Parking", "The parking deck opens at seven. A monthly ticket costs forty euros."),
    "canteen": ("Canteen", "The canteen opens at eleven. Lunch costs six euros."),
    "library": ("Library", "The library opens at nine. Books may be kept for four weeks."),
    "urlaub": ("Urlaub", "Der Urlaub wird von der Abteilungsleitung innerhalb von drei Tagen genehmigt."),
    "szabadsag": ("Szabadság", "A szabadságot az osztályvezető hagyja jóvá három napon belül."),
    "yuancheng": ("远程办公", "远程办公由部门主管批准，委员会每周一开会。"),
    "kyuuka": ("休暇", "休暇は部長が三日以内に承認します。申請書は事務所にあります。"),
}
TOPIC = {"remote": "work", "urlaub": "leave", "szabadsag": "leave", "kyuuka": "leave", "yuancheng": "work"}


@pytest.fixture
async def kb(tmp_path: Path) -> AsyncIterator[AsyncRove]:
    async with AsyncRove.open(tmp_path / "kb", embedder={"name": "fake"}) as base:
        await base.add(
            [
                Text(text, id=name, title=title, metadata={"topic": TOPIC.get(name, "house")})
                for name, (title, text) in TEXTS.items()
            ]
        )
        yield base


@pytest.fixture
def understanding(kb: AsyncRove) -> Understanding:
    def make(chat: ChatModel | None = None, **settings: object) -> Understander:
        return Understander(kb.search_context, chat, QuestionSettings.model_validate(settings))

    return make
