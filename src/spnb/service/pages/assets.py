"""The stylesheet, the script and the icon: part of the package, nothing comes from elsewhere."""

from collections.abc import Awaitable, Callable
from importlib.resources import files

from fastapi import APIRouter
from fastapi.responses import Response

router = APIRouter(include_in_schema=False)
_KINDS = {
    "dashboard.css": "text/css",
    "dashboard.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
_FOLDER = files("spnb.service").joinpath("static")
OPEN = {f"/static/{name}" for name in _KINDS}
_FILES = {name: _FOLDER.joinpath(name).read_bytes() for name in _KINDS}


def _served(name: str) -> Callable[[], Awaitable[Response]]:
    async def serve() -> Response:
        return Response(_FILES[name], media_type=f"{_KINDS[name]}; charset=utf-8")

    return serve


for _name in _KINDS:
    router.get(f"/static/{_name}", name=_name)(_served(_name))
