"""Which document, and which place in it, a reference leads to, where several have the name or the number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path

import pytest

from rove import AsyncRove, Text
from rove.references.places_within import Spot
from rove.references.targets import ReferenceTargets
from rove.references.text_references import references, title_candidates


async def found(folder: Path, files: Mapping[str, str | bytes], citing: str, said: str) -> list[str]:
    """The sources (and headings) that what is said in a document leads to, the best first; "said" is its last line."""
    for name, text in files.items():
        path = folder / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    async with AsyncRove.open(folder / "kb", embedder={"name": "fake"}) as kb:
        await kb.add(folder / "in")
        infos = {info.document_id: info for info in await kb.documents()}
        (own,) = [one for one in infos.values() if one.source.endswith(citing)]
        places = ReferenceTargets(kb.store)
        document = await places.document(own.document_id)
        assert document
        asked = [*references(said, document.language), *title_candidates(said, document.language)]
        at = max(document.text.find(said), 0)
        placed = [replace(one, span=(at + one.span[0], at + one.span[1])) for one in asked]
        spots = await places.candidates([(one, document) for one in placed])

        def named(spot: Spot) -> str:
            source = infos[spot.document_id].source.rpartition("/in/")[2]
            return f"{source} > {spot.title}" if spot.span else source

        return [named(spot) for some in spots for spot in some]


LEASE = "# Lease\n\n## 5 Rent\n\nThe rent is set out in Annex B.\n"
ANNEX = "# Annex B\n\nShop: 1,400 a month.\n"


@pytest.mark.parametrize(
    ("files", "citing", "said", "wanted"),
    [
        ({"lease.md": LEASE, "annex-b.md": ANNEX}, "lease.md", "Annex B", ["annex-b.md"]),
        (
            {"lease.md": LEASE, "annex-b.md": ANNEX, "other/annex-b.md": "# Annex B\n\nDogs.\n"},
            "in/lease.md",
            "Annex B",
            ["annex-b.md", "other/annex-b.md"],
        ),
        ({"a/lease.md": LEASE, "a/annexes/annex-b.md": ANNEX}, "lease.md", "Annex B", ["a/annexes/annex-b.md"]),
        ({"lease.md": LEASE, "Annex_B.txt": "Rents\n\nShop: 1,400.\n"}, "lease.md", "Annex B", ["Annex_B.txt"]),
        ({"lease.md": LEASE, "s3.md": "# Schedule 3: Rates\n\nx\n"}, "lease.md", "Schedule 3", ["s3.md"]),
        ({"lease.md": LEASE, "prices.md": "# Prices\n\nx\n"}, "lease.md", "[the list](prices.md)", ["prices.md"]),
        ({"lease.md": LEASE, "x/errors.md": "# All that fails\n\nx\n"}, "lease.md", "errors.md", ["x/errors.md"]),
        ({"lease.md": LEASE, "b.md": "# Appendix B\n\nx\n"}, "lease.md", "Annex B", []),
        ({"lease.md": LEASE, "b.md": "# Annex C\n\nAnnex B is gone.\n"}, "lease.md", "Annex B", []),
        (
            {
                "Hollins - agreement.md": "# Agreement HD-1\n\nx\n",
                "Fenwick - Annex B.md": "# Annex B to Agreement FB-2\n\nx\n",
                "Hollins - Annex B.md": "# Annex B to Agreement HD-1\n\nx\n",
            },
            "Hollins - agreement.md",
            "Annex B",
            ["Hollins - Annex B.md", "Fenwick - Annex B.md"],
        ),
        ({"h.md": "# 手册\n\n见附件三。\n", "c.md": "# 附件三 类别\n\n甲\n"}, "h.md", "详见附件三", ["c.md"]),
        (
            {"r.md": "# 就業規則\n\n## 第5条\n\n甲\n", "k.md": "# 休暇細則\n\n## 第5条\n\n乙\n"},
            "r.md",
            "「休暇細則」第5条による",
            ["k.md > 第5条"],
        ),
        ({"r.md": "# 就業規則\n\n## 第5条\n\n甲\n"}, "r.md", "「休暇細則」第5条による", []),
        (
            {"r.md": "# Kezelési utasítás\n\nx\n", "3_sz_melleklet.md": "# Árak\n\nx\n"},
            "r.md",
            "lásd a 3. számú mellékletet",
            ["3_sz_melleklet.md"],
        ),
        ({"r.md": "# Szabályzat\n\nx\n", "d.md": "# Díjszabás\n\nx\n"}, "r.md", "a Díjszabásban áll", ["d.md"]),
        (
            {"r.md": "# Satzung\n\n## § 5 Beitrag\n\nx\n", "g.md": "# Gebührenordnung\n\n## § 5 Höhe\n\nx\n"},
            "r.md",
            "nach § 5 der Gebührenordnung",
            ["g.md > § 5 Höhe"],
        ),
        (
            {"r.md": "# Satzung\n\n## § 5 Beitrag\n\nx\n", "g.md": "# Gebührenordnung\n\n## § 5 Höhe\n\nx\n"},
            "r.md",
            "nach § 5 dieser Satzung",
            ["r.md > § 5 Beitrag"],
        ),
        (
            {"r.md": "# Hauptsatzung\n\n## § 5 Beitrag\n\nx\n", "g.md": "# Ordnung\n\n## § 5 Höhe\n\nx\n"},
            "r.md",
            "nach § 5 der Satzung",
            ["r.md > § 5 Beitrag"],
        ),
        (
            {"r.md": '# HD-1\n\nA contract (the "Agreement").\n\n## 5 Fees\n\nx\n'},
            "r.md",
            "clause 5 of the Agreement",
            ["r.md > 5 Fees"],
        ),
        ({"r.md": "# Note\n\n## 5 Data\n\nx\n"}, "r.md", "section 5 of the Data Protection Act 2018", []),
        ({"r.md": "# Note\n\n## 3 Data\n\nx\n"}, "r.md", "See RFC 2119, section 3", []),
        ({"r.md": "# Note\n\nx\n", "t.md": "# Travel Policy\n\nx\n"}, "r.md", "as the Travel Policy says", ["t.md"]),
        (
            {"m.md": "# Main\n\nx\n", "b.md": "# Annex B\n\n## 4.2 Rates\n\nx\n\n## 4.3 Other\n\nx\n"},
            "m.md",
            "Section 4.2 of Annex B",
            ["b.md > 4.2 Rates"],
        ),
    ],
)
async def test_the_nearest_of_what_has_the_name_comes_first(
    tmp_path: Path, files: Mapping[str, str], citing: str, said: str, wanted: list[str]
) -> None:
    assert await found(tmp_path, files, citing, said) == wanted


async def test_what_is_attached_is_looked_for_in_the_mail_that_says_so(tmp_path: Path) -> None:
    def mail(subject: str, text: str, *attached: str) -> bytes:
        message = EmailMessage()
        message["Subject"], message["From"], message["To"] = subject, "a@x.example", "b@x.example"
        message.set_content(text)
        for name in attached:
            held = f"# {name}\n\nx\n".encode()
            message.add_attachment(held, maintype="text", subtype="markdown", filename=f"{name}.md")
        return message.as_bytes()

    files = {
        "1.eml": mail("Tételek", "Lásd a mellékelt ütemtervben.\n", "utemterv", "arak"),
        "2.eml": mail("Más", "Lásd a mellékelt ütemtervben.\n", "utemterv"),
        "3.eml": mail("Harmadik", "Lásd a mellékelt ütemtervben.\n"),
    }
    said = "lásd a mellékelt ütemtervben"
    assert await found(tmp_path / "a", files, "1.eml", said) == ["1.eml#utemterv.md"]
    assert await found(tmp_path / "b", files, "2.eml", said) == ["2.eml#utemterv.md"]
    assert await found(tmp_path / "c", files, "3.eml", said) == []


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("see the chapter on winter operation", "3 Operation in winter"),
        ("siehe das Kapitel über den Winterbetrieb", "3 Operation in winter"),
        ("see the chapter on governing bodies of the moon", ""),
        ("the chapter on the left", ""),
    ],
)
async def test_a_place_that_is_described_is_found_by_its_meaning(tmp_path: Path, said: str, wanted: str) -> None:
    text = "# Manual\n\n## 1 Definitions\n\nx\n\n## 2 Fees\n\ny\n\n## 3 Operation in winter\n\nz\n\n## 4 Law\n\nw\n"
    async with AsyncRove.open(tmp_path / "kb") as kb:
        await kb.add(Text(text, id="m", kind="markdown"))
        places = ReferenceTargets(kb.store, embedder=kb.embedder)
        document = await places.document("m")
        assert document
        (reference,) = references(said)
        found = (await places.candidates([(reference, document)]))[0]
        assert [spot.title for spot in found] == [wanted] * bool(wanted)
