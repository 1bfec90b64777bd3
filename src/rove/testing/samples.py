"""What the suites work on: texts and questions in five languages, and a small base of them."""

from __future__ import annotations

from pathlib import Path

from rove.engine import AsyncRove
from rove.models import Embedder
from rove.models.fake import FakeEmbedder
from rove.records import Text
from rove.records.filter import AccessFilter

TEXTS = {
    "en": "Remote work is approved by the head of the unit and reviewed every year.",
    "de": "Telearbeit genehmigt der Leiter der Abteilung; der Betriebsrat wird gehört.",
    "hu": "A távmunkát az egységvezető engedélyezi, és évente felülvizsgálja.",
    "zh": "远程办公由部门主管批准，每年复审一次。",
    "ja": "在宅勤務は部門長が承認し、毎年見直します。",
}
"""Language → a text, which is a document of that id in `filled`."""
QUESTIONS = {
    "en": "Who approves remote work?",
    "de": "Wer genehmigt Telearbeit?",
    "hu": "Ki engedélyezi a távmunkát?",
    "zh": "谁批准远程办公",
    "ja": "在宅勤務は誰が承認しますか",
}
"""Language → what the text in that language answers."""
ODD_TEXTS = ("?!", "🙂👩‍👩‍👧‍👦", "\0", "a", "word " * 1_500, "árvíztűrő " * 300, "東京" * 800, "<b>&amp;</b> '\"; DROP")
"""Texts that something is often wrong with; none is blank."""
STAFF = AccessFilter("access", "in", ("staff",))
"""What somebody may see who has the label "staff"."""


async def filled(folder: Path, *, hidden: int = 0, embedder: Embedder | None = None) -> AsyncRove:
    """Open a base of `TEXTS` and some that have nothing to do with them, which "staff" may see, and `hidden` others.

    The embedder, unless one is given, has no weights: it knows words, not meanings.
    """
    kb = AsyncRove.open(folder, embedder=embedder or FakeEmbedder())
    seen = [Text(text, id=name, metadata={"lang": name, "access": ("staff",)}) for name, text in TEXTS.items()]
    rest = [
        Text(f"Filler number {n} speaks of weather and of trains.", id=f"f{n}", metadata={"n": n, "access": ("staff",)})
        for n in range(12)
    ]
    others = [
        Text(f"{text} {n}", id=f"h{n}{name}", title="Remote Work", metadata={"access": ("board",)})
        for n in range(hidden)
        for name, text in TEXTS.items()
    ]
    await kb.add(others[::2], seen, rest, others[1::2])
    return kb
