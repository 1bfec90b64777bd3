"""Hostile files whose format is text: depth, floods, bombs by entity, and bait for backtracking patterns.

Each maker takes `n`, how far it goes; the same `n` gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable

Maker = Callable[[int], bytes]

SECRET = "rove-secret-that-no-parser-may-read"
"""What the file at `SECRET_PATH` holds; no document may hold it."""
SECRET_PATH = "/tmp/rove-secret.txt"  # noqa: S108 - tests write it; hostile files point at it

BAIT = ("a", " ", "\t", "\n", "(", "[", "<", "`", "|", "#", "*", "_", "$", "=\n", "-\n", "> ", "- ", "1. ", "![](",
        "[^1]", "<!--", "&", "\\", "://", "a@", "a.", "|-", "| --- |\n", "  \n", "e\u0301", "\u202e", "\u3000", "{",
        "]]>", "~~~\n", "\u200b", "1,", '"', "'", "\r", "\x0c")  # fmt: skip


def bait(piece: str) -> Maker:
    """One piece again and again, in one line where it has no line end, with an end that does not fit."""
    return lambda n: (piece * n + "!\n\nend of it").encode()


def billion_laughs(root: str) -> Maker:
    def make(n: int) -> bytes:
        entities = "".join(f"<!ENTITY e{k} '" + f"&e{k - 1};" * 10 + "'>" for k in range(1, 10))
        doctype = f"<!DOCTYPE {root} [<!ENTITY e0 '" + "ha" * n + f"'>{entities}]>"
        return f"<?xml version='1.0'?>{doctype}<{root}>&e9;</{root}>".encode()

    return make


def quadratic_entity(n: int) -> bytes:
    return ("<!DOCTYPE a [<!ENTITY e '" + "x" * n + "'>]><a>" + "&e;" * n + "</a>").encode()


def external(doctype: str, use: str) -> Maker:
    text = f'<?xml version="1.0"?><!DOCTYPE a [{doctype}]><a><b>safe words</b>{use}</a>'
    return lambda _: text.encode()


def nested(opening: str, closing: str, inner: str = "deep", head: str = "", tail: str = "") -> Maker:
    return lambda n: (head + opening * n + inner + closing * n + tail).encode()


def mail_in_mail(n: int) -> bytes:
    return (
        b"Subject: shell\nMIME-Version: 1.0\nContent-Type: message/rfc822\n\n" * n + b"Subject: kernel\n\nThe kernel."
    )


def parts_in_parts(n: int) -> bytes:
    heads = [f'Content-Type: multipart/mixed; boundary="b{k}"\n\n--b{k}\n' for k in range(n)]
    return ("Subject: parts\nMIME-Version: 1.0\n" + "".join(heads) + "Content-Type: text/plain\n\nThe inmost.").encode()


def attachments(n: int) -> bytes:
    part = '--b\nContent-Type: application/zip\nContent-Disposition: attachment; filename="../../etc/x{}"\n\n\x01\x02\n'
    body = "".join(part.format(k) for k in range(n))
    head = 'Subject: many\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n\n--b\n\nThe words.\n'
    return (head + body + "--b--\n").encode()


def mail_head(line: str) -> Maker:
    return lambda n: ("From: a@example.org\n" + line * n + "\nSubject: head\n\nThe words of the mail.").encode()


def notebook(cell: object) -> Maker:
    return lambda n: json.dumps(
        {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell] * min(n, 5000)}
    ).encode()


def rss(n: int) -> bytes:
    item = "<item><title>An item</title><description>&lt;p&gt;Words&lt;/p&gt;</description></item>"
    return f'<?xml version="1.0"?><rss version="2.0"><channel><title>Feed</title>{item * n}</channel></rss>'.encode()


def html_table(attributes: str) -> Maker:
    row = f"<tr><td {attributes}>cell</td><td>two</td></tr>"
    return lambda n: f"<html><body><p>Before it.</p><table>{row * min(n, 2000)}</table></body></html>".encode()


def rst_substitutions(n: int) -> bytes:
    lines = [f".. |s{k}| replace:: " + " ".join([f"|s{k + 1}|"] * 10) for k in range(min(n, 9))]
    return ("Title\n=====\n\n|s0|\n\n" + "\n".join(lines) + "\n.. |s9| replace:: ha\n").encode()


def rst_file(directive: str) -> Maker:
    return lambda _: f"Title\n=====\n\nSafe words.\n\n{directive}\n".encode()


def rtf(inner: str) -> Maker:
    return lambda n: ("{\\rtf1\\ansi Words before. " + inner * n + " Words after.}").encode()


MAKERS: dict[str, Maker] = {
    **{f"bait-{number}{suffix}": bait(piece) for number, piece in enumerate(BAIT) for suffix in (".md", ".html")},
    "bait.rst": bait("`a_ *b |c "),
    "bait.csv": bait('a,"'),
    "bait.rtf": rtf("\\'e4\\u228 ?{\\*"),
    "laughs.xml": billion_laughs("a"),
    "laughs.html": billion_laughs("html"),
    "quadratic.xml": quadratic_entity,
    "file.xml": external(f'<!ENTITY x SYSTEM "file://{SECRET_PATH}">', "<c>&x;</c>"),
    "parameter.xml": external(f'<!ENTITY % p SYSTEM "file://{SECRET_PATH}"> %p;', ""),
    "dtd.xml": lambda _: f'<!DOCTYPE a SYSTEM "file://{SECRET_PATH}"><a><b>safe words</b></a>'.encode(),
    "xinclude.xml": lambda _: (
        f'<a xmlns:xi="http://www.w3.org/2001/XInclude"><b>safe</b><xi:include parse="text" href="file://{SECRET_PATH}"/></a>'
    ).encode(),
    "loop.xml": external('<!ENTITY a "&b;"><!ENTITY b "&a;">', "&a;"),
    "deep.xml": nested("<a>", "</a>"),
    "deep-names.xml": lambda n: ("".join(f"<a{k} b='{k}'>" for k in range(n)) + "deep").encode(),
    "attributes.xml": lambda n: ("<a " + " ".join(f"b{k}='c'" for k in range(n)) + ">words</a>").encode(),
    "namespaces.xml": lambda n: ("<a " + " ".join(f"xmlns:n{k}='u'" for k in range(n)) + ">words</a>").encode(),
    "siblings.xml": nested("<b>w</b>", "", head="<a>", tail="</a>"),
    "encoding.xml": lambda _: b'<?xml version="1.0" encoding="utf-99"?><a><b>some words</b></a>',
    "utf16.xml": lambda _: '<?xml version="1.0" encoding="utf-16"?><a><b>some words</b></a>'.encode("utf-16"),
    "feed.xml": rss,
    "deep.html": nested("<div>", "</div>", head="<html><body><p>Start.</p>"),
    "deep-lists.html": nested("<ul><li>x", "</li></ul>"),
    "deep-tables.html": nested("<table><tr><td>", "</td></tr></table>"),
    "deep-quotes.html": nested("<blockquote>", ""),
    "deep-inline.html": nested("<b><i>", ""),
    "unclosed.html": nested("<p><a href=x>", ""),
    "script.html": lambda n: b"<html><body><p>Seen.</p><script>" + b"var x = '</'; " * n,
    "comment.html": lambda n: b"<html><body><p>Seen.</p><!-- " + b"- <p>unseen</p> " * n,
    "spans.html": html_table('rowspan="1000000000" colspan="1000000000"'),
    "spans-odd.html": html_table('rowspan="-5" colspan="1e9"'),
    "data-url.html": lambda n: b'<p>Words.</p><img alt="x" src="data:image/png;base64,' + b"AAAA" * n + b'">',
    "charset.html": lambda _: (
        b'<html><head><meta charset="utf-99"></head><body><p>W\xf6rter sind da.</p></body></html>'
    ),
    "utf7.html": lambda _: b'<html><head><meta charset="utf-7"></head><body><p>+AGE-b</p></body></html>',
    "attributes.html": lambda n: ("<p " + " ".join(f"a{k}=b" for k in range(n)) + ">words").encode(),
    "deep-array.json": nested("[", "]"),
    "deep-object.json": nested('{"a":', "}", inner='"deep"'),
    "deep-open.json": nested("[", ""),
    "number.json": lambda n: f'{{"title": "words", "n": {"9" * n}}}'.encode(),
    "exponent.json": lambda _: b'{"title": "words", "n": [1e999, -1e999, NaN, Infinity, -0, 1E-999]}',
    "surrogate.json": lambda _: b'{"text": "\\ud800 half of a pair \\udc00", "\\ud8ff": "name"}',
    "keys.json": lambda n: ("{" + ",".join('"a": "b"' for _ in range(n)) + "}").encode(),
    "records.json": lambda n: json.dumps([{"id": "same", "text": "words"}] * n).encode(),
    "nothing.jsonl": nested("{}\n", ""),
    "nulls.jsonl": nested("null\n", ""),
    "arrays.jsonl": nested("[[]]\n", "[[" * 9),
    "quote.csv": lambda n: b'a,b\n1,"' + b"no end of it, " * n,
    "columns.csv": lambda n: b"a," * n + b"\n" + b"1," * n,
    "ragged.csv": lambda n: b"".join(b"x," * (k % 50) + b"\n" for k in range(n)),
    "field.csv": lambda n: b"a,b\n" + b"x" * (n * 20) + b",1\n",
    "nul.csv": lambda n: b"a,b\n" + b"1,\x002\n" * n,
    "delimiters.csv": lambda n: b",;\t|:" * n,
    "rows.csv": lambda n: b"a,b\n" + b"1,2\n" * n,
    "returns.csv": lambda n: b"a,b\r" + b"1,2\r" * n,
    "wide.tsv": lambda n: b"a\t" * n,
    "cells.ipynb": notebook({"cell_type": "code", "source": ["x = 1"], "outputs": [], "metadata": {}}),
    "no-cells.ipynb": lambda _: b'{"nbformat": 4, "cells": {"a": 1}, "metadata": []}',
    "odd-cells.ipynb": notebook([1, None, {"source": 5}]),
    "odd-source.ipynb": notebook({"cell_type": "markdown", "source": {"a": 1}, "metadata": 3}),
    "odd-output.ipynb": notebook(
        {"cell_type": "code", "source": "x", "outputs": [{"output_type": 7}, 3, {"data": []}]}
    ),
    "picture.ipynb": lambda n: notebook(
        {
            "cell_type": "code",
            "source": "x",
            "outputs": [{"output_type": "display_data", "data": {"image/png": "A" * n}}],
        }
    )(1),
    "old.ipynb": lambda _: b'{"nbformat": 3, "worksheets": [{"cells": [{"cell_type": "code", "input": "x = 1"}]}]}',
    "deep.ipynb": nested('{"cells": [', "", inner='{"cell_type": "markdown", "source": "x"}'),
    "include.rst": rst_file(f".. include:: {SECRET_PATH}"),
    "raw.rst": rst_file(f".. raw:: html\n   :file: {SECRET_PATH}"),
    "table.rst": rst_file(f".. csv-table::\n   :file: {SECRET_PATH}"),
    "literal.rst": rst_file(f".. literalinclude:: {SECRET_PATH}"),
    "url.rst": rst_file(".. raw:: html\n   :url: http://127.0.0.1:9/"),
    "substitutions.rst": rst_substitutions,
    "self.rst": rst_file(".. |a| replace:: |a| |a|\n\n|a|"),
    "role.rst": rst_file(".. role:: x(y)\n\n:x:`a` :nothing:`b` :raw:`c`"),
    "deep.rst": lambda n: "\n\n".join(" " * k + "words" for k in range(min(n, 800))).encode(),
    "deep-list.rst": nested("- ", ""),
    "targets.rst": lambda n: "".join(f"`t{k}`_\n\n" for k in range(n)).encode(),
    "footnotes.rst": nested(".. [#] note\n", ""),
    "grid.rst": lambda n: ("+--" * n + "+\n" + "|a " * n + "|\n" + "+--" * n + "+\n").encode(),
    "simple-table.rst": lambda n: ("=== " * n + "\n" + "aaa " * n + "\n" + "=== " * n + "\n").encode(),
    "code.rst": rst_file(".. code:: no-such-language\n\n   x\n\n.. code-block:: python\n   :linenos: bad\n\n   y"),
    "mail-in-mail.eml": mail_in_mail,
    "parts.eml": parts_in_parts,
    "attachments.eml": attachments,
    "boundary.eml": lambda _: b"Subject: x\nMIME-Version: 1.0\nContent-Type: multipart/mixed\n\nThe words.",
    "charset.eml": lambda _: b"Subject: =?utf-99?B?AAAA?=\nContent-Type: text/plain; charset=utf-99\n\nThe w\xf6rds.",
    "base64.eml": lambda n: b"Subject: x\nContent-Transfer-Encoding: base64\n\n" + b"!=A" * n,
    "uu.eml": lambda n: b"Subject: x\nContent-Transfer-Encoding: x-uuencode\n\nbegin 644 ../a\n" + b"M" * n,
    "continuation.eml": mail_head(" folded"),
    "received.eml": mail_head("Received: from a by b; Thu, 32 Foo 99999 99:99:99 +9999\n"),
    "to.eml": mail_head('To: "(((((" <a@b>, ((((\n'),
    "words.eml": mail_head("Subject: =?utf-8?q?=41?= =?utf-8?b?QQ==?=\n"),
    "parameters.eml": mail_head("Content-Type: text/plain; a*0*=utf-8''%41; a*1*=%zz; charset=\n"),
    "date.eml": mail_head("Date: 99999999999999999999\n"),
    "mailbox.mbox": lambda n: b"From a@b Thu Jan  1 00:00:00 1970\nSubject: x\n\nThe words.\n\n" * n,
    "deep.rtf": rtf("{"),
    "closed.rtf": rtf("}"),
    "bin.rtf": rtf("\\bin999999999999 "),
    "unicode.rtf": rtf("\\u99999999?\\u-40000?\\uc99999\\u8364"),
    "page.rtf": rtf("\\ansicpg99999\\'ff\\'zz\\'"),
    "rows.rtf": rtf("\\trowd\\cellx1\\cellx2 a\\cell b\\cell\\row"),
    "cells.rtf": rtf("\\trowd\\cellx1"),
    "picture.rtf": rtf("{\\pict\\pngblip 89504e47}"),
    "object.rtf": rtf("{\\object{\\*\\objdata 0105}}{\\field{\\*\\fldinst HYPERLINK}}"),
    "words.rtf": rtf("\\a99999999999999999999 "),
    "fonts.rtf": rtf("{\\fonttbl{\\f0\\fcharset999 A;}}\\f99"),
    "stylesheet.rtf": rtf("{\\stylesheet{\\s1\\sbasedon1 heading 1;}}\\s1"),
    "nul.txt": lambda n: b"a\0b" * n,
    "half-wide.txt": lambda n: "wide".encode("utf-16") * n + b"\xd8",
    "surrogates.txt": lambda n: b"\xff\xfe" + b"\x00\xd8" * n + b"a\0",
    "overlong.txt": lambda n: b"words and \xc0\xaf\xe0\x80\xaf " * n,
    "utf7.txt": lambda n: b"+2AD-words +AGEA " * n,
    "escape.txt": lambda n: b"\x1b$B" * n + b"words",
    "marks.txt": lambda n: ("a" + "\u0301" * n).encode(),
    "line.txt": lambda n: b"kilometre" * n,
    "noncharacters.txt": lambda n: "\ufffe\uffff\U0010ffff words ".encode() * n,
    "separators.txt": lambda n: "line\u2028paragraph\u2029next\x85\x1c".encode() * n,
    "front.md": lambda n: b"---\n" + b"a: &a [*a]\n" * n + b"---\n\n# Title\n\nWords.",
    "fences.md": nested("```\n", ""),
    "quotes.md": lambda n: "".join(">" * (k % 200) + " words\n" for k in range(n)).encode(),
    "links.md": nested("[a](", ""),
    "references.md": lambda n: "".join(f"[a{k}]: <\n" for k in range(n)).encode(),
    "pipes.md": lambda n: b"| a |\n|---|\n" + b"|" * n,
    "headings.md": nested("# a\n", ""),
}
