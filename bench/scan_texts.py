"""What is printed on the pages of `bench.scans`: two texts of our own in each of five languages."""

from __future__ import annotations

OPEN = {
    "en": (
        "Minutes of the housing association, 14 March 2019. The chair opened the meeting at 18:30 and welcomed 27 "
        "members. The roof of block C leaks again: two offers were received, for 48,200 and 51,950 euros, and the "
        "cheaper one was accepted by 19 votes to 6, with 2 abstentions.\n"
        "The yearly fee rises by 3.5 % from 1 July. Anyone who pays late receives a letter after ten days and is "
        "charged 12.50 euros. Questions go to Ms O'Brien, room 204, or to office@example.org; the next meeting is "
        "on 9 May."
    ),
    "de": (
        "Protokoll der Hausgemeinschaft vom 14. März 2019. Die Vorsitzende begrüßte um 18.30 Uhr 27 Mitglieder. Das "
        "Dach von Block C ist wieder undicht: Es lagen zwei Angebote über 48.200 und 51.950 Euro vor; das "
        "günstigere wurde mit 19 zu 6 Stimmen bei 2 Enthaltungen angenommen.\n"
        "Ab dem 1. Juli steigt das Hausgeld um 3,5 %. Wer zu spät überweist, erhält nach zehn Tagen ein Schreiben "
        "und zahlt 12,50 Euro Gebühr. Rückfragen bitte an Frau Größmann, Zimmer 204; die nächste Sitzung ist am 9. "
        "Mai."
    ),
    "hu": (
        "A lakóközösség jegyzőkönyve, 2019. március 14. Az elnök 18.30-kor nyitotta meg az ülést, és 27 tagot "
        "üdvözölt. A C épület teteje ismét beázik: két ajánlat érkezett, 48 200 és 51 950 euróról; az olcsóbbat 19 "
        "szavazattal 6 ellenében, 2 tartózkodás mellett elfogadták.\n"
        "Az éves díj július 1-jétől 3,5 %-kal nő. Aki későn fizet, tíz nap múlva levelet kap, és 12,50 euró "
        "pótdíjat köteles megtéríteni. Kérdéseikkel forduljanak Szűcs Győzőhöz a 204-es szobában; a következő ülés "
        "május 9-én lesz."
    ),
    "zh": (
        "住房协会会议记录，2019年3月14日。主席于18点30分宣布开会，欢迎27名会员到场。丙栋的屋顶再次漏"
        "水：共收到两份报价，分别为48200欧元和51950欧元，价格较低的一份以19票赞成、6票反对、2票弃权"
        "获得通过。\n"
        "自7月1日起，年费上调百分之三点五。逾期付款者将在十天后收到信函，并须支付12.5欧元的手续费。如有疑问"
        "，请到204室找王女士；下次会议定于5月9日举行。"
    ),
    "ja": (
        "住宅組合の議事録、2019年3月14日。議長は18時30分に開会を宣言し、27名の組合員を歓迎した。丙棟"
        "の屋根がまた雨漏りしており、48200ユーロと51950ユーロの二件の見積もりが届いた。安いほうが賛成1"
        "9票、反対6票、棄権2票で承認された。\n"
        "年会費は7月1日から三点五パーセント上がる。支払いが遅れた人には十日後に手紙が届き、12.5ユーロの手数"
        "料がかかる。質問は204号室の田中さんまで。次の会合は5月9日に開かれる。"
    ),
}

HELD = {
    "en": (
        "Dear Mr Whitfield, thank you for your order no. QX-7731/b of 6 October. Three of the five pumps (type 8H, "
        "230 V, 1.1 kW) left our works on Monday by rail; the remaining two are being tested because a gasket "
        "failed at 6.4 bar. We expect to ship them within a fortnight, free of charge.\n"
        "Please keep the wooden crates: they are collected by Janssen & Sons. Should a valve stick, do not force "
        "it; loosen the knurled screw by a quarter turn, wait until the gauge shows zero and call +44 20 7946 0123. "
        "The guarantee ends on 31 December 2027 unless the seal is broken."
    ),
    "de": (
        "Sehr geehrter Herr Weißmüller, vielen Dank für Ihre Bestellung Nr. QX-7731/b vom 6. Oktober. Drei der fünf "
        "Pumpen (Typ 8H, 230 V, 1,1 kW) haben unser Werk am Montag per Bahn verlassen; die übrigen zwei werden "
        "geprüft, weil eine Dichtung bei 6,4 bar versagt hat. Wir liefern sie voraussichtlich binnen vierzehn "
        "Tagen, selbstverständlich ohne Aufpreis.\n"
        "Bitte bewahren Sie die Holzkisten auf: Die Spedition Jäger holt sie ab. Klemmt ein Ventil, wenden Sie "
        "keine Gewalt an, lösen Sie die Rändelschraube um eine Vierteldrehung und warten Sie, bis das Manometer "
        "null zeigt. Die Garantie erlischt am 31. Dezember 2027, außer das Siegel ist beschädigt."
    ),
    "hu": (
        "Tisztelt Kőrösi Úr, köszönjük QX-7731/b számú, október 6-án kelt megrendelését. Az öt szivattyúból három "
        "(8H típus, 230 V, 1,1 kW) hétfőn vasúton elhagyta üzemünket; a másik kettőt még vizsgáljuk, mert egy "
        "tömítés 6,4 bar nyomásnál meghibásodott. Várhatóan két héten belül szállítjuk őket, felár nélkül.\n"
        "Kérjük, őrizze meg a faládákat: a Győri Fuvarozó Kft. elviszi őket. Ha egy szelep beragad, ne erőltesse; "
        "lazítsa meg a recézett csavart negyed fordulattal, és várja meg, amíg a műszer nullát mutat. A jótállás "
        "2027. december 31-én jár le, kivéve, ha a plomba sérült."
    ),
    "zh": (
        "尊敬的李先生：感谢您10月6日的订单，编号QX-7731/b。五台水泵中的三台（8H型，230伏，1.1"
        "千瓦）已于星期一通过铁路运出；其余两台因密封圈在6.4巴压力下失效，目前正在检验。我们预计在两周内免费发"
        "货。\n"
        "请妥善保管木箱，运输公司会上门回收。如果阀门卡住，请勿用力，先将滚花螺钉松开四分之一圈，等压力表归零后再"
        "拨打客服电话。保修期至2027年12月31日止，封条损坏者除外。"
    ),
    "ja": (
        "拝啓　佐々木様、10月6日付のご注文（番号QX-7731/b）をありがとうございます。ポンプ五台のうち三"
        "台（8H型、230ボルト、1.1キロワット）は月曜日に鉄道で工場を出ました。残りの二台は、6.4バールで"
        "パッキンが破れたため検査中です。二週間以内に無料でお届けする予定です。\n"
        "木箱は保管してください。運送会社が引き取りに伺います。弁が動かないときは無理に回さず、つまみねじを四分の"
        "一回転ゆるめ、圧力計がゼロになるまでお待ちください。保証は2027年12月31日までですが、封印が壊れた"
        "場合は除きます。"
    ),
}
