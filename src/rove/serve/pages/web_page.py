"""The web page: static files, open to everyone. All data that it shows it fetches with the reader's key."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

FOLDER = Path(__file__).parents[1] / "web"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".svg": "image/svg+xml",
}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What a browser may do on the page: load from this origin, and run no script that stands in a text."""


def _web_files_by_address() -> Mapping[str, Path]:
    """The files by their address. The first is the page itself; no other address leads to a file."""
    named = {
        f"/web/{path.relative_to(FOLDER).as_posix()}": path for path in sorted(FOLDER.rglob("*")) if path.is_file()
    }
    return MappingProxyType(
        {"/": FOLDER / "index.html", **{name: named[name] for name in named if _web_media_type(named[name])}}
    )


def _web_media_type(path: Path) -> str:
    return TYPES.get(path.suffix, "")


FILES = _web_files_by_address()


async def file(request: Request) -> Response:
    """One of the page's files."""
    path = FILES[request.scope["path"]]
    return Response(path.read_bytes(), media_type=_web_media_type(path), headers={"Content-Security-Policy": POLICY})


ROUTES = [Route(address, file, methods=["GET"], include_in_schema=False) for address in FILES]
