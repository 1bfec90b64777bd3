"""The cookie of a session: how it is set and read, and which requests with it may change something."""

from __future__ import annotations

from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response

from rove.serve.problems import DeniedError

SESSION = "rove_session"
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
CROSS_CURE = "Do this on the page of this server; a program sends a key as the header Authorization: Bearer KEY."


def cookie_of(headers: Headers, name: str = SESSION) -> str:
    """What a cookie of the request holds; "" where it has none.

    >>> cookie_of(Headers({"cookie": "a=b; rove_session=x"})), cookie_of(Headers({"cookie": "rove"}))
    ('x', '')
    """
    if name not in (text := headers.get("cookie", "")):
        return ""
    try:
        found = SimpleCookie(text)
    except CookieError:
        return ""
    return found[name].value if name in found else ""


def set_cookie(
    response: Response, request: Request, value: str, *, https: bool, max_age_s: int, name: str = SESSION,
    path: str = "/", lax: bool = False,
) -> None:  # fmt: skip
    """Have the browser keep a cookie that no script can read; with "" it forgets it.

    Args:
        response: what sets it.
        request: what is answered: where it came by https, the cookie never goes another way.
        value: what it holds.
        https: the server is reached by https whatever the request says, because a proxy stands before it.
        max_age_s: how long the browser keeps it.
        name: of the cookie.
        path: where it is sent to.
        lax: it comes along where somebody follows a link of another site to here.
    """
    # believed from anybody: it can only keep the cookie of who says so from going another way
    forwarded = request.headers.get("x-forwarded-proto", "").split(",")[0].strip()
    response.set_cookie(
        name,
        value,
        max_age=max_age_s if value else 0,
        path=path,
        secure=https or "https" in (request.url.scheme, forwarded),
        httponly=True,
        samesite="lax" if lax else "strict",
    )


def check_same_origin(method: str, headers: Headers) -> None:
    """Refuse a request that changes something, comes with a cookie, and not from a page of this server.

    Raises:
        DeniedError: its Origin is another one, or the browser says so, or nothing says where it comes from.
    """
    if method in SAFE:
        return
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    same = origin is not None and urlsplit(origin).netloc.lower() == headers.get("host", "").lower()
    if site not in (None, "same-origin") or (origin is not None and not same) or (origin is None and site is None):
        message = "This does not come from a page of this server."
        raise DeniedError(message, cure=CROSS_CURE)
