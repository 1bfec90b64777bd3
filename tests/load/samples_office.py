"""Office files made of their own XML: each part is given, so that tests do not depend on a library that writes them."""

from __future__ import annotations

from load.samples import PARAGRAPHS, zip_file

RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
NAMES = " ".join(
    f'xmlns:{prefix}="{uri}"'
    for prefix, uri in {
        "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "p": "http://schemas.openxmlformats.org/presentationml/2006/main",
        "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
        "c": "http://schemas.openxmlformats.org/drawingml/2006/chart",
        "dgm": "http://schemas.openxmlformats.org/drawingml/2006/diagram",
        "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
        "pic": "http://schemas.openxmlformats.org/drawingml/2006/picture",
        "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "r": RELATIONS,
        "p14": "http://schemas.microsoft.com/office/powerpoint/2010/main",
    }.items()
)
ODF = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in {
        "office": "office", "text": "text", "table": "table", "draw": "drawing", "style": "style", "meta": "meta",
        "presentation": "presentation", "svg": "svg-compatible", "fo": "xsl-fo-compatible", "chart": "chart",
    }.items()
) + ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'  # fmt: skip


def relations(targets: dict[str, str], external: dict[str, str] | None = None) -> bytes:
    """`targets` are "id kind" → part; `external` are id → address."""
    lines = [
        f'<Relationship Id="{name.split()[0]}" Type="{RELATIONS}/{name.split()[1]}" Target="{target}"/>'
        for name, target in targets.items()
    ]
    lines += [
        f'<Relationship Id="{name}" Type="{RELATIONS}/hyperlink" Target="{target}" TargetMode="External"/>'
        for name, target in (external or {}).items()
    ]
    space = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'<Relationships xmlns="{space}">{"".join(lines)}</Relationships>'.encode()


def core(title: str) -> bytes:
    return (
        '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">'
        f"<dc:title>{title}</dc:title><dc:creator>Kovács Éva</dc:creator><cp:keywords>kör, 数; Maß</cp:keywords>"
        "<dcterms:created>2024-03-01T10:00:00Z</dcterms:created></cp:coreProperties>"
    ).encode()


def word_file(body: str, parts: dict[str, str] | None = None, external: dict[str, str] | None = None) -> bytes:
    """A Word file; `parts` are kind → XML, with `{names}` for the namespaces."""
    parts = parts or {}
    targets = {f"rPart{n} {kind}": f"{kind}.xml" for n, kind in enumerate(parts)}
    targets |= {"rImage image": "media/image1.png"}
    files = {
        "_rels/.rels": relations(
            {"r1 officeDocument": "word/document.xml", "r2 metadata/core-properties": "docProps/core.xml"}
        ),
        "docProps/core.xml": core(""),
        "word/document.xml": f"<w:document {NAMES}><w:body>{body}</w:body></w:document>".encode(),
        "word/_rels/document.xml.rels": relations(targets, external),
        "word/media/image1.png": b"\x89PNG",
        **{f"word/{kind}.xml": text.replace("{names}", NAMES).encode() for kind, text in parts.items()},
    }
    return zip_file(files)


