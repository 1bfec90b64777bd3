"""markitdown with all its extras, as its own documentation uses it; one object for all files."""

from __future__ import annotations

import re
import warnings
from importlib.metadata import version

from markitdown import MarkItDown
from reading_protocol import Reading, compete

warnings.simplefilter("ignore")
converter = MarkItDown(enable_plugins=False)


def read(path: str, kind: str) -> Reading:
    del kind
    text = converter.convert_local(path).markdown
    if not re.search(r"\w", re.sub(r"<!--.*?-->", "", text, flags=re.S)):
        message = "no text"
        raise ValueError(message)
    slides = len(re.findall(r"<!-- Slide number: \d+ -->", text))
    return {"text": text, "pages": slides or text.count("\f"), "boxed": 0, "chars": 0}


compete(f"markitdown {version('markitdown')}", read)
