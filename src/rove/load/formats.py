"""Formats that are known and not read: what each is called, by what it is known, and what to save it as."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WORD = "Open it in Word or LibreOffice and save it as .docx."
EXCEL = "Open it in Excel or LibreOffice and save it as .xlsx."
SLIDES = "Open it in PowerPoint or LibreOffice and save it as .pptx."
PDF = "Open it in its own program and save or print it as .pdf."
PICTURE = "Open it in an image viewer and save it as .png or .jpg."
UNPACK = "Unpack it, and add the folder."
TABLE = "Export its tables as .csv or .parquet."
LEAVE = "Leave it out: it holds no document."
COPY = "Save a copy without a password and add that."


@dataclass(frozen=True, slots=True)
class Unread:
    """One format: `what` completes "… is …", `cure` is a sentence."""

    what: str
    cure: str
    outcome: str = "unsupported"


UNREAD = {
    # documents
    "doc": Unread("a Word document of before 2007 (.doc)", WORD),
    "ole": Unread("a damaged file of an old Office program", "Open it there and save it as .docx, .xlsx or .pdf."),
    "ppt": Unread("a PowerPoint presentation of before 2007 (.ppt)", SLIDES),
    "xlsb": Unread("a binary Excel workbook (.xlsb)", EXCEL),
    "excel-add-in": Unread("an Excel add-in, which has no sheets to show", LEAVE),
    "locked": Unread("protected by a password", COPY, "encrypted"),
    "drm": Unread("protected by rights management (IRM)", "Save a copy without protection and add that.", "encrypted"),
    "vsd": Unread("a Visio drawing", "Open it in Visio or LibreOffice Draw and export it as .pdf."),
    "pub": Unread("a Publisher document (.pub)", "Open it in Publisher or LibreOffice Draw and export it as .pdf."),
    "mpp": Unread("a Microsoft Project plan (.mpp)", "Open it in Project and save it as .pdf or .xlsx."),
    "one": Unread("a OneNote section (.one)", "Export it from OneNote as .docx or .pdf."),
    "wps": Unread("a Microsoft Works document", "Open it in LibreOffice and save it as .docx or .xlsx."),
    "wpd": Unread("a WordPerfect file", "Open it in WordPerfect or LibreOffice and save it as .docx."),
    "hwp": Unread("a Hangul document (.hwp)", "Open it in Hancom Office and save it as .docx or .pdf."),
    "hwpx": Unread("a Hangul document (.hwpx)", "Open it in Hancom Office and save it as .docx or .pdf."),
    "iwork": Unread("a document of Pages, Numbers or Keynote", "Export it there as .docx, .xlsx, .pptx or .pdf."),
    "staroffice": Unread("a StarOffice document", "Open it in LibreOffice before 4.0 and save it as .odt or .ods."),
    "sxw": Unread("an OpenOffice.org 1 document", "Open it in LibreOffice and save it as .odt, .ods or .odp."),
    "flat-odf": Unread("a flat OpenDocument file", "Open it in LibreOffice and save it as .odt, .ods or .odp."),
    "odg": Unread("an OpenDocument drawing, formula, chart or database", "Export it from LibreOffice as .pdf."),
    "word-xml": Unread("a Word document in XML of 2003", WORD),
    "excel-xml": Unread("an Excel workbook in XML of 2003", EXCEL),
    "xps": Unread("an XPS document", "Open it in an XPS viewer and print it as .pdf."),
    "djvu": Unread("a DjVu document", "Convert it to .pdf (ddjvu -format=pdf does so)."),
    "mobi": Unread("a Kindle or Mobipocket book", "Convert it to .epub, by Calibre for one."),
    "fb2": Unread("a FictionBook (.fb2)", "Convert it to .epub, by Calibre for one."),
    "chm": Unread("a compiled help file (.chm)", "Unpack it (7-Zip does so), and add the folder of .html files."),
    "ps": Unread("a PostScript file", "Convert it to .pdf (ps2pdf does so)."),
    "dwg": Unread("an AutoCAD drawing (.dwg)", "Plot it as .pdf."),
    "pst": Unread("an Outlook mailbox (.pst, .ost)", "Convert it to .mbox (readpst does so), or save mails as .msg."),
    "tnef": Unread("an Outlook attachment (winmail.dat)", "Unpack it (tnef does so), and add what it holds."),
    # pictures, sound
    "heif": Unread("a picture of a format that is not read (HEIC, AVIF, JPEG 2000 or XL)", PICTURE),
    "psd": Unread("a Photoshop picture (.psd)", PICTURE),
    "drawn": Unread("a Windows drawing or icon (.emf, .wmf, .ico)", PICTURE),
    "midi": Unread("a MIDI file, which holds notes and no sound", LEAVE),
    # archives, disks, programs
    "7z": Unread("a 7-Zip archive", UNPACK),
    "rar": Unread("a RAR archive", UNPACK),
    "packed": Unread("a file compressed in a way that is not read (zstd, lz4, compress, lzip)", UNPACK),
    "package": Unread("a package of programs (.deb, .rpm, .cab, .msi)", UNPACK),
    "disk": Unread("a disk image", "Mount it, and add the folder."),
    "program": Unread("a program or its code", LEAVE),
    "font": Unread("a font", LEAVE),
    "ciphered": Unread("an encrypted file (PGP, age)", "Decrypt it and add the result.", "encrypted"),
    # data
    "export": Unread("an export of a base of Rove", "Take it in by: rove import FILE."),
    "sqlite-wal": Unread("the journal of an SQLite database", "Close its program, and add the database itself."),
    "access": Unread("an Access database", TABLE),
    "arrow": Unread("an Arrow or Feather table", TABLE),
    "orc": Unread("an ORC table", TABLE),
    "avro": Unread("an Avro file", TABLE),
    "hdf5": Unread("an HDF5 file (also MATLAB, NetCDF 4)", TABLE),
    "numpy": Unread("a NumPy array", TABLE),
}  # fmt: skip

CONVERTED = frozenset({
    "doc", "ppt", "xlsb", "word-xml", "excel-xml", "flat-odf", "odg", "sxw", "staroffice", "iwork", "wpd", "wps", "pub",
    "vsd", "hwp", "fb2",
})  # fmt: skip
"""Those that LibreOffice, where it is installed, makes into what is read."""

# What a file begins with, or has at an offset; the first that fits decides.
MARKS: Sequence[tuple[int, bytes, str]] = (
    (0, b"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d\xae\xb1\x53\x78\xd0\x29\x96\xd3", "one"),
    (0, b"\xffWPC", "wpd"), (0, b"HWP Document File", "hwp"),
    (0, b"AT&TFORM", "djvu"), (60, b"BOOKMOBI", "mobi"), (60, b"TEXtREAd", "mobi"), (0, b"ITSF", "chm"),
    (0, b"%!PS", "ps"), (0, b"\xc5\xd0\xd3\xc6", "ps"), (0, b"\x04%!PS", "ps"), (0, b"AC10", "dwg"),
    (0, b"!BDN", "pst"), (0, b"\x78\x9f\x3e\x22", "tnef"),
    (0, b"\0\0\0\x0cJXL \r\n\x87\n", "heif"), (0, b"\xff\x0a", "heif"), (0, b"\0\0\0\x0cjP  ", "heif"),
    (0, b"\xff\x4f\xff\x51", "heif"), (0, b"8BPS", "psd"), (0, b"\xd7\xcd\xc6\x9a", "drawn"), (40, b" EMF", "drawn"),
    (0, b"\0\0\1\0", "drawn"),
    (0, b"ID3", "audio"), (0, b"\xff\xfb", "audio"), (0, b"\xff\xf3", "audio"), (0, b"\xff\xf1", "audio"),
    (0, b"\xff\xfa", "audio"), (0, b"\xff\xf2", "audio"), (0, b"\xff\xe3", "audio"), (0, b"\xff\xf9", "audio"),
    (8, b"AIFF", "audio"), (8, b"AIFC", "audio"),
    (0, b"OggS", "audio"), (0, b"fLaC", "audio"), (8, b"WAVE", "audio"), (0, b"#!AMR", "audio"), (0, b"MThd", "midi"),
    (8, b"AVI LIST", "video"), (0, b"\x1a\x45\xdf\xa3", "video"), (0, b"FLV\1", "video"), (0, b"\0\0\1\xba", "video"),
    (0, b"\0\0\1\xb3", "video"), (0, b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "video"),
    (0, b"7z\xbc\xaf\x27\x1c", "7z"), (0, b"Rar!\x1a\x07", "rar"), (0, b"\x28\xb5\x2f\xfd", "packed"),
    (0, b"\x04\x22\x4d\x18", "packed"), (0, b"\x1f\x9d", "packed"), (0, b"LZIP", "packed"),
    (0, b"!<arch>\n", "package"), (0, b"\xed\xab\xee\xdb", "package"), (0, b"MSCF", "package"),
    (32769, b"CD001", "disk"),
    (0, b"KDMV", "disk"), (0, b"QFI\xfb", "disk"), (0, b"vhdxfile", "disk"), (0, b"conectix", "disk"),
    (0, b"\x7fELF", "program"), (0, b"\xca\xfe\xba\xbe", "program"), (0, b"\xcf\xfa\xed\xfe", "program"),
    (0, b"\xce\xfa\xed\xfe", "program"), (0, b"\0asm", "program"), (0, b"dex\n", "program"),
    (0, b"\0\1\0\0\0", "font"), (0, b"OTTO\0", "font"), (0, b"wOFF", "font"), (0, b"wOF2", "font"),
    (0, b"age-encryption.org/", "ciphered"), (0, b"-----BEGIN PGP MESSAGE-----", "ciphered"),
    (0, b"\x37\x7f\x06\x82", "sqlite-wal"), (0, b"\x37\x7f\x06\x83", "sqlite-wal"),
    (4, b"Standard Jet DB", "access"), (4, b"Standard ACE DB", "access"),
    (0, b"ARROW1\0\0", "arrow"), (0, b"FEA1", "arrow"), (0, b"ORC", "orc"), (0, b"Obj\1", "avro"),
    (0, b"\x89HDF\r\n\x1a\n", "hdf5"), (0, b"MATLAB 5.0 MAT-file", "hdf5"), (0, b"CDF\1", "hdf5"),
    (0, b"\x93NUMPY", "numpy"), (0, b'{"rove": 1, "embedder":', "export"),
)  # fmt: skip
# Files of boxes (ISO 14496-12) say after "ftyp" of what kind they are; what is not named is a video.
BRANDS = {"heif": (b"heic", b"heix", b"hevc", b"mif1", b"msf1", b"avif", b"avis"), "audio": (b"M4A ", b"M4B ")}
# Names at the root of Office's old container, and the kind; the first that is there decides.
OLE_NAMES = (
    ("EncryptedPackage", "locked"),
    ("\x09DRMContent", "drm"),
    ("__properties_version1.0", "msg"),
    ("WordDocument", "doc"),
    ("PowerPoint Document", "ppt"),
    ("PP40", "ppt"),
    ("Workbook", "xls"),
    ("Book", "xls"),
    ("VisioDocument", "vsd"),
    ("Quill", "pub"),
    ("BodyText", "hwp"),
    ("MatOST", "wps"),
    ("StarWriterDocument", "staroffice"),
    ("StarCalcDocument", "staroffice"),
    ("StarDrawDocument3", "staroffice"),
    ("PerfectOffice_MAIN", "wpd"),
    ("SPELLING", "wps"),
)
# What says of itself by a class at the root what it is.
OLE_CLASSES = {
    "74B78F3A-C8C8-11D1-BE11-00C04FB6FAF1": "mpp",
    "000C1084-0000-0000-C000-000000000046": "package",
    "28CDDBC2-0AE2-11CE-A29A-00AA004A1A72": "wps",
}
# By the main part that [Content_Types].xml names; templates and files with macros have types of their own.
CONTENT_TYPES = (
    (b"ms-excel.sheet.binary.macroEnabled.main", "xlsb"),
    (b"ms-excel.addin.macroEnabled.main", "excel-add-in"),
    (b"ms-visio.", "vsd"),
    (b"ms-package.xps-fixeddocumentsequence", "xps"),
    (b"oxps/", "xps"),
    (b"wordprocessingml.", "docx"),
    (b"ms-word.", "docx"),
    (b"presentationml.", "pptx"),
    (b"ms-powerpoint.", "pptx"),
    (b"spreadsheetml.", "xlsx"),
    (b"ms-excel.", "xlsx"),
)
MIMETYPES = (
    (b"application/vnd.oasis.opendocument.text", "odt"),
    (b"application/vnd.oasis.opendocument.spreadsheet", "ods"),
    (b"application/vnd.oasis.opendocument.presentation", "odp"),
    (b"application/vnd.oasis.opendocument.", "odg"),
    (b"application/vnd.sun.xml.", "sxw"),
    (b"application/epub+zip", "epub"),
    (b"application/hwp+zip", "hwpx"),
)
# Parts that only this kind of zip file has at its root.
ZIP_PARTS = (
    ("META-INF/container.xml", "epub"),
    ("Index/Document.iwa", "iwork"),
    ("Index.zip", "iwork"),
    ("FixedDocSeq.fdseq", "xps"),
    ("Contents/content.hpf", "hwpx"),
)
# XML that a file in it says of itself, near its beginning.
XML_MARKS = (
    (b'progid="Word.Document"', "word-xml"),
    (b"schemas.microsoft.com/office/word/2003/wordml", "word-xml"),
    (b"http://schemas.microsoft.com/office/2006/xmlPackage", "word-xml"),
    (b'progid="Excel.Sheet"', "excel-xml"),
    (b"urn:schemas-microsoft-com:office:spreadsheet", "excel-xml"),
    (b"urn:oasis:names:tc:opendocument:xmlns:office:1.0", "flat-odf"),
    (b"<FictionBook", "fb2"),
)
