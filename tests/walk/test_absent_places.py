"""A walk that comes to a place which is not in the base says how far it came; it answers from no unrelated leaflet."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove.engine import AsyncRove

CASES = {
    "en": (
        "What is the rent of the shop?",
        "# Lease\n\n## 5 Rent\n\nThe rent of the shop is set out in Annex B.\n",
        "# Tennis club\n\nThe rent of a court is 12 pounds. The shop of the club sells balls.\n",
        "Annex B, which is not in the base",
        "# Annex B\n\nShop: 1,400 a month. Flat: 900 a month.\n",
        "1,400",
    ),
    "de": (
        "Was kostet die Zulassung eines Stegs?",
        "# Seeordnung\n\n## § 12 Stege\n\nWas die Zulassung eines Stegs kostet, steht in Anlage 3.\n",
        "# Merkblatt\n\nEin Straßenaufbruch kostet 55 Euro. Die Zulassung eines Krans kostet 80 Euro.\n",
        "Anlage 3, was nicht im Bestand ist",
        "# Anlage 3\n\n| Gegenstand | Euro |\n|---|---|\n| Boje | 31 |\n| Steg | 230 |\n",
        "230",
    ),
    "hu": (
        "Mennyi a bolt bérleti díja?",
        "# Bérleti szerződés\n\n## 5. Bérleti díj\n\nA bolt bérleti díját a 2. melléklet tartalmazza.\n",
        "# Teniszklub\n\nA pálya bérleti díja 4000 forint óránként.\n",
        "2. melléklet, ami nincs az állományban",
        "# 2. melléklet\n\n| Helyiség | Díj (Ft) |\n|---|---|\n| bolt | 84000 |\n| raktár | 31000 |\n",
        "84000",
    ),
    "zh": (
        "商铺的租金是多少?",
        "# 租赁合同\n\n## 第五条 租金\n\n商铺的租金见附件二。\n",
        "# 网球俱乐部\n\n球场租金每小时60元。\n",
        "附件二，但库中没有它",
        "# 附件二\n\n| 场所 | 元/月 |\n|---|---|\n| 商铺 | 8400 |\n| 仓库 | 3100 |\n",
        "8400",
    ),
    "ja": (
        "店舗の賃料はいくらですか。",
        "# 賃貸借契約\n\n## 第5条 賃料\n\n店舗の賃料は別紙2による。\n",
        "# テニスクラブ\n\nコートの料金は一時間800円である。\n",
        "別紙2はナレッジベースにありません",
        "# 別紙2\n\n| 場所 | 円/月 |\n|---|---|\n| 店舗 | 84000 |\n| 倉庫 | 31000 |\n",
        "84000",
    ),
}


@pytest.mark.parametrize("language", CASES)
async def test_it_says_what_is_pointed_to_and_absent_and_arrives_once_it_is_there(
    language: str, tmp_path: Path
) -> None:
    question, source, leaflet, told, place, right = CASES[language]
    files = tmp_path / "files"
    files.mkdir()
    (files / "source.md").write_text(source, encoding="utf-8")
    (files / "leaflet.md").write_text(leaflet, encoding="utf-8")
    async with AsyncRove.open(tmp_path / "kb", walk={"memory": False}) as kb:
        await kb.add(files)
        answer = await kb.walk(question).answered()
        assert answer.refused
        assert told in answer.text
        assert [citation.title for citation in answer.citations] == [source.partition("\n")[0].strip("# ")]
        assert answer.short is None
        (files / "place.md").write_text(place, encoding="utf-8")
        await kb.add(files)
        walk = kb.walk(question)
        answer = await walk.answered()
        assert right in answer.text
        assert not answer.refused
        names = {lead.text for lead in walk.state.leads if lead.kind == "name"}
        assert not [name for name in names if any(map(str.isdigit, name))], "an amount is no name to look for"
