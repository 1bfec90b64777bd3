"""The converting process, `python -m rove.sandbox.converter LIBRARY ROOM PARENT CPU_S MEMORY`: one file by LibreOffice.

It runs LibreOffice within itself, by the C interface LibreOfficeKit, which needs no socket and no second process. What
is to be converted lies in the room, which is all that it may write to; what comes of it goes to standard output.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from rove.sandbox import Limits
from rove.sandbox.jail import confine

GIVEN, MADE = "given", "made"
RUN_MACRO = 11
"""The place of runMacro in LibreOfficeKit's table of functions (LibreOfficeKit.h); new ones come behind it."""
UNREAD = 3
XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
# No macro of a document runs, nothing is fetched, no Java; and the profile is whole, lest files of ours be replaced.
SETTINGS = {
    ("Office.Common/Security/Scripting", "MacroSecurityLevel"): "3",
    ("Office.Common/Security/Scripting", "BlockUntrustedRefererLinks"): "true",
    ("Office.Java/VirtualMachine", "Enable"): "false",
    ("Setup/Office", "ooSetupInstCompleted"): "true",
}
ITEM = '<item o:path="/org.openoffice.{}"><prop o:name="{}" o:op="fuse"><value>{}</value></prop></item>'
# LibreOfficeKit's own way to load opens a window, which the packages for servers ("nogui") lack the parts for; Basic
# loads without one, and each kind of document is saved as what keeps most of it. What no other filter knows, a damaged
# file for one, is taken for plain text: that is nobody's words.
BASIC = """Sub Convert
Dim given(2) As New com.sun.star.beans.PropertyValue
given(0).Name = "Hidden" : given(0).Value = True
given(1).Name = "MacroExecutionMode" : given(1).Value = 0
given(2).Name = "UpdateDocMode" : given(2).Value = 0
document = StarDesktop.loadComponentFromURL("{given}", "_blank", 0, given())
For Each argument In document.getArgs()
  If argument.Name = "FilterName" Then If Left(argument.Value, 4) = "Text" Then Exit Sub
Next
Dim made(0) As New com.sun.star.beans.PropertyValue
made(0).Name = "FilterName" : made(0).Value = "draw_pdf_Export"
If document.supportsService("com.sun.star.text.GenericTextDocument") Then made(0).Value = "MS Word 2007 XML"
If document.supportsService("com.sun.star.sheet.SpreadsheetDocument") Then made(0).Value = "Calc MS Excel 2007 XML"
If document.supportsService("com.sun.star.presentation.PresentationDocument") Then _
  made(0).Value = "Impress MS PowerPoint 2007 XML"
document.storeToURL("{made}", made())
End Sub"""


def main(library: str, room: str, parent: str, cpu_s: str, memory: str) -> None:
    """Convert what lies in the room."""
    out = os.dup(1)
    os.dup2(2, 1)  # LibreOffice prints what is no document
    confine(Limits(cpu_s=float(cpu_s), memory_bytes=int(memory)), room, int(parent))
    profile = Path(room, "profile")
    for name, text in _profile(*(Path(room, name).as_uri() for name in (GIVEN, MADE))).items():
        (profile / name).parent.mkdir(parents=True, exist_ok=True)
        (profile / name).write_text(XML + text, "utf-8")
    _convert(Path(library), profile)
    made = Path(room, MADE)
    if not made.is_file():
        os._exit(UNREAD)
    with made.open("rb") as converted, os.fdopen(out, "wb") as pipe:
        shutil.copyfileobj(converted, pipe)
    os._exit(0)  # LibreOffice's threads are of no use any more


def _profile(given: str, made: str) -> Mapping[str, str]:
    items = "".join(ITEM.format(*place, value) for place, value in SETTINGS.items())
    library = "http://openoffice.org/2000/library"
    script = 'xmlns:script="http://openoffice.org/2000/script" script:language="StarBasic"'
    return {
        "user/registrymodifications.xcu": f'<o:items xmlns:o="http://openoffice.org/2001/registry">{items}</o:items>',
        "user/basic/script.xlc": f'<l:libraries xmlns:l="{library}" xmlns:xlink="http://www.w3.org/1999/xlink">'
        '<l:library l:name="Standard" xlink:href="$(USER)/basic/Standard/script.xlb/" xlink:type="simple" '
        'l:link="false"/></l:libraries>',
        "user/basic/Standard/script.xlb": f'<l:library xmlns:l="{library}" l:name="Standard"><l:element l:name="Rove"/>'
        "</l:library>",
        "user/basic/Standard/Rove.xba": f'<script:module {script} script:name="Rove"><![CDATA['
        f"{BASIC.format(given=given, made=made)}]]></script:module>",
    }


def _convert(library: Path, profile: Path) -> None:
    start = ctypes.CDLL(str(library)).libreofficekit_hook_2
    start.restype, start.argtypes = ctypes.c_void_p, [ctypes.c_char_p] * 2
    office = start(os.fsencode(library.parent), profile.as_uri().encode())
    if not office:
        return
    functions = ctypes.cast(office, ctypes.POINTER(ctypes.POINTER(ctypes.c_void_p)))[0]
    run = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(functions[RUN_MACRO] or 0)
    run(office, b"macro:///Standard.Rove.Convert()")


if __name__ == "__main__":
    main(*sys.argv[1:])