def w_p(*runs: str, style: str = "", more: str = "") -> str:
    """A paragraph; what is no markup becomes a run."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    inside = "".join(run if run.startswith("<") else f"<w:r><w:t>{run}</w:t></w:r>" for run in runs)
    return f"<w:p><w:pPr>{named}{more}</w:pPr>{inside}</w:p>"


def w_list(list_id: int, depth: int = 0) -> str:
    return f'<w:numPr><w:ilvl w:val="{depth}"/><w:numId w:val="{list_id}"/></w:numPr>'


def w_field(instruction: str, shown: str) -> str:
    mark = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'
    return (
        f"{mark.format('begin')}<w:r><w:instrText>{instruction}</w:instrText></w:r>{mark.format('separate')}"
        f"<w:r><w:t>{shown}</w:t></w:r>{mark.format('end')}"
    )


def w_table(rows: list[list[str]], header: int = 0) -> str:
    """Cells are text, or XML of the whole cell."""
    out = ""
    for index, row in enumerate(rows):
        mark = "<w:trPr><w:tblHeader/></w:trPr>" if index < header else ""
        cells = "".join(cell if cell.startswith("<w:tc>") else f"<w:tc>{w_p(cell)}</w:tc>" for cell in row)
        out += f"<w:tr>{mark}{cells}</w:tr>"
    return f"<w:tbl>{out}</w:tbl>"


W_STYLES = (
    "<w:styles {names}>"
    '<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="berschrift2"><w:name w:val="heading 2"/>'
    '<w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="berschrift1"/>'
    '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="TOCHeading"><w:name w:val="TOC Heading"/><w:basedOn w:val="berschrift1"/>'
    '<w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="Caption"><w:name w:val="caption"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="Code"><w:name w:val="Source Code"/></w:style>'
    "</w:styles>"
)
W_NUMBERING = (
    "<w:numbering {names}>"
    '<w:abstractNum w:abstractNumId="0">'
    '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1."/></w:lvl>'
    '<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/><w:isLgl/></w:lvl>'
    "</w:abstractNum>"
    '<w:abstractNum w:abstractNumId="1">'
    '<w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1)"/></w:lvl>'
    '<w:lvl w:ilvl="1"><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="(%2)"/></w:lvl></w:abstractNum>'
    '<w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="•"/></w:lvl>'
    '<w:lvl w:ilvl="1"><w:numFmt w:val="japaneseCounting"/><w:lvlText w:val="第%2"/></w:lvl></w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>'
    '<w:num w:numId="3"><w:abstractNumId w:val="2"/></w:num>'
    '<w:num w:numId="4"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/>'
    "</w:lvlOverride></w:num>"
    "</w:numbering>"
)


def slide(shapes: str, attributes: str = "") -> str:
    return f"<p:sld {NAMES} {attributes}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>"


def shape(text: str, at: tuple[int, int] | None = None, *, kind: str = "", size: tuple[int, int] = (400, 100)) -> str:
    """A shape with one paragraph a line; `text` that is markup is its paragraphs."""
    mark = f'<p:ph type="{kind}"/>' if kind else ""
    place = f'<a:xfrm><a:off x="{at[0]}" y="{at[1]}"/><a:ext cx="{size[0]}" cy="{size[1]}"/></a:xfrm>' if at else ""
    lines = text if text.startswith("<") else "".join(f"<a:p><a:r><a:t>{t}</a:t></a:r></a:p>" for t in text.split("\n"))
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="1" name="x"/><p:cNvSpPr/><p:nvPr>{mark}</p:nvPr></p:nvSpPr>'
        f"<p:spPr>{place}</p:spPr><p:txBody>{lines}</p:txBody></p:sp>"
    )


def deck_file(slides: list[str], parts: dict[str, str] | None = None, links: dict[int, dict[str, str]] | None = None,
              presentation: str = "") -> bytes:  # fmt: skip
    """Slides of 1000 × 500; `links` are slide number → "id kind" → target, or id → address."""
    ids = "".join(f'<p:sldId id="{255 + n}" r:id="r{n}"/>' for n in range(1, len(slides) + 1))
    files = {
        "_rels/.rels": relations(
            {"r1 officeDocument": "ppt/presentation.xml", "r2 metadata/core-properties": "docProps/core.xml"}
        ),
        "docProps/core.xml": core("PowerPoint Presentation"),
        "ppt/presentation.xml": (
            f'<p:presentation {NAMES}><p:sldIdLst>{ids}</p:sldIdLst><p:sldSz cx="1000" cy="500"/>{presentation}'
            "</p:presentation>"
        ).encode(),
        "ppt/_rels/presentation.xml.rels": relations(
            {f"r{n} slide": f"slides/slide{n}.xml" for n in range(1, len(slides) + 1)}
            | {"a1 commentAuthors": "commentAuthors.xml"}
        ),
        **{f"ppt/slides/slide{n}.xml": text.encode() for n, text in enumerate(slides, 1)},
        **{f"ppt/{name}": text.replace("{names}", NAMES).encode() for name, text in (parts or {}).items()},
    }
    for number, targets in (links or {}).items():
        inside = {name: target for name, target in targets.items() if " " in name}
        outside = {name: target for name, target in targets.items() if " " not in name}
        files[f"ppt/slides/_rels/slide{number}.xml.rels"] = relations(inside, outside)
    return zip_file(files)


def odf_file(
    kind: str, body: str, *, styles: str = "", automatic: str = "", parts: dict[str, str] | None = None
) -> bytes:
    """`kind` is "text" or "presentation"."""
    return zip_file(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}".encode(),
            "content.xml": (
                f"<office:document-content {ODF}><office:automatic-styles>{automatic}</office:automatic-styles>"
                f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
            ).encode(),
            "styles.xml": f"<office:document-styles {ODF}>{styles}</office:document-styles>".encode(),
            "meta.xml": (
                f"<office:document-meta {ODF}><office:meta><dc:title>Gyűjtemény</dc:title>"
                "<meta:initial-creator>Kovács Éva</meta:initial-creator><dc:creator>Later</dc:creator>"
                "<meta:keyword>kör</meta:keyword><meta:keyword>数</meta:keyword>"
                "<meta:creation-date>2024-03-01T10:00:00</meta:creation-date></office:meta></office:document-meta>"
            ).encode(),
            **{name: text.replace("{names}", ODF).encode() for name, text in (parts or {}).items()},
        }
    )


def deck_sample() -> bytes:
    return deck_file([slide(shape(f"Teil {code}", kind="title") + shape(text)) for code, text in PARAGRAPHS.items()])


def odt_sample() -> bytes:
    return odf_file(
        "text",
        "".join(
            f'<text:h text:outline-level="2">Teil {code}</text:h><text:p>{text}</text:p>'
            for code, text in PARAGRAPHS.items()
        ),
    )


def odp_sample() -> bytes:
    pages = "".join(
        f'<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>Teil {code}</text:p></draw:text-box>'
        f"</draw:frame><draw:frame><draw:text-box><text:p>{text}</text:p></draw:text-box></draw:frame></draw:page>"
        for code, text in PARAGRAPHS.items()
    )
    return odf_file("presentation", pages)


def rtf_text(text: str) -> str:
    """Text as RTF: what is not ASCII by its UTF-16 units, each with a stand-in."""
    units = text.encode("utf-16-le")
    numbers = [int.from_bytes(units[at : at + 2], "little", signed=True) for at in range(0, len(units), 2)]
    return "".join(chr(n) if 31 < n < 127 and chr(n) not in "\\{}" else f"\\u{n}?" for n in numbers)


def rtf_sample() -> bytes:
    paragraphs = "".join(
        f"\\pard\\s1 Teil {code}\\par\n\\pard {rtf_text(text)}\\par\n" for code, text in PARAGRAPHS.items()
    )
    return f"{{\\rtf1\\ansi{{\\stylesheet{{\\s1 heading 1;}}}}{paragraphs}}}".encode("ascii")
