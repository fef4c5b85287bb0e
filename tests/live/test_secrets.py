"""No form of a store's URL puts a password on screen."""

import io
import random
import re
import sys
from contextlib import redirect_stderr, redirect_stdout

import pytest
from sqlalchemy import exc, make_url

from spnb.base.errors import SpnbError
from spnb.cli import app as cli
from spnb.live.store import Store
from spnb.live.store.migrate import migrate_store

SECRET = "hunter2"
FORMS = [
    "postgresql://me:{}@127.0.0.1:1/db",
    "postgresql://me:{}@127.0.0.1:1",
    "postgresql://127.0.0.1:1/db?user=me&password={}",
    "postgresql://127.0.0.1:1/db?sslpassword={}&sslmode=require",
    "postgresql://127.0.0.1:1/db?options=-c%20x%3D{}",
    "postgresql://me:a@{}@127.0.0.1:1/db",
    "postgresql://me:a/{}@127.0.0.1:1/db",
    "postgresql://me:a?{}@127.0.0.1:1/db",
    "postgresql://me:{}/127.0.0.1:1/db",
    "postgresql://?me:{}/127.0.0.1:1/db",
    "postgresql://?/:{}@127.0.0.1:1/db?connect_timeout=1",
    "postgresql://me:{}",
    "postgresql:me:{}@127.0.0.1/db",
    "postgresql//me:{}@127.0.0.1/db",
    "me:{}@127.0.0.1/db",
    "{}",
    "{}://127.0.0.1/db",
    "mysql://me:{}@127.0.0.1/db",
    "sqlite://me:{}@127.0.0.1/db",
    "sqlite:///me:{}@127.0.0.1/db",
    "sqlite:////me:{}@127.0.0.1/no/db",
    "postgres://me:{}@[::1/db",
    "postgresql+asyncpg://me:{}@127.0.0.1/db",
    "postgresql://me:{}@127.0.0.1:99999/db",
    "postgresql://me:{}@127.0.0.1:port/db",
]


@pytest.mark.parametrize("form", FORMS)
def test_a_password_is_never_shown(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    url = form.format(SECRET)
    for make in (Store, migrate_store):
        with pytest.raises(SpnbError) as caught:
            make(url)
        assert SECRET not in str(caught.value)
        assert "\n" not in str(caught.value)
    monkeypatch.setattr(sys, "argv", ["spnb", "status", "x", "--store", url])
    monkeypatch.setenv("SPNB_DEBUG", "1")
    screen = io.StringIO()
    with redirect_stdout(screen), redirect_stderr(screen), pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == 2
    lines = screen.getvalue().splitlines()
    assert SECRET not in "\n".join(line for line in lines if not line.startswith("    "))


def taken_for_a_host(url: str) -> bool:
    """Whether the signs around the password are gone, so that nobody can tell it from a host."""
    try:
        host = make_url(url).host or ""
    except (exc.ArgumentError, ValueError):
        return False
    return SECRET in host and re.fullmatch(r"[\w.%-]+", host) is not None


def test_no_mutation_of_a_url_shows_the_password(seed: int) -> None:
    luck = random.Random(seed)
    whole = f"postgresql://me:{SECRET}@127.0.0.1:1/db?connect_timeout=1"
    for _ in range(300):
        at = [luck.randrange(len(whole)) for _ in range(luck.randint(1, 3))]
        url = "".join(
            luck.choice([sign, "", "@", ":", "/", "?", "#", "%", "[", " "]) if i in at else sign
            for i, sign in enumerate(whole)
        )
        if SECRET not in url or url.startswith("sqlite") or taken_for_a_host(url):
            continue
        with pytest.raises(SpnbError) as caught:
            Store(url, create=False)
        assert SECRET not in str(caught.value), url


def test_a_store_describes_itself_without_its_password(postgres: str) -> None:
    from live.conftest import fresh_schema

    with Store(fresh_schema(postgres)) as store:
        assert "search_path" not in repr(store)
        assert repr(store).startswith("Store('postgresql://")
