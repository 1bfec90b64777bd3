"""The converting process, `python -m rove.sandbox.converter LIBRARY ROOM PARENT CPU_S MEMORY`: one file by LibreOffice.

It runs LibreOffice within itself, by the C interface LibreOfficeKit, which needs no socket and no second process. What
is to be converted lies in the room, which is all that it may write to; what comes of it goes to standard output.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
from pathlib import Path

from rove.sandbox import Limits
from rove.sandbox.jail import confine

GIVEN, MADE = "given", "made"
# Places of functions in LibreOfficeKit's tables (LibreOfficeKit.h): new ones come behind them.
LOAD, SAVE, KIND = 2, 2, 3
FORMATS = ("docx", "xlsx", "pptx", "pdf")
"""What a text, a workbook, slides and a drawing are saved as, by the number that LibreOfficeKit has for each."""
NOT_LOADED, NOT_SAVED = 3, 4
# Settings of LibreOffice: no macro runs, nothing is fetched, and Java is not looked for.
ITEM = (
    '<item oor:path="/org.openoffice.Office.{}"><prop oor:name="{}" oor:op="fuse"><value>true</value></prop></item>\n'
)
SETTINGS = "".join(
    [
        '<?xml version="1.0" encoding="UTF-8"?>\n<oor:items xmlns:oor="http://openoffice.org/2001/registry">\n',
        ITEM.format("Common/Security/Scripting", "DisableMacrosExecution"),
        ITEM.format("Common/Security/Scripting", "DisableActiveContent"),
        ITEM.format("Common/Security/Scripting", "BlockUntrustedRefererLinks"),
        "</oor:items>\n",
    ]
)


def main(library: str, room: str, parent: str, cpu_s: str, memory: str) -> None:
    """Convert what lies in the room."""
    made = os.dup(1)
    os.dup2(2, 1)  # LibreOffice prints what is no document
    confine(Limits(cpu_s=float(cpu_s), memory_bytes=int(memory)), room, int(parent))
    profile = Path(room, "profile", "user", "registrymodifications.xcu")
    profile.parent.mkdir(parents=True)
    profile.write_text(SETTINGS, "utf-8")
    status = _convert(library, room)
    if status == 0:
        with Path(room, MADE).open("rb") as converted, os.fdopen(made, "wb") as out:
            shutil.copyfileobj(converted, out)
    os._exit(status)  # LibreOffice' threads are of no use any more


def _convert(library: str, room: str) -> int:
    start = ctypes.CDLL(library).libreofficekit_hook_2
    start.restype = ctypes.c_void_p
    start.argtypes = [ctypes.c_char_p, ctypes.c_char_p]
    office = start(os.fsencode(Path(library).parent), Path(room, "profile").as_uri().encode())
    given, made = (Path(room, name).as_uri().encode() for name in (GIVEN, MADE))
    document = office and _function(office, LOAD, ctypes.c_void_p, ctypes.c_char_p)(office, given)
    if not document:
        return NOT_LOADED
    kind = _function(document, KIND, ctypes.c_int)(document)
    if kind not in range(len(FORMATS)):
        return NOT_LOADED
    save = _function(document, SAVE, ctypes.c_int, *[ctypes.c_char_p] * 3)
    return 0 if save(document, made, FORMATS[kind].encode(), None) else NOT_SAVED


def _function(thing: int, place: int, *types: type) -> ctypes.CFUNCTYPE:
    """Return a function of an object: what an object begins with points to the table of its functions."""
    table = ctypes.cast(thing, ctypes.POINTER(ctypes.POINTER(ctypes.c_void_p)))[0]
    result, *arguments = types
    return ctypes.CFUNCTYPE(result, ctypes.c_void_p, *arguments)(table[place] or 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
