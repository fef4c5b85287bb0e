"""The dashboard: pages that the server renders, which work without a script and live with one."""

from spnb.service.pages import assets, campaign, new, overview, session, stream

OPEN = {"/sign-in", "/sign-out", *assets.OPEN}  # for who has no token yet
ROUTERS = [module.router for module in (session, overview, new, campaign, stream, assets)]

__all__ = ["OPEN", "ROUTERS"]
