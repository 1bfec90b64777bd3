"""Texts in older encodings, short ones too, in languages whose encodings are easily taken for one another."""

from __future__ import annotations

import pytest

from rove.load.text import decode

SENTENCES = {
    "Der Mietvertrag läuft über drei Jahre, „nur nach Prüfung“.": ("cp1252",),
    "Öffnungszeiten: täglich außer Sonntag, Gebühr 12 €": ("cp1252", "iso8859_15"),
    "Größe, Länge, Höhe: siehe Prüfbericht": ("cp1252", "cp850", "mac_roman"),
    "Le délai de préavis est fixé à trois mois ; où trouver la clé ?": ("cp1252", "iso8859_15", "mac_roman"),
    "¿Cuánto cuesta la revisión? Pregunte al señor Núñez.": ("cp1252", "mac_roman"),
    "Fűtési díj, közös költség, előleg": ("cp1250", "iso8859_2", "cp852"),
    "Koszty ogrzewania pokrywa najemca, chyba że strony postanowią inaczej; śląski oddział": ("cp1250", "iso8859_2"),
    "Žádost o dovolenou schvaluje přímý nadřízený do tří dnů.": ("cp1250", "iso8859_2", "mac_latin2"),
    "Цена: 1200 руб. с НДС, срок три месяца": ("cp1251", "koi8_r", "cp866", "iso8859_5", "mac_cyrillic"),
    "Договір оренди може бути розірваний, якщо сторони не домовились.": ("cp1251", "koi8_u"),
    "Η σύμβαση μίσθωσης μπορεί να λυθεί με προειδοποίηση.": ("cp1253", "iso8859_7"),
    "Kira sözleşmesi üç ay önceden bildirilerek feshedilebilir.": ("cp1254",),
    "חוזה השכירות ניתן לביטול בהודעה של שלושה חודשים מראש.": ("cp1255",),
    "يمكن إنهاء عقد الإيجار بإشعار مدته ثلاثة أشهر.": ("cp1256",),
    "Nuomos sutartis gali būti nutraukta įspėjus prieš tris mėnesius.": ("cp1257",),
    "賃貸借契約は三か月前に通知すれば解約できます。": ("cp932", "euc_jp"),
    "设备维修前请先切断电源，否则后果自负。": ("gb18030",),
    "租賃合約可於三個月前通知解除，押金於退租時返還。": ("big5",),
    "수리하기 전에 전원을 끄십시오.": ("cp949",),
}


@pytest.mark.parametrize(
    ("text", "encoding"), [(text, encoding) for text, encodings in SENTENCES.items() for encoding in encodings]
)
def test_a_short_text_is_read_in_its_own_encoding(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)) == text
