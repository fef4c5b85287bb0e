"""``spnb serve`` and ``spnb token``: campaigns over HTTP, and who may use them."""

from datetime import timedelta
from typing import Annotated

import typer

from spnb.base.extras import need
from spnb.base.words import printable
from spnb.cli.group import group
from spnb.cli.store_options import DatabaseUrl, Json, print_json
from spnb.live.schedule import minutes_of
from spnb.live.store import Store
from spnb.live.store.tokens import SCOPES, Token, new_token, revoke, tokens_of

tokens = group("Make, list and revoke the tokens of the service.")
Owner = Annotated[str, typer.Option(help="Owner of the campaigns; each owner has separate ones")]


def serve(
    store: DatabaseUrl = None,
    host: Annotated[str, typer.Option(help="The address to listen on")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on", min=1, max=65535)] = 8000,
    workers: Annotated[int, typer.Option(help="Processes that share the port", min=1)] = 1,
) -> None:
    """Serve campaigns over HTTP: the API under /v1, a dashboard for people."""
    need("service")
    from spnb.service.serve import check, listening, run

    open_here, place = check(store, host), listening(host, port)
    typer.echo(
        f"spnb serves at http://{f'[{host}]' if ':' in host else host}:{port} (Ctrl-C stops it)"
    )
    if open_here:
        typer.echo("there are no tokens: everybody on this machine may do everything")
    run(store, place, workers)


@tokens.command("new")
def new(
    name: Annotated[str, typer.Argument(help="Who will use it; every event notes this name")],
    scope: Annotated[str, typer.Option(help=", ".join(SCOPES))] = "write",
    campaign: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only for this campaign; may be given again"),
    ] = None,
    lasts: Annotated[str | None, typer.Option(help="It expires after 12h, 30d, 52w")] = None,
    owner: Owner = "",
    store: DatabaseUrl = None,
    json: Json = False,
) -> None:
    """Make a token. It is shown this once: only a hash of it is kept."""
    lifetime = None if lasts is None else timedelta(minutes=minutes_of(lasts))
    with Store(store, owner=owner) as opened:
        text, token = new_token(opened, name, scope, campaign, lifetime)
    if json:
        print_json({"token": text, **_plain(token)})
    else:
        typer.echo(text)
        typer.echo("keep it: it is not shown again", err=True)


@tokens.command("list")
def list_(owner: Owner = "", store: DatabaseUrl = None, json: Json = False) -> None:
    """List the tokens, without their secrets."""
    with Store(store, create=False, owner=owner) as opened:
        found = tokens_of(opened)
    if json:
        print_json([_plain(token) for token in found])
        return
    for token in found:
        typer.echo(printable(_in_words(token)))


@tokens.command("revoke")
def revoke_(
    token: Annotated[str, typer.Argument(help="Its id, as 'spnb token list' shows it")],
    owner: Owner = "",
    store: DatabaseUrl = None,
) -> None:
    """Make a token invalid, at once."""
    with Store(store, create=False, owner=owner) as opened:
        revoke(opened, token)
    typer.echo(f"token {token} is revoked")


def _plain(token: Token) -> dict[str, object]:
    times = {name: getattr(token, name) for name in ("created", "expires", "revoked")}
    return {
        "id": token.id,
        "name": token.name,
        "scope": token.scope,
        "campaigns": token.campaigns,
    } | {name: None if time is None else time.isoformat() for name, time in times.items()}


def _in_words(token: Token) -> str:
    parts = [token.id, f"{token.scope:5}", token.name]
    if token.campaigns is not None:
        parts.append(f"only {', '.join(token.campaigns)}")
    if token.expires is not None:
        parts.append(f"until {token.expires:%Y-%m-%d %H:%M} UTC")
    if token.revoked is not None:
        parts.append(f"revoked {token.revoked:%Y-%m-%d %H:%M} UTC")
    return "  ".join(parts)
