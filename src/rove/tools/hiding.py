"""Takes the secrets of sources of tools out of what is told: a service may send its own key back, or half of one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import reduce
from os.path import commonprefix
from urllib.parse import unquote

from rove.records.metadata import clean
from rove.settings import ToolSettings

HIDDEN = "[hidden]"
PASSWORD = re.compile(r"://[^:/@\s]*:([^@\s]+)@")
SHORTEST, HEAD = 4, 8
"""A shorter secret would be found in any text; so much of one is enough to hide it."""
Hide = Callable[[str], str]
"""Takes secrets out of a text."""


def hiding(sources: Mapping[str, ToolSettings]) -> Hide:
    """Return what takes the secrets of sources out of a text, even where a service has sent them back, or half of one.

    >>> hide = hiding({"a": ToolSettings(kind="openapi", api_key="s3cret-of-it")})
    >>> hide("Bearer s3cret-of-it is wrong"), hide("Bearer s3cret-of")
    ('Bearer [hidden] is wrong', 'Bearer [hidden]')
    """
    secrets: set[str] = set()
    for settings in sources.values():
        passwords = PASSWORD.findall(f"{settings.database.get_secret_value()} {settings.base_url}")
        secrets |= {settings.api_key.get_secret_value(), *passwords, *map(unquote, passwords)}
    wanted = sorted((one for one in secrets if len(one) >= SHORTEST), key=len, reverse=True)
    return lambda text: reduce(_hide_secret, wanted, clean(text))


def _hide_secret(text: str, secret: str) -> str:
    """Hide each place where a secret stands, or begins: a message may be cut in the middle of it."""
    head, pieces, done = secret[:HEAD], list[str](), 0
    while (found := text.find(head, done)) >= 0:
        pieces += [text[done:found], HIDDEN]
        done = found + len(commonprefix((secret, text[found : found + len(secret)])))
    return "".join((*pieces, text[done:]))
