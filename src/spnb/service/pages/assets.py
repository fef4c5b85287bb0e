"""The stylesheet, the script and the icon: part of the package, nothing comes from elsewhere."""

from importlib.resources import files

from fastapi import APIRouter
from fastapi.responses import Response

from spnb.service.errors import Refused

router = APIRouter(include_in_schema=False)
_KINDS = {
    "dashboard.css": "text/css",
    "dashboard.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
_FOLDER = files("spnb.service").joinpath("static")
_FILES = {name: _FOLDER.joinpath(name).read_bytes() for name in _KINDS}


@router.get("/static/{name}")
async def static(name: str) -> Response:
    """One of the few files there are."""
    if name not in _FILES:
        raise Refused(404, f"there is no file {name!r}")
    return Response(_FILES[name], media_type=f"{_KINDS[name]}; charset=utf-8")
